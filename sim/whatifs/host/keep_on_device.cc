#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "sim/whatifs/all.h"
#include "sim/whatifs/host/copies.h"
#include "sim/whatifs/host/reads.h"

// Data that goes to the host and comes back as it was stays on the device: the first copy in and
// the last one out remain. No profiler writes the addresses of copies, so a round trip is told by
// size, direction and order, and by the time that the host had between: too little to have touched
// the data.
namespace xsp {
namespace {

constexpr WhatIfOption kKeepOptions[] = {
    {"least", "64KB", "bytes that a buffer must have: less may be a flag that the host looks at"}};

// How long a thread was outside of its CUDA calls, from one time to another.
class HostTimes {
 public:
  explicit HostTimes(const Trace& trace) {
    for (EventId call : trace.OfKind(EventKind::kApi)) {
      Calls& calls = of_thread_[trace.track_of(call).value];
      const TimeNs begin = std::max(trace.begin(call), calls.until);  // Calls within calls.
      const DurationNs before = calls.covered.empty() ? 0 : calls.covered.back();
      calls.begin.push_back(trace.begin(call));
      calls.covered.push_back(before + std::max<DurationNs>(0, trace.end(call) - begin));
      calls.until = std::max(calls.until, trace.end(call));
    }
  }

  // Between the end of one call of a thread and the begin of a later one of the same.
  DurationNs Outside(TrackId thread, TimeNs from, TimeNs to) const {
    const auto it = of_thread_.find(thread.value);
    return it == of_thread_.end() ? to - from
                                  : to - from - (Until(it->second, to) - Until(it->second, from));
  }

 private:
  struct Calls {
    std::vector<TimeNs> begin;
    std::vector<DurationNs> covered;  // By this call and all before it.
    TimeNs until = INT64_MIN;
  };
  // No call of the thread is open at the time.
  static DurationNs Until(const Calls& calls, TimeNs time) {
    const auto after = std::lower_bound(calls.begin.begin(), calls.begin.end(), time);
    const auto count = static_cast<std::size_t>(after - calls.begin.begin());
    return count == 0 ? 0 : calls.covered[count - 1];
  }
  std::unordered_map<std::uint32_t, Calls> of_thread_;
};

// Copies of a whole trace that a read and the next copy of the same size back make superfluous.
// They are looked for in the whole of it: the first copy of a step answers a read of the step
// before.
class RoundTrips {
 public:
  RoundTrips(const Trace& trace, std::uint64_t least) : trace_(trace), host_(trace) {
    const Copies& copies = trace.copies();
    for (EventId copy : trace.OfKind(EventKind::kMemcpy)) {
      const std::uint32_t row = trace.Row(copy, EventKind::kMemcpy);
      if (copies.bytes[row] < least || !trace.call_of(copy).valid()) continue;
      if (copies.copy_kind[row] != CopyKind::kHtoD && copies.copy_kind[row] != CopyKind::kDtoH) {
        continue;
      }
      const Track& track = trace.track(trace.track_of(copy));
      Buffers& buffers = reads_[{track.process.value, track.device, copies.bytes[row]}];
      std::vector<EventId>& reads = buffers.reads;
      if (copies.copy_kind[row] == CopyKind::kDtoH) {
        reads.push_back(copy);
      } else if (!reads.empty() && Answer(reads, copy, copies.bytes[row])) {
        ++buffers.answered;
      }
    }
    for (const auto& [size, buffers] : reads_) {
      if (buffers.answered < 2) continue;
      for (const EventId read : buffers.reads) last_.insert(read.value);
    }
  }

  bool Holds(EventId copy) const { return copies_.count(copy.value) != 0; }
  // Reads that nothing answers any more, of buffers that went to and fro before: a program's last
  // ones. Of a step they say nothing.
  bool IsLast(EventId copy) const { return last_.count(copy.value) != 0; }
  bool empty() const { return copies_.empty(); }
  // A read came back after the host had had time to use or change it.
  bool host_had_time() const { return host_had_time_; }

 private:
  // The latest read counts: what the host did before that, it did not do to this data.
  bool Answer(std::vector<EventId>& reads, EventId in, std::uint64_t bytes) {
    const EventId read_call = trace_.call_of(reads.back());
    const EventId in_call = trace_.call_of(in);
    const TrackId thread = trace_.track_of(read_call);
    if (thread != trace_.track_of(in_call)) return false;
    // Copies that are queued ahead of each other, as in a pipeline of chunks, are of other data:
    // the host did not even have what it read. Clocks of devices are a little off.
    constexpr DurationNs kClocks = 2'000;
    if (trace_.end(reads.back()) > trace_.begin(in_call) + kClocks) return false;
    const DurationNs between = host_.Outside(thread, trace_.end(read_call), trace_.begin(in_call));
    // One pass over the data at what a core reads, and what lies between any two calls.
    constexpr double kBytesPerNs = 20;
    constexpr double kBetweenCalls = 10'000;
    if (static_cast<double>(between) > kBetweenCalls + static_cast<double>(bytes) / kBytesPerNs) {
      host_had_time_ = true;
      return false;
    }
    copies_.insert(reads.back().value);
    copies_.insert(in.value);
    reads.pop_back();
    return true;
  }

