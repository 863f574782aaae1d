#include "hierarchy/steps/one_time_costs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "base/enum_names.h"
#include "base/quantile.h"
#include "hierarchy/steps/steps.h"
#include "model/overhead_type.h"
#include "model/spans.h"

namespace xsp {
namespace {

// What the profiler recorded as loading or compiling, each piece as a cost of the thread's time.
struct RecordedLoading {
  TrackId track;
  TimeRange time;
};

std::vector<RecordedLoading> LoadingInOverheads(const Trace& trace) {
  std::vector<RecordedLoading> found;
  for (EventId e : trace.OfKind(EventKind::kOverhead)) {
    if (!IsLoading(trace.overheads().overhead_type[trace.Row(e)])) continue;
    found.push_back({trace.track_of(e), {trace.begin(e), trace.end(e)}});
  }
  return found;
}

// Gives costs of calls within calls to the outermost ones, which are never charged more than they
// took.
class OuterCosts {
 public:
  OuterCosts(const Trace& trace, const std::vector<OneTimeCall>& costs)
      : trace_(trace), costs_(costs), loading_(LoadingInOverheads(trace)) {}

  std::vector<OneTimeCall> Find() {
    if (costs_.empty() && loading_.empty()) return {};
    FindOuter();
    std::map<EventId, Sum> sums;
    for (const OneTimeCall& cost : costs_) {
      const EventId outer = OuterAt(trace_.track_of(cost.call), trace_.begin(cost.call));
      Sum& sum = sums[outer.valid() ? outer : cost.call];
      (outer == cost.call ? sum.own : sum.within) += cost.ns;
      if (cost.ns > sum.largest) {
        sum.largest = cost.ns;
        sum.reason = cost.reason;
      }
    }
    for (const RecordedLoading& piece : loading_) {
      const EventId outer = OuterAt(piece.track, piece.time.begin);
      if (outer.valid()) sums[outer].recorded += piece.time.Length();
    }
    std::vector<OneTimeCall> found;
    for (const auto& [call, sum] : sums) {
      const DurationNs ns = std::max({sum.own, sum.within, sum.recorded});
      const bool is_loading = sum.largest == 0;
      found.push_back({call, std::min(ns, trace_.duration(call)),
                       is_loading ? OneTimeReason::kLoading : sum.reason});
    }
    return found;
  }

 private:
  struct Sum {
    DurationNs own = 0, within = 0, recorded = 0;
    DurationNs largest = 0;
    OneTimeReason reason = OneTimeReason::kLoading;
  };

  void FindOuter() {
    outer_.resize(trace_.tracks().size());
    for (EventId call : trace_.OfKind(EventKind::kApi)) {
      std::vector<EventId>& of_track = outer_[trace_.track_of(call).value];
      const bool is_within = !of_track.empty() && trace_.end(call) <= trace_.end(of_track.back());
      if (!is_within) of_track.push_back(call);
    }
  }

  EventId OuterAt(TrackId track, TimeNs at) const {
    if (!track.valid()) return {};
    const std::vector<EventId>& calls = outer_[track.value];
    auto after = std::upper_bound(calls.begin(), calls.end(), at, [&](TimeNs time, EventId call) {
      return time < trace_.begin(call);
    });
    if (after == calls.begin()) return {};
    const EventId call = *std::prev(after);
    return at < trace_.end(call) || at == trace_.begin(call) ? call : EventId();
  }

