#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "report/forecasts/leverage_report.h"
#include "report/graph/edges_report.h"
#include "report/graph/graph_report.h"
#include "report/graph/idle_report.h"
#include "report/graph/path_report.h"
#include "report/timelines/chrome_timeline.h"
#include "sim/edit/edit.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

constexpr std::string_view kTimeline = R"(
    T1 0-200000        push work
    T1 0-5000          api cudaLaunchKernel #1
    S7 6000-50000      kernel ampere_sgemm_128x64_tn #1
    T1 6000-54000      api cudaDeviceSynchronize #2
    T1 6000-54000      sync context #2
    T1 105000-110000   api cudaMemcpyAsync #3
    S7 111000-120000   memcpy HtoD #3 bytes=64 src=pinned dst=device
    T1 125000-130000   api cudaLaunchKernel #4
    S7 131000-150000   kernel relu #4)";

// The JSON of a report, read again.
Json Written(const Report& report) {
  return Json::parse(WriteReport(report, OutputFormat::kJson, {}));
}

void CheckFields(const Json& json, const std::vector<std::string>& fields) {
  for (const std::string& field : fields) {
    CAPTURE(field);
    CHECK(json.contains(field));
  }
}

DurationNs SumOf(const Json& rows) {
  DurationNs sum = 0;
  for (const Json& row : rows) sum += row["ns"].get<DurationNs>();
  return sum;
}

struct Case {
  Case()
      : trace(test::MakeTrace(kTimeline)),
        hierarchy(trace),
        graph(BuildGraph(trace, hierarchy)),
        places(graph) {}
  Trace trace;
  Hierarchy hierarchy;
  TaskGraph graph;
  TaskPlaces places;
};

TEST_CASE("graph writes the fields that are promised") {
  const Case c;
  const Json json = Written(MakeGraphReport(c.graph, Assess(c.graph, {}), {}, {}, 10));
  CheckFields(json, {"schema_version", "command", "window", "trace", "tasks", "edges", "constants",
                     "replay", "halved", "long_calls", "idle", "violations"});
  CHECK(json["tasks"] == 7);
  CHECK(json["edges"]["submit"] == 3);
  CheckFields(json["constants"]["submit.kernel"], {"value_ns", "n", "p10_ns", "p90_ns", "default"});
  CheckFields(json["replay"], {"measured_ns", "simulated_ns", "error", "whole_span_error", "steps",
                               "kernel_start_mae_ns"});
  CheckFields(json["replay"]["steps"], {"n", "mean_abs_error", "max_abs_error"});
  CHECK(json["replay"]["steps"]["mean_abs_error"].is_null());  // There are no steps.
  CheckFields(json["halved"], {"gpu_span_share", "frozen"});
  CheckFields(json["long_calls"], {"total_ns", "explained_ns"});
  CheckFields(json["idle"], {"total_ns", "explained_ns"});
}

TEST_CASE("critical-path writes the fields that are promised and its parts add up") {
  const Case c;
  const PathAnalysis analysis = AnalyzePath(c.graph, c.places, {}, SpanUnit(c.graph));
  const Json json = Written(MakePathReport(c.graph, c.places, analysis, {}, {}, {}, 10));
  CheckFields(json, {"unit", "measured_ns", "total_ns", "breakdown", "overlap", "path", "by_layer",
                     "by_range", "runs", "next", "slack"});
  CHECK(json["unit"] == "span");
  CHECK(json["measured_ns"] == 144000);
  CHECK(SumOf(json["breakdown"]) == 144000);
  CHECK(SumOf(json["by_layer"]) == 144000);
  CHECK(SumOf(json["by_range"]) == 144000);
  CHECK(SumOf(json["path"]) == json["total_ns"]);
  CHECK(json["breakdown"].back()["kind"] == "[replay error]");
  const Json& overlap = json["overlap"];
  CHECK(overlap["both_ns"].get<DurationNs>() + overlap["host_only_ns"].get<DurationNs>() +
            overlap["device_only_ns"].get<DurationNs>() ==
        144000);
}

TEST_CASE("idle writes causes that sum to each device's idle time") {
  const Case c;
  const OpenRanges ranges(c.hierarchy);
  const IdleAnalysis analysis = AnalyzeIdle(c.graph, ranges, {}, SpanUnit(c.graph));
  const Json json = Written(MakeIdleReport(c.graph, analysis, ranges, {}, {}, {}));
  REQUIRE(json["devices"].size() == 1);
  const Json& device = json["devices"][0];
  CheckFields(device, {"device", "idle_ns", "causes"});
  CHECK(device["idle_ns"] == 61000 + 11000);
  CHECK(SumOf(device["causes"]) == device["idle_ns"]);
  REQUIRE(json["gaps"].size() == 2);
  CHECK(json["gaps"][0]["cause"] == "host_gap");
  CHECK(json["gaps"][0]["range"] == "work");
  CHECK(json["host"]["activities"][0]["name"] == "work");
}

