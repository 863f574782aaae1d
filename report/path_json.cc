#include "report/path_json.h"

#include "report/unit_json.h"

namespace xsp {
namespace {

Json PartsJson(const std::vector<PathPart>& parts, std::optional<DurationNs> error) {
  Json rows = Json::array();
  for (const PathPart& part : parts) {
    rows.push_back({{"kind", NameOf(part.kind)},
                    {"name", JsonText(part.name)},
                    {"ns", part.ns},
                    {"pieces", part.pieces}});
  }
  if (error) {
    rows.push_back({{"kind", "[replay error]"}, {"name", ""}, {"ns", *error}, {"pieces", nullptr}});
  }
  return rows;
}

Json PlacesJson(const std::vector<PathPlace>& places, DurationNs error) {
  Json rows = Json::array();
  for (const PathPlace& place : places) {
    rows.push_back({{"name", JsonText(place.name)},
                    {"ns", place.ns},
                    {"device_ns", place.device},
                    {"host_ns", place.host}});
  }
  rows.push_back(
      {{"name", "[replay error]"}, {"ns", error}, {"device_ns", nullptr}, {"host_ns", nullptr}});
  return rows;
}

Json TaskOrNull(TaskId task) { return task.valid() ? Json(task.value) : Json(nullptr); }

Json RunsJson(const std::vector<PathRun>& runs) {
  Json rows = Json::array();
  for (const PathRun& run : runs) {
    rows.push_back({{"side", run.on_device ? "device" : "host"},
                    {"begin_ns", run.begin.ns},
                    {"ns", run.end - run.begin},
                    {"pieces", run.pieces},
                    {"mostly", JsonText(run.mostly)},
                    {"range", run.range.empty() ? Json(nullptr) : JsonText(run.range)},
                    {"longest_task", TaskOrNull(run.longest)}});
  }
  return rows;
}

Json SegmentsJson(const TaskGraph& graph, const TaskPlaces& places, const CriticalPath& path) {
  Json rows = Json::array();
  for (const PathSegment& segment : path.segments) {
    rows.push_back({{"kind", NameOf(segment.kind)},
                    {"name", JsonText(NameOfSegment(graph, places, segment))},
                    {"task", TaskOrNull(segment.task)},
                    {"begin_ns", segment.begin.ns},
                    {"ns", segment.end - segment.begin}});
  }
  return rows;
}

// Of the tasks that lie in the unit.
Json SlackJson(const TaskGraph& graph, const PathAnalysis& analysis) {
  Json rows = Json::array();
  for (TaskId task : graph.tasks()) {
    if (!analysis.unit.time.Contains(TraceBegin(graph, task))) continue;
    const DurationNs slack = analysis.slack[task];
    rows.push_back(
        {{"task", task.value}, {"slack_ns", slack < kEndlessSlack ? Json(slack) : Json(nullptr)}});
  }
  return rows;
}

Json NextJson(const std::optional<NextPath>& next) {
  if (!next) return nullptr;
  return {
      {"without", {{"kind", NameOf(next->without.kind)}, {"name", JsonText(next->without.name)}}},
      {"total_ns", next->total},
      {"breakdown", PartsJson(next->parts, std::nullopt)}};
}

}  // namespace

Json PathJson(const TaskGraph& graph, const TaskPlaces& places, const PathAnalysis& analysis) {
  const Overlap& overlap = analysis.overlap;
  Json fields = Json::object();
  AddUnitFields(analysis.unit, fields);
  fields["measured_ns"] = analysis.unit.measured;
  fields["total_ns"] = analysis.total;
  fields["breakdown"] = PartsJson(analysis.parts, analysis.error);
  fields["by_layer"] = PlacesJson(analysis.layers, analysis.error);
  fields["by_range"] = PlacesJson(analysis.ranges, analysis.error);
  fields["overlap"] = {{"both_ns", overlap.both},
                       {"host_only_ns", overlap.host_only},
                       {"device_only_ns", overlap.device_only}};
  fields["runs_of_step"] = analysis.unit.is_step ? Json(analysis.example + 1) : Json(nullptr);
  fields["runs"] = RunsJson(analysis.runs);
  fields["path"] = SegmentsJson(graph, places, analysis.path);
  fields["next"] = NextJson(analysis.next);
  fields["slack"] = SlackJson(graph, analysis);
  return fields;
}

}  // namespace xsp
