#include "report/summary/devices.h"

#include <algorithm>
#include <map>

#include "model/spans.h"

namespace xsp {
namespace {

std::string_view NameOfGpu(const Trace& trace, GpuId gpu) {
  return gpu.valid() ? trace.strings().Get(trace.gpus()[gpu.value].name) : "";
}

void Count(DeviceUse& use, EventKind kind) {
  switch (kind) {
    case EventKind::kKernel:
      ++use.kernels;
      break;
    case EventKind::kMemset:
      ++use.memsets;
      break;
    case EventKind::kGraphSpan:
      ++use.graph_spans;
      break;
    default:
      ++use.copies;
  }
}

}  // namespace

std::vector<DeviceUse> UsedDevices(const Trace& trace) {
  struct Work {
    DeviceUse use;
    std::vector<TimeRange> ranges;
  };
  std::map<std::uint32_t, Work> by_number;
  for (EventKind kind : {EventKind::kKernel, EventKind::kMemcpy, EventKind::kMigration,
                         EventKind::kMemset, EventKind::kGraphSpan}) {
    for (EventId e : trace.OfKind(kind)) {
      const Track& track = trace.track(trace.track_of(e));
      Work& work = by_number[DeviceNumber(trace, track).value_or(0)];
      if (work.use.name.empty()) work.use.name = NameOfGpu(trace, track.gpu);
      Count(work.use, kind);
      work.ranges.push_back({trace.begin(e), trace.end(e)});
    }
  }
  std::vector<DeviceUse> devices;
  for (auto& [number, work] : by_number) {
    work.use.number = number;
    work.use.span = work.ranges.front();
    for (const TimeRange& range : work.ranges) {
      work.use.span.begin = std::min(work.use.span.begin, range.begin);
      work.use.span.end = std::max(work.use.span.end, range.end);
    }
    work.use.busy_ns = UnionLength(std::move(work.ranges));
    devices.push_back(std::move(work.use));
  }
  return devices;
}

std::string GpuWords(const Trace& trace) {
  std::map<GpuId, bool> used;
  for (EventId e : trace.DeviceWork()) used[trace.track(trace.track_of(e)).gpu] = true;
  std::vector<std::pair<std::string, int>> names;  // In the order of the GPUs.
  auto add = [&](GpuId gpu) {
    const std::string name(NameOfGpu(trace, gpu));
    if (name.empty()) return;
    auto it = std::find_if(names.begin(), names.end(), [&](auto& n) { return n.first == name; });
    if (it == names.end()) it = names.insert(names.end(), {name, 0});
    ++it->second;
  };
  for (const auto& [gpu, _] : used) add(gpu);
  if (names.empty()) {
    for (std::size_t i = 0; i < trace.gpus().size(); ++i) add(GpuId(i));
  }
  std::string words;
  for (const auto& [name, count] : names) {
    words += words.empty() ? "" : ", ";
    words += count > 1 ? std::to_string(count) + " x " + name : name;
  }
  return words;
}

}  // namespace xsp
