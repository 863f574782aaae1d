#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "graph/constants.h"
#include "graph/draft.h"

// Calls of cudaStreamWaitEvent for events of which no record is in the trace: PyTorch's profiler
// writes down neither the event nor the streams. Where such a wait held an operation up, the times
// tell: it was queued, its stream was free, and it began when an operation of another stream ended.
// Without these waits, collectives and the kernels that need them would pass each other.
namespace xsp {
namespace {

// An operation that begins sooner than this after it could have was held up by nobody.
constexpr DurationNs kLate = 10'000;
// From the end of what an operation waited for to its begin: at most 18 µs in real traces.
constexpr DurationNs kNear = 25'000;
// Clocks of two queues agree to about this.
constexpr DurationNs kSkew = 2'000;
// Among so many streams some operation ends at any time: that one did shows nothing.
constexpr std::size_t kMostStreams = 32;

// An operation that may have waited, and for which stream.
struct Candidate {
  TaskId op;
  std::uint32_t from = 0;
};

// Streams: who waits, for whom.
using Pair = std::pair<std::uint32_t, std::uint32_t>;

class Inference {
 public:
  explicit Inference(Draft& draft)
      : draft_(draft),
        graph_(draft.graph),
        ops_(graph_.streams.size()),
        streams_of_(graph_.contexts.size()) {}

  void Run() {
    std::vector<TaskId> waits;
    for (TaskId task : graph_.host_tasks()) {
      const bool is_open = graph_.question[task].ask == Ask::kNothing;
      if (is_open && draft_.ClassOf(task) == CallClass::kStreamWait) waits.push_back(task);
    }
    if (waits.empty()) return;
    FindOps();
    for (TaskId wait : waits) {
      for (const Candidate& candidate : CandidatesOf(wait)) {
        if (WasHeldUp(wait, candidate)) held_up_[PairOf(candidate)].insert(candidate.op);
      }
    }
    for (TaskId wait : waits) Resolve(wait);
  }

 private:
  void FindOps() {
    for (TaskId op : graph_.ops()) {
      if (graph_.submit[graph_.RowOf(op)] == Submit::kAfterOwnCost) {
        ops_[graph_.lane[op]].push_back(op);
      }
    }
    for (std::uint32_t stream = 0; stream < ops_.size(); ++stream) {
      if (ops_[stream].empty()) continue;
      std::stable_sort(ops_[stream].begin(), ops_[stream].end(),
                       [&](TaskId a, TaskId b) { return IssuedAt(a) < IssuedAt(b); });
      streams_of_[graph_.streams[stream].context].push_back(stream);
    }
    for (std::uint32_t context = 0; context < streams_of_.size(); ++context) {
      const std::size_t streams = streams_of_[context].size();
      if (streams < 2 || streams > kMostStreams) continue;
      contexts_of_[graph_.contexts[context].process].push_back(context);
    }
  }

  TimeNs IssuedAt(TaskId op) const { return graph_.measured_begin[graph_.CallOf(op)]; }
  Pair PairOf(const Candidate& candidate) const {
    return {graph_.lane[candidate.op], candidate.from};
  }

  // The wait is that of the next operation on one of the streams, whoever issues it; the first to
  // be issued comes first.
  std::vector<Candidate> CandidatesOf(TaskId wait) const {
    std::vector<Candidate> candidates;
    for (std::uint32_t context : ContextsOf(wait)) {
      for (std::uint32_t stream : streams_of_[context]) {
        const TaskId op = NextOn(stream, graph_.measured_begin[wait]);
        for (std::uint32_t from : streams_of_[context]) {
          if (op.valid() && from != stream) candidates.push_back({op, from});
        }
      }
    }
    std::stable_sort(
        candidates.begin(), candidates.end(),
        [&](const Candidate& a, const Candidate& b) { return IssuedAt(a.op) < IssuedAt(b.op); });
    return candidates;
  }

  // Where the wait may have been: in the context of its thread, if that is known.
  std::vector<std::uint32_t> ContextsOf(TaskId wait) const {
    const auto found = contexts_of_.find(graph_.threads[graph_.lane[wait]].process);
    if (found == contexts_of_.end()) return {};
    const std::vector<std::uint32_t>& all = found->second;
    const std::uint32_t known = draft_.context_of_task[wait];
    if (known == Draft::kNone)
      return all.size() > kMostStreams ? std::vector<std::uint32_t>() : all;
    if (!std::binary_search(all.begin(), all.end(), known)) return {};
    return {known};
  }

  TaskId NextOn(std::uint32_t stream, TimeNs time) const {
    const std::vector<TaskId>& ops = ops_[stream];
    const auto it = std::partition_point(ops.begin(), ops.end(),
                                         [&](TaskId op) { return IssuedAt(op) < time; });
    return it == ops.end() ? TaskId() : *it;
  }

