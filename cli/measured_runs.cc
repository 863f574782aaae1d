#include "cli/measured_runs.h"

#include <algorithm>
#include <future>
#include <optional>

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
  std::optional<std::future<MeasuredRun>> before;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    OpenedTrace opened = OpenTrace(paths[i], progress, Notes(settings.quiet));
    if (before) runs.push_back(before->get());
    before = std::async(std::launch::async, [&, opened = std::move(opened)]() mutable {
      return Measure(std::move(opened), settings, as_span);
    });
  }
  if (before) runs.push_back(before->get());
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
