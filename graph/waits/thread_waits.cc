#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/draft.h"
#include "graph/waits/os_calls.h"

// Waits in calls of the operating system that another thread ends: what it does decides when they
// are over. A thread that gets faster waits longer for the others, and not at all for one that gets
// faster itself.
namespace xsp {
namespace {

// One wait that was ended: the task on the other thread behind which that happened.
struct Link {
  TaskId wait;
  TaskId from;
};

class ThreadLinks {
 public:
  explicit ThreadLinks(Draft& draft) : draft_(draft), graph_(draft.graph) {
    for (std::uint32_t i = 0; i < graph_.threads.size(); ++i) {
      thread_of_[graph_.threads[i].track] = i;
    }
  }

  void Run() {
    for (const Woken& woken : draft_.woken) Add(woken);
    for (auto& [pair, links] : links_) {
      std::sort(links.begin(), links.end(),
                [](const Link& a, const Link& b) { return a.wait < b.wait; });
    }
    std::map<std::uint32_t, Pool> pools;  // By whom they wait for.
    for (const auto& [pair, links] : links_) {
      if (!WorksForIt(pair, links)) continue;
      if (IsInMostSteps(links) || IsInEveryNthStep(links)) {
        BoundAhead({&links});
      } else {
        pools[pair.second].push_back(&links);
      }
    }
    for (const auto& [waker, pool] : pools) {
      if (pool.size() > 1 && IsInMostSteps(Merged(pool))) BoundAhead(pool);
    }
  }

 private:
  using Threads = std::pair<std::uint32_t, std::uint32_t>;  // Who waits, and for whom.
  // Threads that share the rounds of one work among them: what each of them waited for, in order.
  using Pool = std::vector<const std::vector<Link>*>;

  void Add(const Woken& woken) {
    const auto wait = draft_.task_of_os.find(woken.wait);
    const auto by = thread_of_.find(woken.by);
    if (wait == draft_.task_of_os.end() || by == thread_of_.end()) return;
    const TaskId task = wait->second;
    const TaskId from = LastBefore(by->second, woken.at, graph_.measured_end[task]);
    if (!from.valid()) return;
    const DurationNs lag = graph_.measured_end[task] - graph_.measured_end[from];
    graph_.handoffs.push_back({task, from, lag, Rule::kThreadWait});
    graph_.question[task] = {Ask::kThread, Rule::kThreadWait, false, 0, 0};
    graph_.own[task] = 0;
    graph_.flags[task] |= kWaited;
    links_[{graph_.lane[task], by->second}].push_back({task, from});
  }

  // The last task of a thread that began by a time and was over by another one.
  TaskId LastBefore(std::uint32_t thread, TimeNs begun, TimeNs over) const {
    const TaskRange tasks = graph_.threads[thread].tasks();
    TaskId task = LowerBound(graph_.measured_begin, tasks, begun + 1);
    while (task != tasks.first) {
      --task.value;
      if (graph_.measured_end[task] <= over) return task;
    }
    return {};
  }

  // Whether a thread that waits for another one works for it, round by round: neither gets far
  // ahead. One that only looks in now and then, or sleeps in between, has a pace of its own.
  bool WorksForIt(const Threads& threads, const std::vector<Link>& links) const {
    if (links.size() < 3) return false;
    // Loads of data know how long their producers take (loader.cc).
    const auto is_its = [&](const GraphProducer& p) { return p.thread == threads.second; };
    if (std::any_of(graph_.producers.begin(), graph_.producers.end(), is_its)) return false;
    return !Sleeps({links.front().wait, links.back().wait});
  }

  bool IsInMostSteps(const std::vector<Link>& links) const {
    return 2 * links.size() >= StepsIn(links);
  }

  // Whether rounds come as regularly as a checkpoint is written: some steps apart, always as many.
  bool IsInEveryNthStep(const std::vector<Link>& links) const {
    constexpr std::size_t kFewest = 6, kMostSteps = 64;
    if (links.size() < kFewest || StepsIn(links) > kMostSteps * links.size()) return false;
    std::map<std::size_t, std::size_t> apart;  // How often how many steps lay between two.
    for (std::size_t i = 0; i + 1 < links.size(); ++i) ++apart[StepsIn({links[i], links[i + 1]})];
    std::size_t most = 0;
    for (const auto& [steps, count] : apart) {
      if (steps > 1) most = std::max(most, count);
    }
    return 10 * most >= 9 * (links.size() - 1);
  }

  std::vector<Link> Merged(const Pool& pool) const {
    std::vector<Link> all;
    for (const std::vector<Link>* links : pool) all.insert(all.end(), links->begin(), links->end());
    std::sort(all.begin(), all.end(), [&](const Link& a, const Link& b) {
      return std::pair(graph_.measured_end[a.wait], a.wait) <
             std::pair(graph_.measured_end[b.wait], b.wait);
    });
    return all;
  }

  bool Sleeps(TaskRange tasks) const {
    for (TaskId task : tasks) {
      const EventId event = graph_.event[task];
      const bool is_sleep = graph_.kind[task] == TaskKind::kOsCall && event.valid() &&
                            OsCallOf(draft_.trace.name(event)) == OsCall::kSleep;
      if (is_sleep) return true;
    }
    return false;
  }

  std::size_t StepsIn(const std::vector<Link>& links) const {
    const TimeRange time = {graph_.measured_end[links.front().wait],
                            graph_.measured_end[links.back().wait]};
    std::size_t count = 0;
    for (const Step& step : draft_.hierarchy.steps().steps) {
      count += time.Contains(step.time.begin) ? 1 : 0;
    }
    return count;
  }

  // What is made in a round is needed by the waker at the latest when it ends the wait after next,
  // or as many times later as there are threads that make it: nothing tells how far one may be
  // ahead, and with room for two neither waits for long.
  void BoundAhead(const Pool& pool) {
    const std::size_t ahead = 2 * pool.size();
    const std::vector<Link> all = Merged(pool);
    std::unordered_map<TaskId, std::size_t> place;
    for (std::size_t i = 0; i < all.size(); ++i) place[all[i].wait] = i;
    for (const std::vector<Link>* links : pool) {
      for (std::size_t i = 0; i + 1 < links->size(); ++i) {
        const TaskId next = (*links)[i + 1].wait;
        const std::size_t needed = place.at((*links)[i].wait) + ahead;
        if (needed >= all.size()) break;
        const TaskId made = graph_.PreviousOf(next);  // In the round behind wait i.
        const TaskId needs = all[needed].from;
        if (!made.valid() || graph_.measured_begin[next] > graph_.measured_begin[needs]) continue;
        graph_.handoffs.push_back({needs, made, graph_.gap[next], Rule::kThreadWait});
      }
    }
  }

  Draft& draft_;
  TaskGraph& graph_;
  std::unordered_map<TrackId, std::uint32_t> thread_of_;
  std::map<Threads, std::vector<Link>> links_;
};

}  // namespace

void AskForThreads(Draft& draft) {
  if (!draft.woken.empty()) ThreadLinks(draft).Run();
}

}  // namespace xsp