  const Trace& trace_;
  const HostTimes host_;
  // Of one size on one device: reads that were not answered yet, and how many were.
  struct Buffers {
    std::vector<EventId> reads;
    std::size_t answered = 0;
  };
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, Buffers> reads_;
  std::unordered_set<std::uint32_t> copies_, last_;
  bool host_had_time_ = false;
};

class KeepOnDevice {
 public:
  KeepOnDevice(Plan& plan, std::uint64_t least)
      : plan_(plan), graph_(plan.graph()), trips_(*graph_.trace, least) {}

  Applied Apply() {
    for (const TaskId op : plan_.Select(Selector::Kind(TaskKind::kMemcpy))) {
      const EventId event = graph_.event[op];
      const bool goes =
          event.valid() && (trips_.Holds(event) || (plan_.unit().is_step && trips_.IsLast(event)));
      if (!goes) continue;
      by_size_[CopyBytes(graph_, op)].push_back(op);
      is_in_unit_ |= plan_.Counts(op);
    }
    if (!is_in_unit_) return Applied::No(WhyNot());
    FindWaits();
    std::size_t rows = 0;
    for (auto size = by_size_.rbegin(); size != by_size_.rend(); ++size) {
      if (++rows <= kMostRows) change_ = plan_.AddChange(Words(rows, size->first), "kind=memcpy");
      for (const TaskId op : size->second) Remove(op);
    }
    RemoveWaits();
    plan_.RestsOn(kStructural);
    plan_.Assume(
        "the host neither uses nor changes what it reads and copies back: between the two it has "
        "less time than one look at the data takes");
    return Applied::Yes();
  }

 private:
  static constexpr std::size_t kMostRows = 5;

  static std::string Words(std::size_t row, std::uint64_t bytes) {
    return row < kMostRows ? SizeWords(bytes) + " to the host and back" : "smaller buffers";
  }

  std::string WhyNot() const {
    return trips_.host_had_time() ? "the host works between what it reads and what it copies back"
                                  : "no buffer is read by the host and copied back to the device";
  }

  // A wait right behind a copy is there for its sake.
  void FindWaits() {
    std::unordered_set<std::uint32_t> gone;
    for (const auto& [bytes, ops] : by_size_) {
      for (const TaskId op : ops) gone.insert(op.value);
    }
    for (TaskId host : graph_.host_tasks()) {
      const TaskId copy = CopyBefore(graph_, host);
      if (copy.valid() && gone.count(copy.value) != 0) waits_.push_back(host);
    }
  }

  void RemoveWaits() {
    if (waits_.empty()) return;
    const ChangeId change = plan_.AddChange("waits right behind them", "rule=host_sync");
    for (const TaskId wait : waits_) plan_.RemoveCall(wait, change);
  }

  void Remove(TaskId op) {
    const TaskId call = plan_.CallOf(op);
    if (graph_.OpsOf(call).size() > 1) {
      plan_.RemoveWork(op, change_);
    } else {
      // What is short against a copy is what leads to it.
      constexpr DurationNs kShort = 50;
      if (plan_.Gap(call) <= graph_.own[op] / kShort) plan_.SetGap(call, 0, change_);
      plan_.RemoveCall(call, change_);
    }
  }

  Plan& plan_;
  const TaskGraph& graph_;
  const RoundTrips trips_;
  std::map<std::uint64_t, std::vector<TaskId>> by_size_;
  std::vector<TaskId> waits_;
  bool is_in_unit_ = false;
  ChangeId change_ = 0;
};

Applied ApplyKeepOnDevice(Plan& plan, const WhatIfValues& values) {
  return KeepOnDevice(plan, static_cast<std::uint64_t>(values.Bytes("least"))).Apply();
}

}  // namespace

const WhatIf kKeepOnDevice = {"keep-on-device",
                              "Keep data on the device",
                              "what goes to the host and comes back as it was stays where it is",
                              kStructural,
                              "",
                              Effort::kLines,
                              {"keep data on the device", "keep tensors on the GPU, no .cpu()",
                               "copy in before the loop, out behind it (omp target data)"},
                              kKeepOptions,
                              ApplyKeepOnDevice};

}  // namespace xsp
