#include "graph/rules/polling.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/quantile.h"
#include "graph/draft.h"
#include "graph/rules/off_cpu.h"
#include "graph/rules/poll_ends.h"
#include "graph/rules/poll_turns.h"
#include "graph/waits/pace.h"
#include "model/names/call_names.h"

// Loops that ask for an event or a stream until it is done, with or without naps between. No single
// query waits, and so the loop would pass for the host's own work, as long as ever however fast the
// kernels become. Such a loop is one task here: it ends when the work does and a query has seen it.
// How often it asks is not kept.
namespace xsp {
namespace {

constexpr std::int32_t kWorkNotReady = 600;  // cudaErrorNotReady, CUDA_ERROR_NOT_READY, hip's too.
// What passes between the queries of a loop that does nothing else.
constexpr DurationNs kShortPause = 20'000;
// Where nothing tells what a query returned, this many in a row are a loop.
constexpr std::size_t kFewestWithoutCodes = 4;
// Pauses of unknown kind tell something about each other from here on.
constexpr std::size_t kFewestPauses = 5;

constexpr std::array<std::string_view, 12> kNaps = {
    "nanosleep",   "clock_nanosleep", "usleep",        "sleep",
    "sched_yield", "pthread_yield",   "poll",          "ppoll",
    "select",      "epoll_wait",      "sem_timedwait", "pthread_cond_timedwait"};

bool IsNap(std::string_view name) {
  return std::find(kNaps.begin(), kNaps.end(), name) != kNaps.end();
}

// Calls that a loop makes besides: the error of a query that found work undone is cleared.
bool AsksForErrors(std::string_view name) {
  const std::string_view bare = BareCallName(name);
  return bare == "GetLastError" || bare == "PeekAtLastError";
}

}  // namespace

PollFinder::PollFinder(const Draft& draft)
    : draft_(draft), has_os_calls_(draft.trace.processes().size()), off_cpu_(OffCpu(draft.trace)) {
  const Trace& trace = draft.trace;
  for (EventId call : trace.OfKind(EventKind::kApi)) {
    if (IsQuery(call) && trace.calls().return_value[trace.Row(call)] == kWorkNotReady) {
      has_codes_ = true;
      break;
    }
  }
  for (EventId call : trace.OfKind(EventKind::kOsrt)) {
    has_os_calls_[trace.process_of(call).value] = true;
    if (IsNap(trace.name(call))) {
      naps_.Add(trace.track_of(call), {trace.begin(call), trace.end(call)});
    }
  }
  const Syncs& syncs = trace.syncs();
  for (EventId sync : trace.OfKind(EventKind::kSync)) {
    const EventId call = trace.call_of(sync);
    if (!call.valid() || !IsQuery(call)) continue;
    const std::uint32_t row = trace.Row(sync, EventKind::kSync);
    const bool is_stream = syncs.stream[row].valid();
    target_[call] = is_stream ? (std::uint64_t{1} << 32) + syncs.stream[row].value
                              : std::uint64_t{syncs.event[row]};
  }
}

bool PollFinder::IsQuery(EventId call) const {
  const StringId name = draft_.trace.name_of(call);
  if (draft_.classes.Of(name) != CallClass::kPoll) return false;
  const std::string_view bare = BareCallName(draft_.trace.name(call));
  return bare.starts_with("StreamQuery") || bare.starts_with("EventQuery");
}

bool PollFinder::IsReady(EventId call) const {
  return draft_.trace.calls().return_value[draft_.trace.Row(call)] != kWorkNotReady;
}

// Older exports say what a query asked for only where it was done.
bool PollFinder::MayBeSame(EventId a, EventId b) const {
  if (draft_.trace.name_of(a) != draft_.trace.name_of(b)) return false;
  const auto of_a = target_.find(a);
  const auto of_b = target_.find(b);
  return of_a == target_.end() || of_b == target_.end() || of_a->second == of_b->second;
}

// The time between two calls of a thread in which it may have done something.
DurationNs PollFinder::AwakeBetween(EventId before, EventId next) const {
  const Trace& trace = draft_.trace;
  const TimeRange gap{trace.end(before), trace.begin(next)};
  const TrackId thread = trace.track_of(next);
  return gap.Length() - std::max(naps_.In(thread, gap), off_cpu_.In(thread, gap));
}

// Naps that were not recorded as such are all alike; work is not. And a timer of the system is late
// by 50 us unless it was asked for more.
bool PollFinder::AreRegular(std::vector<DurationNs>& pauses) const {
  constexpr DurationNs kShortestNap = 48'000;
  if (pauses.size() < kFewestPauses || UpperMedian(pauses) < kShortestNap) return false;
  std::sort(pauses.begin(), pauses.end());
  const DurationNs spread = pauses[pauses.size() * 9 / 10] - pauses[pauses.size() / 10];
  return spread <= pauses[pauses.size() / 2] / 4;
}

std::vector<PollFinder::Poll> PollFinder::PollsOf(const std::vector<EventId>& calls) const {
  const Trace& trace = draft_.trace;
  std::vector<Poll> polls;
  EventId before;  // The last call that is not inside another one.
  bool was_query = false;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (before.valid() && trace.begin(calls[i]) < trace.end(before)) continue;
    if (AsksForErrors(trace.name(calls[i]))) continue;
    const bool is_query = IsQuery(calls[i]);
    if (is_query) {
      const DurationNs awake = was_query ? AwakeBetween(before, calls[i]) : 0;
      polls.push_back({i, calls[i], was_query, awake, was_query && awake <= kShortPause});
    }
    was_query = is_query;
    before = calls[i];
  }
  std::vector<DurationNs> pauses;
  for (const Poll& poll : polls) {
    if (poll.awake > kShortPause) pauses.push_back(poll.awake);
  }
  // A thread that is awake between two queries works, where its OS calls would show a nap.
  const bool may_nap =
      !calls.empty() && !has_os_calls_[trace.process_of(calls.front()).value] && AreRegular(pauses);
  for (Poll& poll : polls) poll.follows |= poll.is_next && may_nap;
  if (!may_nap) FollowLongPauses(calls, polls);
  return polls;
}

