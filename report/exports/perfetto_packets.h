#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/byte_sink.h"
#include "base/protobuf.h"
#include "model/time.h"

namespace xsp {

// A track of a Perfetto trace, by the number that its packets carry.
using PerfettoTrack = std::uint64_t;

// Writes the packets of one Perfetto trace: knows their fields, and nothing of xsp. Names are
// written once and then go by number.
class PerfettoPackets {
 public:
  explicit PerfettoPackets(ByteSink sink);

  // Tracks of a process stand below it; those of a kind in the order of `rank`.
  PerfettoTrack AddProcess(std::uint32_t pid, std::string_view name);
  PerfettoTrack AddThread(PerfettoTrack process, std::uint32_t pid, std::uint32_t tid,
                          std::string_view name);
  PerfettoTrack AddTrack(PerfettoTrack parent, std::string_view name, int rank);
  PerfettoTrack AddCounter(PerfettoTrack parent, std::string_view name, std::string_view unit);

  // Slices of a track lie beside or within each other, and come in order of time. What is in
  // `more` joins the fields of the event.
  void BeginSlice(PerfettoTrack track, TimeNs at, std::string_view name, std::string_view category,
                  const ProtobufMessage* more = nullptr);
  void EndSlice(PerfettoTrack track, TimeNs at);
  void Value(PerfettoTrack counter, TimeNs at, double value);

  // Work of a GPU. `queue` and `stage` are what Specification gave.
  std::uint64_t Specification(std::string_view name, std::string_view description);
  std::uint64_t Context(std::uint32_t pid, bool is_hip);
  void Work(TimeNs at, const ProtobufMessage& render_stage);

  void Finish() { sink_.Flush(); }

 private:
  std::uint64_t NameId(std::string_view name, std::uint32_t field,
                       std::unordered_map<std::string, std::uint64_t>& ids);
  void WriteTrack(ProtobufMessage descriptor);
  void Write(ProtobufMessage& packet);

  BufferedSink sink_;
  ProtobufMessage interned_;  // What the next packet has to define.
  std::unordered_map<std::string, std::uint64_t> names_, categories_, specifications_;
  std::unordered_map<std::uint64_t, std::uint64_t> contexts_;  // By pid and API.
  PerfettoTrack last_track_ = 0;
  bool is_first_ = true;
};

}  // namespace xsp
