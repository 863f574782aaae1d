#include "report/graph/edges_report.h"

#include <map>

#include "graph/readings/replay.h"
#include "hierarchy/names/device_number.h"
#include "report/graph/task_words.h"
#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

const char* PointName(bool is_finish) { return is_finish ? "finish" : "begin"; }

std::string_view NameOf(TaskKind kind) {
  constexpr std::array<std::string_view, 8> kNames = {"call",   "before", "data_loading", "os_call",
                                                      "kernel", "memcpy", "memset",       "graph"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::uint32_t TrackOf(const TaskGraph& graph, TaskId task) {
  const std::uint32_t lane = graph.lane[task];
  return graph.IsHost(task) ? lane : static_cast<std::uint32_t>(graph.threads.size()) + lane;
}

Table NodesTable(const TaskGraph& graph, const Schedule& replay, const GraphExcerpt& excerpt) {
  constexpr Readers kScripts = Readers::kScripts;
  Table table("Nodes", {{"task", "task", ColumnKind::kId, kAlways},
                        {"kind", "kind"},
                        {"track", "track"},
                        {"begin", "begin_ns", ColumnKind::kDuration},
                        {"", "end_ns", ColumnKind::kDuration, 0, 0, kScripts},
                        {"measured", "ns", ColumnKind::kDuration},
                        {"own", "own_ns", ColumnKind::kDuration},
                        {"replayed begin", "simulated_begin_ns", ColumnKind::kDuration, 3},
                        {"", "simulated_end_ns", ColumnKind::kDuration, 0, 0, kScripts},
                        {"name", "", ColumnKind::kName, 5, 0, Readers::kPeople},
                        {"", "name", ColumnKind::kName, 0, 0, kScripts}});
  const TaskWords words(graph);
  for (TaskId task : excerpt.tasks) {
    table.AddRow({task.value, NameOf(graph.kind[task]), words.OfTrack(TrackOf(graph, task)),
                  graph.measured_begin[task], graph.measured_end[task], graph.measured(task),
                  graph.own[task], replay.begin[task].ns, replay.finish[task].ns, words.Name(task),
                  words.Described(task)});
  }
  return table;
}

Table EdgesTable(const GraphExcerpt& excerpt) {
  Table table("Edges", {{"from", "from", ColumnKind::kId, kAlways},
                        {"point", "from_point"},
                        {"to", "to", ColumnKind::kId, kAlways},
                        {"point", "to_point"},
                        {"type", "type"},
                        {"weight", "weight_ns", ColumnKind::kDuration},
                        {"", "", ColumnKind::kText, 5, 0, Readers::kPeople},
                        {"", "decides", ColumnKind::kText, 0, 0, Readers::kScripts}});
  for (std::size_t i = 0; i < excerpt.edges.size(); ++i) {
    const Edge& edge = excerpt.edges[i];
    const bool decides = excerpt.decides[i] != 0;
    table.AddRow({edge.from.value, PointName(edge.from_finish), edge.to.value,
                  PointName(edge.to_finish), NameOf(edge.rule), edge.lag, decides ? "*" : "",
                  decides});
  }
  table.AddNote(
      "* decided when that point came. A task's own time leads from its begin to its finish.");
  return table;
}

// A text between quotes in a dot file.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// Names of kernels may be long; a node shows this much.
constexpr std::size_t kLabelWidth = 48;

}  // namespace

GraphExcerpt ExcerptOf(const TaskGraph& graph, const Schedule& replay, const Answers& answers,
                       TimeRange part) {
  GraphExcerpt excerpt;
  PerTask<std::uint8_t> inside(graph.task_count());
  for (TaskId task : graph.tasks()) {
    if (!part.Contains(TraceBegin(graph, task)) || !replay.finish[task].known()) continue;
    inside[task] = 1;
    excerpt.tasks.push_back(task);
  }
  ForEachEdge(graph, answers, [&](const Edge& edge) {
    if (!inside[edge.from] || !inside[edge.to]) return;
    excerpt.edges.push_back(edge);
    excerpt.decides.push_back(edge.Binds(replay));
  });
  return excerpt;
}

Report MakeEdgesReport(const TaskGraph& graph, const Schedule& replay, const GraphExcerpt& excerpt,
                       const TraceSource& source, const Window& window) {
  Report report("graph", source, GpuWords(*graph.trace), window);
  report.Add("nodes", NodesTable(graph, replay, excerpt));
  report.fields["edge_list"] = report.AddBeside("edges", EdgesTable(excerpt));
  return report;
}

std::string GraphDot(const TaskGraph& graph, const GraphExcerpt& excerpt) {
  const TaskWords words(graph);
  std::map<std::uint32_t, std::vector<TaskId>> by_track;
  for (TaskId task : excerpt.tasks) by_track[TrackOf(graph, task)].push_back(task);
  std::string dot = "digraph xsp {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n";
  for (const auto& [track, tasks] : by_track) {
    dot += "  subgraph cluster_" + std::to_string(track) +
           " {\n    label=" + Quoted(words.OfTrack(track)) + ";\n";
    for (TaskId task : tasks) {
      const std::string name = CutMiddle(SafeText(words.Name(task)), kLabelWidth);
      const std::string label =
          std::to_string(task.value) + " " + name + " " + FormatDuration(graph.own[task]);
      dot += "    t" + std::to_string(task.value) + " [label=" + Quoted(label) + "];\n";
    }
    dot += "  }\n";
  }
  for (std::size_t i = 0; i < excerpt.edges.size(); ++i) {
    const Edge& edge = excerpt.edges[i];
    const std::string label = std::string(NameOf(edge.rule)) + " " + FormatDuration(edge.lag);
    dot += "  t" + std::to_string(edge.from.value) + " -> t" + std::to_string(edge.to.value) +
           " [label=" + Quoted(label) + (excerpt.decides[i] ? ", style=bold" : ", style=dashed") +
           "];\n";
  }
  return dot + "}\n";
}

}  // namespace xsp
