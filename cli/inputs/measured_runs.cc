#include "cli/inputs/measured_runs.h"

#include <algorithm>
#include <deque>
#include <future>
#include <utility>

#include "cli/inputs/open_trace.h"
#include "cli/terminal/console.h"
#include "diff/comparable.h"
#include "diff/runs/measure.h"
#include "graph/builder.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/selection/chosen_steps.h"

namespace xsp {
namespace {

// Both sides of the usual comparison; more would only cost memory.
constexpr std::size_t kAtOnce = 2;

ComparedRun Measure(OpenedTrace opened, const MeasureSettings& settings, bool as_span) {
  // What the window leaves out is gone: totals and critical path speak of the same part.
  Selection filters = settings.selection;
  const StepChoice steps = std::exchange(filters.steps, {});
  const Trace trace = TakePart(std::move(opened.trace), filters).trace;
  const Hierarchy hierarchy(trace, *settings.rules);
  const TaskGraph graph = BuildGraph(trace, hierarchy);
  MeasureOptions options;
  options.as_span = as_span || steps.says_all;
  if (!steps.Empty()) options.steps = ChosenSteps(hierarchy.steps(), steps);
  return {MeasureRun(graph, hierarchy, opened.source.path, options), opened.source};
}

std::vector<ComparedRun> MeasureAll(const std::vector<std::string>& paths,
                                    const MeasureSettings& settings, Progress* progress,
                                    bool as_span) {
  std::vector<ComparedRun> runs;
  std::deque<std::future<ComparedRun>> under_way;
  auto take_oldest = [&] {
    runs.push_back(under_way.front().get());
    under_way.pop_front();
  };
  for (const std::string& path : paths) {
    OpenedTrace opened = OpenTrace(path, progress, Notes(settings.quiet));
    if (under_way.size() == kAtOnce) take_oldest();
    under_way.push_back(std::async(std::launch::async, [&, opened = std::move(opened)]() mutable {
      return Measure(std::move(opened), settings, as_span);
    }));
  }
  while (!under_way.empty()) take_oldest();
  return runs;
}

}  // namespace

std::vector<ComparedRun> MeasureTraces(const std::vector<std::string>& paths,
                                       const MeasureSettings& settings, Progress* progress) {
  std::vector<ComparedRun> runs = MeasureAll(paths, settings, progress, false);
  std::vector<const Run*> all;
  for (const ComparedRun& run : runs) all.push_back(&run.run);
  if (SameUnit(all)) return runs;
  return MeasureAll(paths, settings, progress, true);
}

}  // namespace xsp
