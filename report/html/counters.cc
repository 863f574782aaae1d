#include "report/html/counters.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "hierarchy/names/device_number.h"
#include "report/html/packed.h"

namespace xsp {
namespace {

constexpr std::size_t kMostPoints = 600;
constexpr std::size_t kMostCounters = 24;

struct CounterPoint {
  TimeNs time = 0;
  std::int64_t value = 0;
};

struct Counter {
  std::string name;
  std::string unit;
  std::vector<CounterPoint> points;
};

// The largest value of each stretch, at the time of the first of it: peaks stay.
std::vector<CounterPoint> Thinned(const std::vector<CounterPoint>& points, TimeRange part) {
  if (points.size() <= kMostPoints) return points;
  const DurationNs width = std::max<DurationNs>(1, part.Length() / kMostPoints);
  std::vector<CounterPoint> kept;
  DurationNs last = -1;
  for (const CounterPoint& point : points) {
    const DurationNs stretch = (point.time - part.begin) / width;
    if (stretch != last) {
      kept.push_back(point);
      last = stretch;
    } else {
      kept.back().value = std::max(kept.back().value, point.value);
    }
  }
  return kept;
}

Json ToJson(const Counter& counter, TimeRange part) {
  PackedColumn times(PackedColumn::Kind::kSteps), values(PackedColumn::Kind::kSteps);
  for (const CounterPoint& point : Thinned(counter.points, part)) {
    times.Add(point.time - part.begin);
    values.Add(point.value);
  }
  return {{"name", JsonText(CutText(counter.name))},
          {"unit", counter.unit},
          {"times", times.ToJson()},
          {"values", values.ToJson()}};
}

std::string GpuOfTrack(const Trace& trace, TrackId track) {
  const auto number = DeviceNumber(trace, trace.track(track));
  return number ? "GPU " + std::to_string(*number) : "";
}

// Since the recording began: what was allocated before is not known.
std::vector<Counter> MemoryInUse(const Trace& trace, TimeRange part) {
  std::map<std::string, Counter> by_device;
  std::map<std::string, std::int64_t> in_use;
  for (EventId event : trace.OfKind(EventKind::kMemory)) {
    if (trace.begin(event) > part.end) break;
    const std::uint32_t row = trace.Row(event, EventKind::kMemory);
    const std::uint64_t bytes = trace.memory().bytes[row];
    const MemoryKind kind = trace.memory().memory_kind[row];
    if (bytes == kMissing<std::uint64_t> || bytes > (std::uint64_t{1} << 50)) continue;
    if (kind != MemoryKind::kDevice && kind != MemoryKind::kManaged) continue;
    const std::string device = GpuOfTrack(trace, trace.track_of(event));
    const bool frees = trace.memory().operation[row] != MemoryOperation::kAllocate;
    std::int64_t& now = in_use[device];
    now += frees ? -static_cast<std::int64_t>(bytes) : static_cast<std::int64_t>(bytes);
    Counter& counter = by_device[device];
    if (trace.begin(event) < part.begin) {
      counter.points.assign(1, {part.begin, now});
    } else {
      counter.points.push_back({trace.begin(event), now});
    }
  }
  std::vector<Counter> counters;
  for (auto& [device, counter] : by_device) {
    counter.name = "Memory in use" + (device.empty() ? "" : ", " + device);
    counter.unit = "B";
    counters.push_back(std::move(counter));
  }
  return counters;
}

std::vector<Counter> Sampled(const Trace& trace, TimeRange part) {
  std::map<std::pair<TrackId, StringId>, Counter> counters;
  for (EventId event : trace.OfKind(EventKind::kGpuMetric)) {
    if (!part.Contains(trace.begin(event))) continue;
    Counter& counter = counters[{trace.track_of(event), trace.name_of(event)}];
    counter.points.push_back(
        {trace.begin(event), trace.gpu_metrics().value[trace.Row(event, EventKind::kGpuMetric)]});
  }
  std::vector<Counter> result;
  for (auto& [of, counter] : counters) {
    const std::string device = GpuOfTrack(trace, of.first);
    counter.name = std::string(of.second.valid() ? trace.strings().Get(of.second) : "counter") +
                   (device.empty() ? "" : ", " + device);
    counter.unit = counter.name.find('%') != std::string::npos ? "%" : "";
    result.push_back(std::move(counter));
  }
  return result;
}

}  // namespace

Json CountersIn(const Trace& trace, TimeRange part) {
  Json list = Json::array();
  for (const std::vector<Counter>& counters : {MemoryInUse(trace, part), Sampled(trace, part)}) {
    for (const Counter& counter : counters) {
      if (list.size() < kMostCounters && !counter.points.empty()) {
        list.push_back(ToJson(counter, part));
      }
    }
  }
  return list;
}

}  // namespace xsp