TEST_CASE("leverage writes the fields that are promised") {
  const Case c;
  const std::vector<TaskGroup> groups = LeverageGroups(c.graph, 10);
  const LeverageReport leverage = MeasureLeverage(c.graph, {}, SpanUnit(c.graph), groups, 1);
  const Json json = Written(MakeLeverageReport(c.graph, groups, leverage, {}, {}, 10));
  REQUIRE_FALSE(json["items"].empty());
  for (const Json& item : json["items"]) {
    CheckFields(item, {"level", "name", "device_ns", "gain_10_ns", "gain_50_ns", "gain_free_ns"});
    CHECK(item["gain_50_ns"] <= item["gain_free_ns"]);
  }
  CHECK(json["items"][0]["level"] == "host_range");
}

TEST_CASE("nodes and edges of the graph have a type and a weight") {
  const Case c;
  Answers answers;
  const Schedule replay = Simulate(c.graph, {}, &answers);
  const GraphExcerpt excerpt = ExcerptOf(c.graph, replay, answers, kAllTime);
  const Json json = Written(MakeEdgesReport(c.graph, replay, excerpt, {}, {}));
  CHECK(json["nodes"].size() == c.graph.task_count());
  bool has_submit = false;
  for (const Json& edge : json["edge_list"]) {
    CheckFields(edge, {"from", "to", "type", "weight_ns", "decides"});
    CHECK(edge["from"].get<std::uint32_t>() < c.graph.task_count());
    has_submit |= edge["type"] == "submit" && edge["from"] == 0 && edge["decides"] == true;
  }
  CHECK(has_submit);
  const GraphExcerpt part = ExcerptOf(c.graph, replay, answers, {0, 60000});
  CHECK(part.tasks.size() == 3);
  for (const Edge& edge : part.edges) CHECK(edge.from.value != edge.to.value);
  CHECK(GraphDot(c.graph, part).find("style=bold") != std::string::npos);
}

TEST_CASE("a timeline holds what was measured beside what was simulated and marks the path") {
  const Case c;
  const PathAnalysis analysis = AnalyzePath(c.graph, c.places, {}, SpanUnit(c.graph));
  const Json json = Json::parse(ChromeTimeline(c.graph, analysis.replay, kAllTime, &analysis.path));
  std::map<int, int> spans;
  int critical = 0;
  for (const Json& event : json["traceEvents"]) {
    if (event["ph"] != "X") continue;
    ++spans[event["pid"].get<int>()];
    critical += event["cat"] == "critical" && event["pid"] == 3;
    CHECK(event["dur"].get<double>() >= 0);
  }
  CHECK(spans[1] == static_cast<int>(analysis.path.segments.size()));
  CHECK(spans[2] == static_cast<int>(c.graph.task_count()));
  CHECK(spans[3] == static_cast<int>(c.graph.task_count()));
  CHECK(critical > 0);
}

// The spans of a group of a timeline, as "track: name begin dur", in the order of the file.
std::vector<std::string> SpansOf(const Json& timeline, int group) {
  std::map<int, std::string> tracks;
  for (const Json& event : timeline["traceEvents"]) {
    if (event["name"] != "thread_name" || event["pid"] != group) continue;
    tracks[event["tid"]] = event["args"]["name"];
  }
  std::vector<std::string> spans;
  for (const Json& event : timeline["traceEvents"]) {
    if (event["ph"] != "X" || event["pid"] != group) continue;
    spans.push_back(tracks[event["tid"]] + ": " + event["name"].get<std::string>() + " " +
                    event["ts"].dump() + " " + event["dur"].dump());
  }
  return spans;
}

TEST_CASE("a timeline of an edited graph has what was put in, removed and moved") {
  const Case c;
  GraphEdit edit(c.graph);
  const TaskId first = c.graph.first_op[TaskId(0)];
  const TaskId last(c.graph.task_count() - 1);
  const std::uint32_t stream = c.graph.lane[first];
  const TaskId call = edit.InsertAfter(TaskId(0), {"cudaLaunchKernel", 1000, 0, {}});
  edit.Issue(call, {"cast", 5000, stream});
  edit.MoveToStream(last, edit.AddStream(stream, "side"));
  edit.RemoveWork(first);
  const EditedGraph edited = edit.Build();
  const Json json =
      Json::parse(ChromeTimeline(edited.graph(), edited.Simulate(), kAllTime, nullptr, &c.graph));
  const std::vector<std::string> measured = SpansOf(json, 2);
  const std::vector<std::string> simulated = SpansOf(json, 3);
  CHECK(measured.size() == c.graph.task_count());
  CHECK(simulated.size() == c.graph.task_count() + 1);  // Two put in, one removed.
  const auto count = [](const std::vector<std::string>& spans, const std::string& part) {
    return std::count_if(spans.begin(), spans.end(), [&](const std::string& span) {
      return span.find(part) != std::string::npos;
    });
  };
  CHECK(count(measured, "cast") == 0);
  CHECK(count(simulated, ": cast ") == 1);
  CHECK(count(simulated, "stream side: ") == 1);
  CHECK(count(measured, "stream side: ") == 0);
  CHECK(count(measured, "ampere_sgemm_128x64_tn") == 1);
  CHECK(count(simulated, "ampere_sgemm_128x64_tn") == 0);
  const auto is_put_in = [](const Json& event) {
    return event["ph"] == "X" && event["args"].contains("put_in");
  };
  CHECK(std::count_if(json["traceEvents"].begin(), json["traceEvents"].end(), is_put_in) == 2);
}

}  // namespace
}  // namespace xsp
