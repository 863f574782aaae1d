#include "report/edges_report.h"

#include <map>

#include "graph/replay.h"
#include "report/devices.h"
#include "report/task_words.h"
#include "report/text.h"
#include "report/units.h"

namespace xsp {
namespace {

bool Decides(const Schedule& replay, const Edge& edge) {
  const auto& by = edge.to_finish ? replay.finish_by : replay.begin_by;
  return by[edge.to] == Binding{edge.from, edge.rule};
}

const char* PointName(bool is_finish) { return is_finish ? "finish" : "begin"; }

std::string_view NameOf(TaskKind kind) {
  constexpr std::array<std::string_view, 7> kNames = {"call",   "before", "data_loading", "kernel",
                                                      "memcpy", "memset", "graph"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::uint32_t TrackOf(const TaskGraph& graph, TaskId task) {
  const std::uint32_t lane = graph.lane[task];
  return graph.IsHost(task) ? lane : static_cast<std::uint32_t>(graph.threads.size()) + lane;
}

void FillNodes(const TaskGraph& graph, const Schedule& replay, const GraphExcerpt& excerpt,
               const TaskWords& words, Table& table, Json& json) {
  for (TaskId task : excerpt.tasks) {
    const std::string track = words.OfTrack(TrackOf(graph, task));
    table.AddRow({task.value, NameOf(graph.kind[task]), track, graph.measured_begin[task],
                  graph.measured(task), graph.own[task], replay.begin[task].ns, words.Name(task)});
    json.push_back({{"task", task.value},
                    {"kind", NameOf(graph.kind[task])},
                    {"name", JsonText(words.Described(task))},
                    {"track", track},
                    {"begin_ns", graph.measured_begin[task]},
                    {"end_ns", graph.measured_end[task]},
                    {"own_ns", graph.own[task]},
                    {"simulated_begin_ns", replay.begin[task].ns},
                    {"simulated_end_ns", replay.finish[task].ns}});
  }
}

void FillEdges(const GraphExcerpt& excerpt, Table& table, Json& json) {
  for (std::size_t i = 0; i < excerpt.edges.size(); ++i) {
    const Edge& edge = excerpt.edges[i];
    const bool decides = excerpt.decides[i] != 0;
    table.AddRow({edge.from.value, PointName(edge.from_finish), edge.to.value,
                  PointName(edge.to_finish), NameOf(edge.rule), edge.lag, decides ? "*" : ""});
    json.push_back({{"from", edge.from.value},
                    {"from_point", PointName(edge.from_finish)},
                    {"to", edge.to.value},
                    {"to_point", PointName(edge.to_finish)},
                    {"type", NameOf(edge.rule)},
                    {"weight_ns", edge.lag},
                    {"decides", decides}});
  }
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
  for (const Edge& edge : ListEdges(graph, answers)) {
    if (!inside[edge.from] || !inside[edge.to]) continue;
    excerpt.edges.push_back(edge);
    excerpt.decides.push_back(Decides(replay, edge));
  }
  return excerpt;
}

Report MakeEdgesReport(const TaskGraph& graph, const Schedule& replay, const GraphExcerpt& excerpt,
                       const TraceSource& source, const Window& window) {
  Report report;
  report.command = "graph";
  report.traces = {source};
  report.about = {GpuWords(*graph.trace)};
  report.window = window;
  Table nodes("Nodes", {{"task", "task", ColumnKind::kId, kAlways},
                        {"kind", "kind"},
                        {"track", "track"},
                        {"begin", "begin_ns", ColumnKind::kDuration},
                        {"measured", "ns", ColumnKind::kDuration},
                        {"own", "own_ns", ColumnKind::kDuration},
                        {"replayed begin", "simulated_begin_ns", ColumnKind::kDuration, 3},
                        {"name", "name", ColumnKind::kName}});
  Table edges("Edges", {{"from", "from", ColumnKind::kId, kAlways},
                        {"point", "from_point"},
                        {"to", "to", ColumnKind::kId, kAlways},
                        {"point", "to_point"},
                        {"type", "type"},
                        {"weight", "weight_ns", ColumnKind::kDuration},
                        {"", "decides"}});
  edges.AddNote(
      "* decided when that point came. A task's own time leads from its begin to its finish.");
  Json node_list = Json::array();
  Json edge_list = Json::array();
  FillNodes(graph, replay, excerpt, TaskWords(graph), nodes, node_list);
  FillEdges(excerpt, edges, edge_list);
  report.sections.emplace_back(std::move(nodes));
  report.sections.emplace_back(std::move(edges));
  report.fields["nodes"] = std::move(node_list);
  report.fields["edge_list"] = std::move(edge_list);
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