  const Trace& trace_;
  const std::vector<OneTimeCall>& costs_;
  const std::vector<RecordedLoading> loading_;
  std::vector<std::vector<EventId>> outer_;  // By track, in order of time.
};

bool CanRecur(OneTimeReason reason) {
  return reason == OneTimeReason::kLoading || reason == OneTimeReason::kMemory;
}

// A program that loads or allocates in every step does not do so once: of each step what the later
// ones usually spend is taken off, call by call.
void TakeOffWhatRecurs(const Trace& trace, const Steps& steps, std::vector<OneTimeCall>& calls) {
  if (steps.size() == 0) return;
  auto step_of = [&](const OneTimeCall& cost) {
    return steps.StepAt(trace.process_of(cost.call), trace.begin(cost.call));
  };
  std::vector<DurationNs> growth(steps.size(), 0);
  for (const OneTimeCall& cost : calls) {
    const std::uint32_t step = step_of(cost);
    if (CanRecur(cost.reason) && step != Steps::kOutside) growth[step] += cost.ns;
  }
  const auto half = static_cast<std::ptrdiff_t>(growth.size() / 2);
  const auto usual =
      MedianOf<DurationNs>(std::vector<DurationNs>(growth.begin() + half, growth.end()));
  std::vector<DurationNs> left(steps.size(), usual);
  for (OneTimeCall& cost : calls) {
    const std::uint32_t step = step_of(cost);
    if (!CanRecur(cost.reason) || step == Steps::kOutside) continue;
    const DurationNs recurs = std::min(left[step], cost.ns);
    left[step] -= recurs;
    cost.ns -= recurs;
  }
  std::erase_if(calls, [](const OneTimeCall& cost) { return cost.ns <= 0; });
}

// When the devices of each process are at work, as far as somebody asks.
std::vector<std::vector<TimeRange>> BusyOf(const Trace& trace,
                                           const std::vector<OneTimeCall>& calls) {
  std::vector<std::uint8_t> is_asked(trace.processes().size());
  for (const OneTimeCall& cost : calls) is_asked[trace.process_of(cost.call).value] = 1;
  std::vector<std::vector<TimeRange>> busy(trace.processes().size());
  for (EventId work : trace.DeviceWork()) {
    const ProcessId process = trace.process_of(work);
    if (!process.valid() || is_asked[process.value] == 0) continue;
    busy[process.value].push_back({trace.begin(work), trace.end(work)});
  }
  for (std::vector<TimeRange>& of_process : busy) of_process = Merged(std::move(of_process));
  return busy;
}

// Calls `take` for the parts of a time that none of these ranges covers.
template <class Take>
void ForEachUncovered(TimeRange time, const std::vector<TimeRange>& ranges, Take take) {
  auto it = std::partition_point(ranges.begin(), ranges.end(),
                                 [&](const TimeRange& range) { return range.end <= time.begin; });
  for (; it != ranges.end() && it->begin < time.end; ++it) {
    if (time.begin < it->begin) take(TimeRange{time.begin, it->begin});
    time.begin = std::max(time.begin, it->end);
  }
  if (time.begin < time.end) take(time);
}

}  // namespace

std::string_view NameOf(OneTimeReason reason) {
  constexpr EnumNames<OneTimeReason::kSetup> kNames(
      {"first launches", "loading code", "growing memory", "setting up"});
  return kNames[reason];
}

OneTimeCosts::OneTimeCosts(const Trace& trace, const Steps& steps) {
  const std::vector<OneTimeCall> costs = FindOneTimeCalls(trace);
  calls_ = OuterCosts(trace, costs).Find();
  TakeOffWhatRecurs(trace, steps, calls_);
  FindExposed(trace);
}

DurationNs OneTimeCosts::Of(EventId call) const {
  const auto found =
      std::lower_bound(calls_.begin(), calls_.end(), call,
                       [](const OneTimeCall& cost, EventId of) { return cost.call < of; });
  return found != calls_.end() && found->call == call ? found->ns : 0;
}

void OneTimeCosts::FindExposed(const Trace& trace) {
  const std::vector<std::vector<TimeRange>> busy = BusyOf(trace, calls_);
  std::vector<Exposed> all;
  for (const OneTimeCall& cost : calls_) {
    const TimeNs begin = trace.begin(cost.call);
    ForEachUncovered({begin, begin + cost.ns}, busy[trace.process_of(cost.call).value],
                     [&](TimeRange time) {
                       all.push_back({time, cost.reason});
                     });
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Exposed& a, const Exposed& b) { return a.time.begin < b.time.begin; });
  TimeNs until = std::numeric_limits<TimeNs>::min();
  for (Exposed& piece : all) {
    piece.time.begin = std::max(piece.time.begin, until);
    if (piece.time.Empty()) continue;
    until = piece.time.end;
    exposed_.push_back(piece);
  }
}

std::array<DurationNs, kOneTimeReasonCount> OneTimeCosts::ByReason(
    const std::vector<TimeRange>& times) const {
  std::array<DurationNs, kOneTimeReasonCount> sums{};
  for (const TimeRange& time : times) {
    auto it = std::partition_point(exposed_.begin(), exposed_.end(), [&](const Exposed& piece) {
      return piece.time.end <= time.begin;
    });
    for (; it != exposed_.end() && it->time.begin < time.end; ++it) {
      sums[static_cast<std::size_t>(it->reason)] += it->time.Clip(time).Length();
    }
  }
  return sums;
}

DurationNs OneTimeCosts::In(const std::vector<TimeRange>& times) const {
  DurationNs sum = 0;
  for (DurationNs ns : ByReason(times)) sum += ns;
  return sum;
}

}  // namespace xsp