// What a thread does of its own from one call to another one.
DurationNs PollFinder::WorkBetween(const std::vector<EventId>& calls, std::size_t first,
                                   std::size_t last) const {
  DurationNs sum = 0;
  EventId before = calls[first];
  for (std::size_t i = first + 1; i <= last; ++i) {
    if (draft_.trace.begin(calls[i]) < draft_.trace.end(before)) continue;
    sum += AwakeBetween(before, calls[i]);
    before = calls[i];
  }
  return sum;
}

// A thread that does something between its queries may do that because there is time for it, or
// because it must be done: then there is the more left to do behind the loop, the sooner that was
// over. Where loops were over sooner and later, and what came behind did not change, they wait.
// Those that do such work first, and then only ask on, tell nothing.
void PollFinder::FollowLongPauses(const std::vector<EventId>& calls,
                                  std::vector<Poll>& polls) const {
  constexpr std::size_t kFewestLoops = 8;
  constexpr double kSure = 2;
  std::vector<std::pair<std::size_t, std::size_t>> loops;  // Rows of polls: [first, last].
  std::vector<DurationNs> long_pauses, last_pauses;
  for (std::size_t first = 0, i = 1; has_codes_ && i <= polls.size(); ++i) {
    const bool goes_on = i < polls.size() && polls[i].is_next && !IsReady(polls[i - 1].call) &&
                         MayBeSame(polls[i - 1].call, polls[i].call);
    if (goes_on) continue;
    if (i - first > 2 && IsReady(polls[i - 1].call)) {
      loops.emplace_back(first, i - 1);
      last_pauses.push_back(polls[i - 1].awake);
      for (std::size_t k = first + 1; k < i; ++k) {
        if (polls[k].awake > kShortPause) long_pauses.push_back(polls[k].awake);
      }
    }
    first = i;
  }
  if (loops.size() < kFewestLoops || long_pauses.empty() ||
      2 * UpperMedian(last_pauses) < UpperMedian(long_pauses)) {
    return;
  }
  std::vector<std::pair<DurationNs, DurationNs>> pairs;
  for (std::size_t i = 0; i + 1 < loops.size(); ++i) {
    const Poll &first = polls[loops[i].first], &last = polls[loops[i].second];
    const DurationNs length = draft_.trace.end(last.call) - draft_.trace.begin(first.call);
    pairs.emplace_back(length, WorkBetween(calls, last.place, polls[loops[i + 1].first].place));
  }
  if (PaceOfPairs(pairs, kSure) != Pace::kDuration) return;
  for (const auto& [first, last] : loops) {
    for (std::size_t i = first + 1; i <= last; ++i) polls[i].follows = true;
  }
}

// Queries that were followed by another one, with something between that may be a pause or not.
std::uint32_t PollFinder::CountUntold(const std::vector<Poll>& polls) const {
  std::uint32_t untold = 0;
  for (std::size_t i = 1; has_codes_ && i < polls.size(); ++i) {
    const bool is_open = polls[i].is_next && !polls[i].follows && !IsReady(polls[i - 1].call);
    untold += is_open && MayBeSame(polls[i - 1].call, polls[i].call) ? 1 : 0;
  }
  return untold;
}

// Of polls [first, last), one behind the other: a loop ends where what was not done before is done.
// Others that are asked for in turn may stand between.
void PollFinder::AddByCode(const std::vector<Poll>& polls, std::size_t first, std::size_t last,
                           std::vector<PollRun>& loops) const {
  std::size_t begin = first;
  for (std::size_t i = first; i < last; ++i) {
    if (!IsReady(polls[i].call)) continue;
    bool was_asked = false;
    for (std::size_t k = begin; k < i && !was_asked; ++k) {
      was_asked = !IsReady(polls[k].call) && MayBeSame(polls[k].call, polls[i].call);
    }
    if (was_asked) {
      while (IsReady(polls[begin].call)) ++begin;
      loops.push_back({polls[begin].place, polls[i].place});
      begin = i + 1;
    }
  }
}

