#include "report/exports/perfetto_counters.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hierarchy/names/device_number.h"

namespace xsp {
namespace {

// Changes of a counter: when, and by how much.
using Changes = std::vector<std::pair<TimeNs, std::int64_t>>;

class CounterWriter {
 public:
  CounterWriter(const Trace& trace, TimeNs origin, PerfettoPackets& packets)
      : trace_(trace), origin_(origin), packets_(packets) {}

  void WriteOutstanding(const TaskGraph& graph) {
    std::map<ProcessId, Changes> by_process;
    for (TaskId op : graph.ops()) {
      const TaskId call = graph.CallOf(op);
      if (!call.valid() || !graph.event[call].valid() || !graph.event[op].valid()) continue;
      Changes& changes = by_process[trace_.process_of(graph.event[op])];
      changes.emplace_back(trace_.begin(graph.event[call]), 1);
      changes.emplace_back(trace_.end(graph.event[op]), -1);
    }
    for (auto& [process, changes] : by_process) {
      Write("issued and not done, process " + std::to_string(trace_.process(process).pid), "",
            changes);
    }
  }

  void WriteMemory() {
    const MemoryOperations& memory = trace_.memory();
    std::map<std::uint32_t, Changes> by_device;
    for (EventId e : trace_.OfKind(EventKind::kMemory)) {
      const std::uint32_t row = trace_.Row(e, EventKind::kMemory);
      const auto device = DeviceNumber(trace_, trace_.track(trace_.track_of(e)));
      const std::uint64_t bytes = memory.bytes[row];
      constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;  // More is no size of memory.
      if (!device || bytes > kMostBytes) continue;
      const auto change = static_cast<std::int64_t>(bytes);
      by_device[*device].emplace_back(
          trace_.begin(e), memory.operation[row] == MemoryOperation::kAllocate ? change : -change);
    }
    for (auto& [device, changes] : by_device) {
      Write("memory in use, GPU " + std::to_string(device), "bytes", changes);
    }
  }

  void WriteMetrics() {
    std::map<std::pair<TrackId, StringId>, PerfettoTrack> tracks;
    const GpuMetrics& metrics = trace_.gpu_metrics();
    for (EventId e : trace_.OfKind(EventKind::kGpuMetric)) {
      PerfettoTrack& track = tracks[{trace_.track_of(e), trace_.name_of(e)}];
      if (track == 0) track = packets_.AddCounter(0, trace_.name(e), "");
      const std::int64_t value = metrics.value[trace_.Row(e, EventKind::kGpuMetric)];
      Add(track, trace_.begin(e), static_cast<double>(value));
    }
  }

  std::uint64_t values() const { return values_; }

 private:
  // What was there before the recording began shows where the sum would fall below 0.
  void Write(const std::string& name, std::string_view unit, Changes& changes) {
    std::stable_sort(changes.begin(), changes.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::int64_t sum = 0, least = 0;
    for (const auto& [time, change] : changes) least = std::min(least, sum += change);
    const PerfettoTrack track = packets_.AddCounter(0, name, unit);
    sum = -least;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      sum += changes[i].second;
      const bool is_last_now = i + 1 == changes.size() || changes[i + 1].first != changes[i].first;
      if (is_last_now) Add(track, changes[i].first, static_cast<double>(sum));
    }
  }

  void Add(PerfettoTrack track, TimeNs at, double value) {
    packets_.Value(track, std::max<TimeNs>(0, at - origin_), value);
    ++values_;
  }

  const Trace& trace_;
  const TimeNs origin_;
  PerfettoPackets& packets_;
  std::uint64_t values_ = 0;
};

}  // namespace

std::uint64_t WritePerfettoCounters(const Trace& trace, const TaskGraph* graph, TimeNs origin,
                                    PerfettoPackets& packets) {
  CounterWriter writer(trace, origin, packets);
  if (graph != nullptr) writer.WriteOutstanding(*graph);
  writer.WriteMemory();
  writer.WriteMetrics();
  return writer.values();
}

}  // namespace xsp