  // The last operation that was issued on the other stream before the wait; of those that were over
  // when the candidate began.
  TaskId AwaitedBy(TaskId wait, const Candidate& candidate) const {
    const TimeNs issued = graph_.measured_begin[wait];
    const TimeNs over = graph_.measured_begin[candidate.op] + kSkew;
    const std::vector<TaskId>& ops = ops_[candidate.from];
    auto it = std::partition_point(ops.begin(), ops.end(), [&](TaskId op) {
      return IssuedAt(op) < issued && graph_.measured_end[op] <= over;
    });
    return it == ops.begin() ? TaskId() : *std::prev(it);
  }

  // Whether the operation, though queued on a free stream, began when one of the other stream
  // ended.
  bool WasHeldUp(TaskId wait, const Candidate& candidate) const {
    const TaskId awaited = AwaitedBy(wait, candidate);
    if (!awaited.valid()) return false;
    const TimeNs begin = graph_.measured_begin[candidate.op];
    TimeNs ready = graph_.measured_end[graph_.CallOf(candidate.op)];
    const std::vector<TaskId>& own = ops_[graph_.lane[candidate.op]];
    const auto at = std::partition_point(
        own.begin(), own.end(), [&](TaskId op) { return IssuedAt(op) < IssuedAt(candidate.op); });
    if (at != own.begin()) ready = std::max(ready, graph_.measured_end[*std::prev(at)]);
    return begin - ready > kLate && begin - graph_.measured_end[awaited] <= kNear;
  }

  // A wait that held nobody up is taken to be one that others of the same streams show.
  void Resolve(TaskId wait) {
    std::optional<Candidate> found;
    for (const Candidate& candidate : CandidatesOf(wait)) {
      const auto times = held_up_.find(PairOf(candidate));
      if (times == held_up_.end() || times->second.size() < kMinSamples) continue;
      const bool was_held_up = WasHeldUp(wait, candidate);
      if (was_held_up || !found) found = candidate;
      if (was_held_up) break;
    }
    const TaskId awaited = found ? AwaitedBy(wait, *found) : TaskId();
    if (!awaited.valid()) return;
    const bool is_tail = NextOn(found->from, IssuedAt(awaited) + 1) ==
                         NextOn(found->from, graph_.measured_begin[wait]);
    StreamWait stream_wait{graph_.lane[found->op], 0, is_tail};
    if (stream_wait.makes_record) {
      stream_wait.record = NewRecord(found->from);
    } else if (const auto record = RecordBehind(awaited)) {
      stream_wait.record = *record;
    } else {
      return;
    }
    const auto number = static_cast<std::uint32_t>(graph_.stream_waits.size());
    graph_.question[wait] = {Ask::kStreamWait, Rule::kEventWait, false, 0, number};
    graph_.stream_waits.push_back(stream_wait);
    ++graph_.told_waits;
  }

  std::uint32_t NewRecord(std::uint32_t stream) {
    graph_.record_stream.push_back(stream);
    return static_cast<std::uint32_t>(graph_.record_stream.size()) - 1;
  }

  // A record of the stream as it was behind this operation, made by the next call that has nothing
  // else to do. Nothing where the stream goes on before there is one.
  std::optional<std::uint32_t> RecordBehind(TaskId op) {
    const auto [known, is_new] = record_behind_.try_emplace(op);
    if (is_new) known->second = MakeRecordBehind(op);
    return known->second;
  }

  std::optional<std::uint32_t> MakeRecordBehind(TaskId op) {
    const TaskId call = graph_.CallOf(op);
    const TaskId end = graph_.threads[graph_.lane[call]].last;
    for (TaskId task(call.value + 1); task < end; ++task.value) {
      Question& question = graph_.question[task];
      if (graph_.kind[task] == TaskKind::kCall && question.ask == Ask::kNothing &&
          draft_.ClassOf(task) != CallClass::kStreamWait) {
        const std::uint32_t number = NewRecord(graph_.lane[op]);
        question = {Ask::kMakeRecord, Rule::kNone, false, 0, number};
        return number;
      }
      for (TaskId issued : graph_.OpsOf(task)) {
        if (graph_.lane[issued] == graph_.lane[op]) return std::nullopt;
      }
    }
    return std::nullopt;
  }

  Draft& draft_;
  TaskGraph& graph_;
  std::vector<std::vector<TaskId>> ops_;                // By stream, as they were issued.
  std::vector<std::vector<std::uint32_t>> streams_of_;  // By context, those with operations.
  std::map<ProcessId, std::vector<std::uint32_t>> contexts_of_;   // With streams to tell apart.
  std::map<Pair, std::set<TaskId>> held_up_;                      // Operations that were.
  std::map<TaskId, std::optional<std::uint32_t>> record_behind_;  // By operation.
};

}  // namespace

void AskForUnrecordedWaits(Draft& draft) { Inference(draft).Run(); }

}  // namespace xsp