std::vector<PollRun> PollFinder::LoopsOf(const std::vector<EventId>& calls,
                                         std::uint32_t& untold) const {
  std::vector<PollRun> loops;
  const std::vector<Poll> polls = PollsOf(calls);
  untold += CountUntold(polls);
  for (std::size_t first = 0; first < polls.size();) {
    std::size_t last = first + 1;
    while (last < polls.size() && polls[last].follows &&
           (has_codes_ || MayBeSame(polls[last - 1].call, polls[last].call))) {
      ++last;
    }
    if (has_codes_) {
      AddByCode(polls, first, last, loops);
    } else if (last - first >= kFewestWithoutCodes) {
      loops.push_back({polls[first].place, polls[last - 1].place});
    }
    first = last;
  }
  return loops;
}

namespace {

// How long after its end work is seen to be done, by loops that saw it: as long as they did not see
// it yet at most, and as they did at least. Clocks of device and host are skewed.
DurationNs SeenAfter(Latencies& in_vain, Latencies& seen) {
  const DurationNs most = NthOf(seen, seen.size() / 20);
  return std::min(most, std::max<DurationNs>(0, NthOf(in_vain, in_vain.size() * 19 / 20)));
}

}  // namespace

void AskForUnrecordedPolls(Draft& draft) {
  TaskGraph& graph = draft.graph;
  const bool all_told = std::all_of(
      draft.poll_loops.begin(), draft.poll_loops.end(),
      [&](const auto& entry) { return graph.question[entry.first].ask != Ask::kNothing; });
  if (all_told) return;
  const PollEnds ends(draft);
  for (const auto& [task, loop] : draft.poll_loops) {
    if (graph.question[task].ask != Ask::kNothing) continue;
    const std::uint32_t stream = ends.FindStream(loop);
    const std::uint32_t record = stream == Draft::kNone ? ends.FindRecord(loop) : Draft::kNone;
    const std::uint32_t context = draft.context_of_task[task];
    if (stream != Draft::kNone) {
      graph.question[task] = {Ask::kStream, Rule::kPolling, false, 0, stream};
    } else if (record != Draft::kNone) {
      graph.question[task] = {Ask::kRecord, Rule::kPolling, false, 0, record};
    } else if (context != Draft::kNone) {
      graph.question[task] = {Ask::kContext, Rule::kPolling, false, 0, context};
    }
  }
}

void LearnPolls(Draft& draft, const Answers& answers) {
  if (draft.poll_loops.empty()) return;
  TaskGraph& graph = draft.graph;
  const auto [turns, last_loops] = FindPollTurns(draft);
  if (!turns.empty()) graph.reaction.resize(graph.op_count());
  struct Loops {
    std::vector<TaskId> tasks;
    Latencies in_vain, seen;  // From the end of the work to that of the last two queries.
  };
  std::map<std::string_view, Loops> by_name;
  for (const auto& [task, loop] : draft.poll_loops) {
    if (const auto turn = turns.find(task); turn != turns.end()) {
      const auto& [done, next] = turn->second;
      if (next.valid()) {
        graph.reaction[graph.RowOf(next)] = graph.measured_begin[next] - graph.measured_end[done];
      }
      graph.own[task] = draft.trace.duration(loop.last);
      graph.question[task] = {};
      continue;
    }
    const TaskId awaited = answers.awaited[task];
    if (graph.question[task].rule == Rule::kPolling && awaited.valid() &&
        EndsLoop(draft, loop, draft.EndOf(awaited))) {
      Loops& loops = by_name[CallName(draft.trace.name(loop.last))];
      const DurationNs query = draft.trace.duration(loop.last);
      loops.tasks.push_back(task);
      loops.in_vain.push_back(loop.last_in_vain + query - draft.EndOf(awaited));
      loops.seen.push_back(graph.measured_end[task] - draft.EndOf(awaited));
      // Work that is done before is seen by the first query.
      graph.own[task] = query;
      graph.question[task].interval = static_cast<std::uint32_t>(
          std::clamp<DurationNs>(loop.interval, 1, std::numeric_limits<std::uint32_t>::max()));
      graph.flags[task] |= kWaited;
      continue;
    }
    // Whatever it asked for, nothing that was recorded: what passed stays as it was.
    graph.question[task] = {};
    graph.untold_polls += loop.polls;
  }
  for (TaskId task : last_loops) {
    Question& question = graph.question[task];
    if (question.rule != Rule::kPolling || draft.context_of_task[task] == Draft::kNone) continue;
    question.ask = Ask::kContext;
    question.target = draft.context_of_task[task];
  }
  for (auto& [name, loops] : by_name) {
    const DurationNs after = SeenAfter(loops.in_vain, loops.seen);
    const ConstantId latency =
        graph.constants.Add({"poll_seen." + std::string(name), after,
                             static_cast<std::uint32_t>(loops.tasks.size()), after, after, false});
    for (TaskId task : loops.tasks) graph.question[task].latency = latency;
  }
}

}  // namespace xsp
