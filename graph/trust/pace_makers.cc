#include "graph/trust/pace_makers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <span>

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
  bool IsOne() const {
    const double enough =
        std::max(kFewestRounds, kShareOfSteps * static_cast<double>(steps_.size()));
    return count_ >= enough && std::hypot(x_, y_) >= kAtOnePlace * count_;
  }

 private:
  std::span<const Step> steps_;
  double x_ = 0, y_ = 0, count_ = 0;
};

}  // namespace

std::vector<TrackId> ThreadsInStep(const Trace& trace, const Steps& steps) {
  struct Rounds {
    Places places;
    TimeNs until;  // When the last call was over.
  };
  std::map<TrackId, Rounds> rounds;
  if (trace.OfKind(EventKind::kOsrt).empty()) {
    for (const WorkBeside& work : steps.beside) {
      if (work.thread.valid()) rounds.emplace(work.thread, Rounds{Places(steps), 0});
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
    if (of.places.IsOne()) found.push_back(thread);
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
