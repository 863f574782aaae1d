#include "graph/rules/poll_turns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/quantile.h"
#include "graph/rules/poll_ends.h"

namespace xsp {
namespace {

class TurnFinder {
 public:
  explicit TurnFinder(const Draft& draft) : draft_(draft), ends_(draft) {}

  PollTurns Run() const {
    PollTurns found;
    for (auto it = draft_.poll_loops.begin(); it != draft_.poll_loops.end();) {
      const std::uint32_t thread = draft_.graph.lane[it->first];
      std::vector<TaskId> loops;  // Of this thread.
      OfLoops turns, while_others_work;
      for (; it != draft_.poll_loops.end() && draft_.graph.lane[it->first] == thread; ++it) {
        loops.push_back(it->first);
        const PollTurn turn = TurnOf(it->second);
        if (!turn.done.valid()) continue;
        turns[it->first] = turn;
        if (OthersWork(it->second, turn)) while_others_work[it->first] = turn;
      }
      if (!GoesOnWithAny(while_others_work)) continue;
      const DurationNs soon = SoonAfter(while_others_work);
      std::erase_if(turns, [&](const auto& turn) { return IssuedAfter(turn) > soon; });
      AddLastOnes(loops, soon, turns, found.last_loops);
      found.of_loops.merge(turns);
    }
    return found;
  }

 private:
  using OfLoops = std::map<TaskId, PollTurn>;

  // What is issued in a turn takes longer than to begin with it.
  static constexpr DurationNs kManyIssued = 8;

  // What it was that a loop found done, if it issues the next for the same stream then.
  PollTurn TurnOf(const PollLoop& loop) const {
    const TaskGraph& graph = draft_.graph;
    const TaskId next = NextIssued(loop.task);
    if (!next.valid()) return {};
    const TaskId done = ends_.LastIssued(graph.lane[next], graph.measured_begin[loop.task]);
    const TimeNs seen = graph.measured_end[loop.task] + kSkewOfPolls;
    return IsOf(done, loop.task) && graph.measured_end[done] <= seen ? PollTurn{done, next}
                                                                     : PollTurn{};
  }

  // Loops behind which nothing is issued, but which others follow that take turns: nobody waits for
  // the last work of one stream before all have had theirs.
  void AddLastOnes(const std::vector<TaskId>& loops, DurationNs soon, OfLoops& turns,
                   std::vector<TaskId>& last_loops) const {
    const TaskGraph& graph = draft_.graph;
    for (std::size_t first = 0, end; first < loops.size(); first = end) {
      std::size_t last_turn = loops.size();  // None.
      for (end = first; end < loops.size(); ++end) {
        if (turns.count(loops[end]) > 0) last_turn = end;
        if (end + 1 == loops.size()) continue;
        const DurationNs apart =
            graph.measured_begin[loops[end + 1]] - graph.measured_end[loops[end]];
        const bool is_turn = turns.count(loops[end]) > 0;
        if (apart > (is_turn ? kManyIssued : 1) * soon) {
          ++end;
          break;
        }
      }
      if (last_turn == loops.size() || last_turn + 1 == end) continue;
      bool has_any = false;
      for (std::size_t i = first; i < last_turn; ++i) {
        has_any |= turns.try_emplace(loops[i]).second;
      }
      if (has_any) last_loops.push_back(loops[end - 1]);
    }
  }

  bool OthersWork(const PollLoop& loop, const PollTurn& turn) const {
    const TaskGraph& graph = draft_.graph;
    for (std::uint32_t other = 0; other < graph.streams.size(); ++other) {
      if (other == graph.lane[turn.next]) continue;
      const TaskId last = ends_.LastIssued(other, graph.measured_begin[loop.task]);
      const bool is_its = IsOf(last, loop.task);
      if (is_its && graph.measured_end[last] > graph.measured_end[loop.task]) return true;
    }
    return false;
  }

  DurationNs IssuedAfter(const std::pair<const TaskId, PollTurn>& turn) const {
    const TaskGraph& graph = draft_.graph;
    return graph.measured_begin[graph.CallOf(turn.second.next)] - graph.measured_end[turn.first];
  }
  // Within which time what was done is followed by the next.
  DurationNs SoonAfter(const OfLoops& turns) const {
    constexpr DurationNs kSlack = 10'000;
    std::vector<DurationNs> times;
    for (const auto& turn : turns) times.push_back(IssuedAfter(turn));
    return 2 * UpperMedian(times) + kSlack;
  }

  bool IsOf(TaskId op, TaskId loop) const {
    const TaskGraph& graph = draft_.graph;
    return op.valid() && graph.lane[graph.CallOf(op)] == graph.lane[loop];
  }

  // What a thread issues behind a loop before it waits again.
  TaskId NextIssued(TaskId loop) const {
    const TaskGraph& graph = draft_.graph;
    const TaskId last = graph.threads[graph.lane[loop]].last;
    for (TaskId task = Next(loop); task < last; ++task.value) {
      if (const TaskRange ops = graph.OpsOf(task); !ops.empty()) return ops.front();
      if (draft_.poll_loops.count(task) > 0 || IsWait(graph.question[task].ask)) return {};
    }
    return {};
  }

  // Whether they come in an order that nobody gave: after one stream now this and now that one.
  bool GoesOnWithAny(const OfLoops& turns) const {
    constexpr std::size_t kFewest = 16, kOneOf = 20;
    if (turns.size() < kFewest) return false;
    std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> behind;
    const auto lane = [&](const PollTurn& turn) { return draft_.graph.lane[turn.next]; };
    for (auto it = turns.begin(), next = std::next(it); next != turns.end(); ++it, ++next) {
      ++behind[lane(it->second)][lane(next->second)];
    }
    std::size_t others = 0;
    for (const auto& [stream, counts] : behind) {
      std::size_t sum = 0, most = 0;
      for (const auto& [to, count] : counts) sum += count, most = std::max(most, count);
      others += sum - most;
    }
    return behind.size() > 1 && others * kOneOf >= turns.size();
  }

  const Draft& draft_;
  const PollEnds ends_;
};

}  // namespace

PollTurns FindPollTurns(const Draft& draft) { return TurnFinder(draft).Run(); }

}  // namespace xsp
