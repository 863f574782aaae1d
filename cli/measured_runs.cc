#include "cli/measured_runs.h"

#include <algorithm>
#include <deque>
#include <future>

#include "cli/chosen_steps.h"
#include "cli/console.h"
#include "cli/open_trace.h"
#include "cli/window.h"
#include "diff/comparable.h"
#include "diff/measure.h"
#include "graph/builder.h"
#include "hierarchy/hierarchy.h"

namespace xsp {
namespace {

// Both sides of the usual comparison; more would only cost memory.
constexpr std::size_t kAtOnce = 2;

MeasuredRun Measure(OpenedTrace opened, const MeasureSettings& settings, bool as_span) {
  // What the window leaves out is gone: totals and critical path speak of the same part.
  const Trace trace = ApplyWindow(std::move(opened.trace), settings.window, {}).trace;
  const Hierarchy hierarchy(trace, *settings.rules);
  const TaskGraph graph = BuildGraph(trace, hierarchy);
  MeasureOptions options;
  options.as_span = as_span || settings.steps.steps == "all";
  if (!settings.steps.Empty()) options.steps = ChosenSteps(hierarchy.steps(), settings.steps);
  return {MeasureRun(graph, hierarchy, opened.source.path, options), opened.source};
}

std::vector<MeasuredRun> MeasureAll(const std::vector<std::string>& paths,
                                    const MeasureSettings& settings, Progress* progress,
                                    bool as_span) {
  std::vector<MeasuredRun> runs;
  std::deque<std::future<MeasuredRun>> under_way;
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

std::vector<MeasuredRun> MeasureTraces(const std::vector<std::string>& paths,
                                       const MeasureSettings& settings, Progress* progress) {
  std::vector<MeasuredRun> runs = MeasureAll(paths, settings, progress, false);
  std::vector<const Run*> all;
  for (const MeasuredRun& run : runs) all.push_back(&run.run);
  if (SameUnit(all)) return runs;
  return MeasureAll(paths, settings, progress, true);
}

}  // namespace xsp
