#include "graph/trust/pace_makers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <span>

#include "graph/unit/beside.h"

namespace xsp {
namespace {

// Shorter silences are work between two calls.
constexpr DurationNs kPause = 50'000;
constexpr double kFewestRounds = 8;
// One round in so many of the steps, at least.
constexpr double kShareOfSteps = 0.75;
// How closely rounds begin at one place of a step: 1 is always the same, 0 anywhere. By chance 40
// rounds come to 0.16.
constexpr double kAtOnePlace = 0.9;

// The mean of points on a circle, one for each place within a step.
class Places {
 public:
  explicit Places(const Steps& steps) : steps_(steps.steps) {}

  void Add(TimeNs time) {
    const auto step = std::partition_point(steps_.begin(), steps_.end(),
                                           [&](const Step& s) { return s.time.end <= time; });
    if (step == steps_.end() || !step->time.Contains(time)) return;
    const double place =
        static_cast<double>(time - step->time.begin) / static_cast<double>(step->time.Length());
    x_ += std::cos(2 * std::numbers::pi * place);
    y_ += std::sin(2 * std::numbers::pi * place);
    ++count_;
  }
  // Whether there are rounds in most steps, wherever.
  bool AreMany() const { return 2 * count_ >= static_cast<double>(steps_.size()); }
  bool IsOne() const {
    const double enough =
        std::max(kFewestRounds, kShareOfSteps * static_cast<double>(steps_.size()));
    return count_ >= enough && std::hypot(x_, y_) >= kAtOnePlace * count_;
  }

 private:
  std::span<const Step> steps_;
  double x_ = 0, y_ = 0, count_ = 0;
};

// Threads of one process that each launch kernels of its steps, and of which no row tells how they
// go together, as the stages of a pipeline do.
std::vector<TrackId> StagesOf(const TaskGraph& graph, const Steps& steps) {
  std::vector<std::uint8_t> launches(graph.threads.size());
  std::vector<std::size_t> handoffs(graph.threads.size());
  for (TaskId op : graph.ops()) {
    if (graph.kind[op] == TaskKind::kKernel) launches[graph.lane[graph.CallOf(op)]] = 1;
  }
  for (const Handoff& handoff : graph.handoffs) {
    ++handoffs[graph.lane[handoff.task]], ++handoffs[graph.lane[handoff.from]];
  }
  std::map<ProcessId, std::vector<TrackId>> by_process;
  for (std::size_t i = 0; i < graph.threads.size(); ++i) {
    const GraphThread& thread = graph.threads[i];
    const bool counts = launches[i] != 0 && 2 * handoffs[i] < steps.size() &&
                        thread.track.valid() && !IsBeside(steps, thread);
    if (counts) by_process[thread.process].push_back(thread.track);
  }
  std::vector<TrackId> stages;
  for (const auto& [process, threads] : by_process) {
    if (process.value >= steps.of_process.size() || steps.of_process[process.value].empty())
      continue;
    if (threads.size() > 1) stages.insert(stages.end(), threads.begin(), threads.end());
  }
  return stages;
}

}  // namespace

std::vector<TrackId> ThreadsInStep(const TaskGraph& graph, const Steps& steps) {
  struct Rounds {
    Places places;
    TimeNs until = 0;  // When the last call was over.
    bool is_stage = false;
  };
  const Trace& trace = *graph.trace;
  std::map<TrackId, Rounds> rounds;
  if (trace.OfKind(EventKind::kOsrt).empty()) {
    for (const WorkBeside& work : steps.beside) {
      if (work.thread.valid()) rounds.emplace(work.thread, Rounds{Places(steps)});
    }
    for (TrackId stage : StagesOf(graph, steps)) {
      rounds.emplace(stage, Rounds{Places(steps), 0, true});
    }
  }
  std::vector<TrackId> found;
  if (rounds.empty()) return found;
  for (EventId call : trace.OfKind(EventKind::kApi)) {
    const auto of = rounds.find(trace.track_of(call));
    if (of == rounds.end()) continue;
    Rounds& thread = of->second;
    const TimeNs begin = trace.begin(call);
    if (begin - thread.until >= kPause) thread.places.Add(begin);
    thread.until = std::max(thread.until, trace.end(call));
  }
  for (const auto& [thread, of] : rounds) {
    if (of.is_stage ? of.places.AreMany() : of.places.IsOne()) found.push_back(thread);
  }
  return found;
}

double PaceOfThreads(const TaskGraph& graph, const Schedule& schedule,
                     const PerTask<std::uint8_t>& in_unit, const std::vector<TrackId>& threads) {
  double slowest = 1;
  bool any = false;
  for (const GraphThread& thread : graph.threads) {
    if (std::find(threads.begin(), threads.end(), thread.track) == threads.end()) continue;
    TaskId first, last;
    for (TaskId task : thread.tasks()) {
      if (in_unit[task] == 0 || graph.IsNew(task) || !schedule.begin[task].known()) continue;
      if (!first.valid()) first = task;
      last = task;
    }
    if (!first.valid() || first == last) continue;
    const auto measured =
        static_cast<double>(graph.measured_begin[last] - graph.measured_begin[first]);
    const auto simulated = static_cast<double>(schedule.begin[last] - schedule.begin[first]);
    if (measured <= 0) continue;
    slowest = any ? std::max(slowest, simulated / measured) : simulated / measured;
    any = true;
  }
  return slowest;
}

}  // namespace xsp
