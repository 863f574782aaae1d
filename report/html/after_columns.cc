#include "report/html/after_columns.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "graph/unit/unit.h"
#include "report/graph/task_words.h"

namespace xsp {
namespace {

// The span that is shown: that of one step of the run.
SimSpan SpanOf(const Workbench::Simulated& simulated, const Steps& steps, const Unit& unit,
               std::uint32_t step) {
  const std::vector<SimSpan> spans = SpansOf(simulated.graph, simulated.schedule, steps, unit);
  if (spans.empty()) return {};
  const std::size_t at = unit.is_step && step >= unit.first_step ? step - unit.first_step : 0;
  return spans[std::min(at, spans.size() - 1)];
}

int ClassOf(const TaskGraph& graph, TaskId task) {
  if (graph.IsHost(task)) return -1;
  const EventId event = graph.event[task];
  if (!event.valid()) return static_cast<int>(KernelClass::kOther);
  return static_cast<int>(graph.hierarchy->kinds().Of(*graph.trace, event).kernel_class);
}

}  // namespace

Json SimulatedColumns(const Workbench::Simulated& simulated, const Steps& steps, const Unit& unit,
                      std::uint32_t step, std::size_t most_rows, PackedTexts& texts) {
  const TaskGraph& graph = simulated.graph;
  const Schedule& schedule = simulated.schedule;
  const SimSpan span = SpanOf(simulated, steps, unit, step);
  const auto threads = static_cast<std::uint32_t>(graph.threads.size());
  std::vector<std::pair<std::uint32_t, TaskId>> bars;  // (track, task)
  for (TaskId task : graph.tasks()) {
    if (span.empty() || !schedule.begin[task].known() || !schedule.finish[task].known()) continue;
    if (schedule.finish[task] < span.begin || span.end < schedule.begin[task]) continue;
    if (graph.kind[task] == TaskKind::kBefore) continue;
    bars.emplace_back(graph.lane[task] + (graph.IsHost(task) ? 0 : threads), task);
  }
  const std::size_t in_all = bars.size();
  std::sort(bars.begin(), bars.end(), [&](const auto& a, const auto& b) {
    return std::tuple(schedule.begin[a.second], a) < std::tuple(schedule.begin[b.second], b);
  });
  if (bars.size() > most_rows) bars.resize(most_rows);
  std::stable_sort(bars.begin(), bars.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });

  const TaskWords words(graph);
  std::map<std::uint32_t, std::uint32_t> places;
  Json tracks = Json::array();
  PackedColumn track, begin(PackedColumn::Kind::kSteps), length, name, kernel_class, is_new;
  for (const auto& [lane, task] : bars) {
    const auto [place, is_first] = places.emplace(lane, static_cast<std::uint32_t>(places.size()));
    if (is_first) {
      tracks.push_back({{"name", JsonText(CutText(words.OfTrack(lane)))},
                        {"device", nullptr},
                        {"on_device", lane >= threads}});
    }
    track.Add(place->second);
    begin.Add(schedule.begin[task] - span.begin);
    length.Add(schedule.finish[task] - schedule.begin[task]);
    name.Add(texts.Of(words.Name(task)));
    kernel_class.Add(ClassOf(graph, task));
    is_new.Add(graph.IsNew(task) ? 1 : 0);
  }
  return {{"tracks", std::move(tracks)},    {"rows", bars.size()},
          {"rows_in_all", in_all},          {"length_ns", span.Length()},
          {"track", track.ToJson()},        {"begin", begin.ToJson()},
          {"length", length.ToJson()},      {"name", name.ToJson()},
          {"class", kernel_class.ToJson()}, {"new", is_new.ToJson()}};
}

}  // namespace xsp
