#include "report/exports/perfetto_packets.h"

#include <utility>

namespace xsp {
namespace {

// Field numbers of Perfetto's messages, those that are used here.
namespace packet {
enum : std::uint32_t {
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInterned = 12,
  kFlags = 13,
  kRenderStage = 53,
  kTrackDescriptor = 60,
};
}  // namespace packet
namespace track {
enum : std::uint32_t {
  kUuid = 1,
  kName = 2,
  kProcess = 3,
  kThread = 4,
  kParent = 5,
  kCounter = 8,
  kChildOrdering = 11,
  kRank = 12,
};
}  // namespace track
namespace event {
enum : std::uint32_t {
  kCategory = 3,
  kType = 9,
  kNameId = 10,
  kTrack = 11,
  kDoubleValue = 44,
};
enum : std::uint64_t { kBegin = 1, kEnd = 2, kCounterValue = 4 };
}  // namespace event
namespace interned {
enum : std::uint32_t { kCategories = 1, kNames = 2, kContexts = 23, kSpecifications = 24 };
}  // namespace interned

constexpr std::uint64_t kSequenceId = 1;
constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;
constexpr std::uint64_t kExplicitOrder = 3;

}  // namespace

PerfettoPackets::PerfettoPackets(ByteSink sink) : sink_(std::move(sink)) {}

// A packet is complete but for its sequence, and for the names that it is the first to use.
void PerfettoPackets::Write(ProtobufMessage& packet) {
  packet.Number(packet::kSequence, kSequenceId);
  packet.Number(packet::kFlags, is_first_ ? kStateCleared | kNeedsState : kNeedsState);
  is_first_ = false;
  if (!interned_.bytes().empty()) packet.Message(packet::kInterned, interned_);
  interned_.Clear();
  ProtobufMessage trace;
  trace.Message(1, packet);
  sink_.Write(trace.bytes());
}

void PerfettoPackets::WriteTrack(ProtobufMessage descriptor) {
  ProtobufMessage packet;
  packet.Message(packet::kTrackDescriptor, descriptor);
  Write(packet);
}

PerfettoTrack PerfettoPackets::AddProcess(std::uint32_t pid, std::string_view name) {
  ProtobufMessage process;
  process.Signed(1, static_cast<std::int32_t>(pid));
  process.Text(6, name);
  ProtobufMessage descriptor;
  descriptor.Number(track::kUuid, ++last_track_);
  descriptor.Message(track::kProcess, process);
  descriptor.Number(track::kChildOrdering, kExplicitOrder);
  WriteTrack(std::move(descriptor));
  return last_track_;
}

PerfettoTrack PerfettoPackets::AddThread(PerfettoTrack process, std::uint32_t pid,
                                         std::uint32_t tid, std::string_view name) {
  ProtobufMessage thread;
  thread.Signed(1, static_cast<std::int32_t>(pid));
  thread.Signed(2, tid);
  thread.Text(5, name);
  ProtobufMessage descriptor;
  descriptor.Number(track::kUuid, ++last_track_);
  descriptor.Number(track::kParent, process);
  descriptor.Message(track::kThread, thread);
  WriteTrack(std::move(descriptor));
  return last_track_;
}

PerfettoTrack PerfettoPackets::AddTrack(PerfettoTrack parent, std::string_view name, int rank) {
  ProtobufMessage descriptor;
  descriptor.Number(track::kUuid, ++last_track_);
  descriptor.Text(track::kName, name);
  if (parent != 0) descriptor.Number(track::kParent, parent);
  descriptor.Signed(track::kRank, rank);
  WriteTrack(std::move(descriptor));
  return last_track_;
}

PerfettoTrack PerfettoPackets::AddCounter(PerfettoTrack parent, std::string_view name,
                                          std::string_view unit) {
  ProtobufMessage counter;
  if (!unit.empty()) counter.Text(6, unit);
  ProtobufMessage descriptor;
  descriptor.Number(track::kUuid, ++last_track_);
  descriptor.Text(track::kName, name);
  if (parent != 0) descriptor.Number(track::kParent, parent);
  descriptor.Message(track::kCounter, counter);
  WriteTrack(std::move(descriptor));
  return last_track_;
}

void PerfettoPackets::BeginSlice(PerfettoTrack track, TimeNs at, std::string_view name,
                                 std::string_view category, const ProtobufMessage* more) {
  ProtobufMessage event;
  event.Number(event::kType, event::kBegin);
  event.Number(event::kTrack, track);
  event.Number(event::kNameId, NameId(name, interned::kNames, names_));
  event.Number(event::kCategory, NameId(category, interned::kCategories, categories_));
  if (more != nullptr) event.Append(*more);
  ProtobufMessage packet;
  packet.Number(packet::kTimestamp, static_cast<std::uint64_t>(at));
  packet.Message(packet::kTrackEvent, event);
  Write(packet);
}

void PerfettoPackets::EndSlice(PerfettoTrack track, TimeNs at) {
  ProtobufMessage event;
  event.Number(event::kType, event::kEnd);
  event.Number(event::kTrack, track);
  ProtobufMessage packet;
  packet.Number(packet::kTimestamp, static_cast<std::uint64_t>(at));
  packet.Message(packet::kTrackEvent, event);
  Write(packet);
}

void PerfettoPackets::Value(PerfettoTrack counter, TimeNs at, double value) {
  ProtobufMessage event;
  event.Number(event::kType, event::kCounterValue);
  event.Number(event::kTrack, counter);
  event.Double(event::kDoubleValue, value);
  ProtobufMessage packet;
  packet.Number(packet::kTimestamp, static_cast<std::uint64_t>(at));
  packet.Message(packet::kTrackEvent, event);
  Write(packet);
}

void PerfettoPackets::Work(TimeNs at, const ProtobufMessage& render_stage) {
  ProtobufMessage packet;
  packet.Number(packet::kTimestamp, static_cast<std::uint64_t>(at));
  packet.Message(packet::kRenderStage, render_stage);
  Write(packet);
}

std::uint64_t PerfettoPackets::NameId(std::string_view name, std::uint32_t field,
                                      std::unordered_map<std::string, std::uint64_t>& ids) {
  const auto [at, is_new] = ids.try_emplace(std::string(name), ids.size() + 1);
  if (is_new) {
    ProtobufMessage entry;
    entry.Number(1, at->second);
    entry.Text(2, name);
    interned_.Message(field, entry);
  }
  return at->second;
}

std::uint64_t PerfettoPackets::Specification(std::string_view name, std::string_view description) {
  constexpr std::uint64_t kCompute = 2;
  const auto [at, is_new] = specifications_.try_emplace(
      std::string(name) + '\0' + std::string(description), specifications_.size() + 1);
  if (is_new) {
    ProtobufMessage entry;
    entry.Number(1, at->second);
    entry.Text(2, name);
    entry.Text(3, description);
    entry.Number(4, kCompute);
    interned_.Message(interned::kSpecifications, entry);
  }
  return at->second;
}

std::uint64_t PerfettoPackets::Context(std::uint32_t pid, bool is_hip) {
  constexpr std::uint64_t kCuda = 4, kHip = 5;
  const auto [at, is_new] =
      contexts_.try_emplace(std::uint64_t{pid} << 1 | (is_hip ? 1 : 0), contexts_.size() + 1);
  if (is_new) {
    ProtobufMessage entry;
    entry.Number(1, at->second);
    entry.Signed(2, static_cast<std::int32_t>(pid));
    entry.Number(3, is_hip ? kHip : kCuda);
    interned_.Message(interned::kContexts, entry);
  }
  return at->second;
}

}  // namespace xsp
