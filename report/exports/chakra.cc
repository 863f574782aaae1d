#include "report/exports/chakra.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/ascii.h"
#include "base/protobuf.h"
#include "graph/task_names.h"
#include "hierarchy/hierarchy.h"
#include "hierarchy/names/communicators.h"
#include "report/tables/json.h"

namespace xsp {
namespace {

namespace node {
enum Type : std::uint64_t { kLoad = 2, kStore = 3, kCompute = 4, kCollective = 7 };
enum : std::uint32_t {
  kId = 1,
  kName = 2,
  kType = 3,
  kControlDeps = 4,
  kDataDeps = 5,
  kStart = 6,
  kDuration = 7,
  kAttribute = 10,
};
enum : std::uint32_t { kInt64 = 9, kUint64 = 13, kBool = 27, kString = 29 };  // Of attributes.
}  // namespace node

// The format's numbers of collectives, by words that kernels' names have. The first that fits.
struct CollectiveWord {
  std::string_view word;
  std::int64_t type;
};
constexpr std::array<CollectiveWord, 9> kCollectiveWords = {{{"reducescatter", 7},
                                                             {"reduce_scatter", 7},
                                                             {"allreduce", 0},
                                                             {"all_reduce", 0},
                                                             {"allgather", 2},
                                                             {"all_gather", 2},
                                                             {"alltoall", 6},
                                                             {"broadcast", 5},
                                                             {"reduce", 1}}};

std::int64_t CollectiveType(std::string_view kernel) {
  const std::string name = LowerCase(kernel);
  for (const CollectiveWord& row : kCollectiveWords) {
    if (name.find(row.word) != name.npos) return row.type;
  }
  return 0;
}

// What is known of the collective that a kernel does: of the kernel, or of the range around its
// launch. None: nothing was recorded.
class CollectiveRows {
 public:
  explicit CollectiveRows(const Hierarchy& hierarchy) : h_(hierarchy) {
    const Collectives& rows = h_.trace().collectives();
    for (std::uint32_t row = 0; row < rows.event.size(); ++row) rows_[rows.event[row]] = row;
  }

  std::uint32_t Of(EventId kernel) const {
    if (const auto at = rows_.find(kernel); at != rows_.end()) return at->second;
    constexpr int kMostRanges = 16;  // Between a launch and the range of its collective.
    NodeId node = h_.NodeOfWork(kernel);
    for (int i = 0; i < kMostRanges && node.valid(); ++i) {
      const auto at = rows_.find(h_.nodes().event[node.value]);
      if (at != rows_.end()) return at->second;
      node = h_.nodes().parent[node.value];
    }
    return kMissing<std::uint32_t>;
  }

 private:
  const Hierarchy& h_;
  std::unordered_map<EventId, std::uint32_t> rows_;
};

void AddAttribute(std::string_view name, std::uint32_t value_field, std::uint64_t value,
                  ProtobufMessage& message) {
  ProtobufMessage attribute;
  attribute.Text(1, name);
  attribute.Number(value_field, value);
  message.Message(node::kAttribute, attribute);
}

void AddAttribute(std::string_view name, std::string_view value, ProtobufMessage& message) {
  ProtobufMessage attribute;
  attribute.Text(1, name);
  attribute.Text(node::kString, value);
  message.Message(node::kAttribute, attribute);
}

}  // namespace

ChakraExport::ChakraExport(const TaskGraph& graph, const Schedule& schedule, const Answers& answers)
    : graph_(graph), schedule_(schedule), answers_(answers), waits_(graph.host_count()) {
  FindRanks();
  FindCollectives();
  std::vector<Edge> edges;
  for (TaskId task : graph_.host_tasks()) {
    EdgesInto(graph_, answers_, task, edges);
    waits_[task] = std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) {
      return edge.to_finish && edge.from != task;
    });
  }
}

void ChakraExport::FindRanks() {
  const std::vector<Process>& processes = graph_.trace->processes();
  std::set<std::uint32_t> used;  // Processes with tasks.
  for (const GraphThread& thread : graph_.threads) used.insert(thread.process.value);
  for (const GraphContext& context : graph_.contexts) used.insert(context.process.value);
  used.erase(ProcessId().value);
  std::set<std::uint32_t> numbers;
  for (const std::uint32_t process : used) numbers.insert(processes[process].rank);
  const bool are_known =
      numbers.size() == used.size() && !numbers.contains(kMissing<std::uint32_t>);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // Number, process.
  for (const std::uint32_t process : used) {
    const auto next = static_cast<std::uint32_t>(order.size());
    order.emplace_back(are_known ? processes[process].rank : next, process);
  }
  std::sort(order.begin(), order.end());
  rank_of_process_.assign(processes.size(), 0);
  for (const auto& [number, process] : order) {
    rank_of_process_[process] = static_cast<std::uint32_t>(ranks_.size());
    ranks_.push_back(number);
  }
}

std::uint32_t ChakraExport::RankOf(TaskId task) const {
  const ProcessId process =
      graph_.IsHost(task) ? graph_.threads[graph_.lane[task]].process
                          : graph_.contexts[graph_.streams[graph_.lane[task]].context].process;
  return process.valid() ? rank_of_process_[process.value] : 0;
}

void ChakraExport::FindCollectives() {
  const Communicators communicators(*graph_.hierarchy);
  const CollectiveRows rows(*graph_.hierarchy);
  const TaskNames names(graph_);
  const Collectives& known = graph_.trace->collectives();
  for (TaskId op : graph_.ops()) {
    const EventId event = graph_.event[op];
    const bool is_recorded =
        event.valid() && graph_.kind[op] == TaskKind::kKernel && communicators.IsCollective(event);
    if (!is_recorded && !graph_.HasPeers(op)) continue;
    Collective one;
    one.type = CollectiveType(names.Of(op));
    if (is_recorded) {
      if (const auto id = communicators.Of(event)) one.group = std::to_string(*id);
      const std::uint32_t row = rows.Of(event);
      if (row != kMissing<std::uint32_t> && known.bytes[row] != kMissing<std::uint64_t>) {
        one.bytes = known.bytes[row];
      }
    }
    if (one.group.empty()) one.group = "all";
    collectives_.emplace_back(op, std::move(one));
  }
}

std::string ChakraExport::Groups() const {
  std::map<std::string, std::set<std::uint32_t>> groups;
  for (const auto& [op, collective] : collectives_) {
    groups[collective.group].insert(ranks_[RankOf(op)]);
  }
  Json document = Json::object();
  for (const auto& [group, ranks] : groups) document[group] = ranks;
  return DumpJson(document);
}

// The nodes of one rank.
class ChakraWriter {
 public:
  ChakraWriter(const ChakraExport& from, std::uint32_t rank, const ByteSink& sink)
      : x_(from), graph_(from.graph_), rank_(rank), names_(graph_), sink_(sink) {
    for (TaskId task : graph_.tasks()) {
      if (x_.schedule_.begin[task].known()) origin_ = std::min(origin_, x_.schedule_.begin[task]);
    }
  }

  ChakraExport::Counts Run() {
    ProtobufMessage metadata;
    metadata.Text(1, "0.0.4");
    Put(metadata);
    for (const Point point : x_.answers_.order) {
      const TaskId task = point.task();
      if (x_.RankOf(task) != rank_) continue;
      if (!point.is_finish()) {
        WriteBegin(task);
      } else if (graph_.IsHost(task) && x_.waits_[task]) {
        WriteEnd(task);
      }
    }
    sink_.Flush();
    return counts_;
  }

 private:
  // Three numbers for each task, from 1 on.
  enum Part : std::uint64_t { kGap = 1, kWork = 2, kEnd = 3 };
  static std::uint64_t IdOf(TaskId task, Part part) { return 3 * std::uint64_t{task.value} + part; }
  bool HasGap(TaskId task) const { return graph_.IsHost(task) && graph_.gap[task] > 0; }

  void Put(const ProtobufMessage& message) {
    std::string length;
    AppendVarint(message.bytes().size(), length);
    sink_.Write(length);
    sink_.Write(message.bytes());
  }

  void WriteBegin(TaskId task) {
    EdgesInto(graph_, x_.answers_, task, edges_);
    std::vector<std::uint64_t> control, data;
    for (const Edge& edge : edges_) {
      if (edge.to_finish) {
        counts_.left_out += edge.rule == Rule::kCollective;
      } else {
        Depend(edge, edge.rule == Rule::kProgramOrder ? control : data);
      }
    }
    const SimTime begin = x_.schedule_.begin[task];
    if (HasGap(task)) {
      // Untraced time passes from the call before on; whoever hands over does so to the task.
      ProtobufMessage gap = Begun(task, kGap, "untraced host time", begin - graph_.gap[task],
                                  graph_.gap[task], node::kCompute);
      gap.Packed(node::kControlDeps, control);
      AddAttribute("is_cpu_op", node::kBool, 1, gap);
      Put(gap);
      control = {IdOf(task, kGap)};
      ++counts_.dependencies;
    }
    const DurationNs own = graph_.own[task];
    ProtobufMessage message = Begun(task, kWork, names_.Of(task), begin, own, TypeOf(task));
    message.Packed(node::kControlDeps, control);
    message.Packed(node::kDataDeps, data);
    AddAttribute("is_cpu_op", node::kBool, graph_.IsHost(task) ? 1 : 0, message);
    AddFacts(task, message);
    Put(message);
  }

  void WriteEnd(TaskId task) {
    EdgesInto(graph_, x_.answers_, task, edges_);
    std::vector<std::uint64_t> data;
    for (const Edge& edge : edges_) {
      if (edge.to_finish && edge.from != task) Depend(edge, data);
    }
    ProtobufMessage message = Begun(task, kEnd, std::string(names_.Of(task)) + " returns",
                                    x_.schedule_.finish[task], 0, node::kCompute);
    const std::array<std::uint64_t, 1> control = {IdOf(task, kWork)};
    ++counts_.dependencies;
    message.Packed(node::kControlDeps, control);
    message.Packed(node::kDataDeps, data);
    AddAttribute("is_cpu_op", node::kBool, 1, message);
    Put(message);
  }

  // Adds the node that an edge comes from. A begin stands for the work that follows it, as a launch
  // does for a call's own cost; that of an operation has no node, and its rank alone knows it.
  void Depend(const Edge& edge, std::vector<std::uint64_t>& on) {
    const bool is_begin_of_op = !edge.from_finish && !graph_.IsHost(edge.from);
    if (is_begin_of_op || x_.RankOf(edge.from) != rank_ || !x_.schedule_.begin[edge.from].known()) {
      ++counts_.left_out;
      return;
    }
    const bool is_over = edge.from_finish && graph_.IsHost(edge.from) && x_.waits_[edge.from];
    const std::uint64_t id = IdOf(edge.from, is_over ? kEnd : kWork);
    if (std::find(on.begin(), on.end(), id) != on.end()) return;
    on.push_back(id);
    ++counts_.dependencies;
  }

  ProtobufMessage Begun(TaskId task, Part part, std::string_view name, SimTime begin,
                        DurationNs duration, node::Type type) {
    ProtobufMessage message;
    message.Number(node::kId, IdOf(task, part));
    message.Text(node::kName, name);
    message.Number(node::kType, type);
    const DurationNs since = std::max<DurationNs>(0, begin - origin_);
    message.Number(node::kStart, static_cast<std::uint64_t>(since / 1000));
    message.Number(node::kDuration,
                   static_cast<std::uint64_t>((std::max<DurationNs>(0, duration) + 500) / 1000));
    AddAttribute("xsp_duration_ns", node::kInt64, static_cast<std::uint64_t>(duration), message);
    ++counts_.nodes;
    return message;
  }

  node::Type TypeOf(TaskId task) const {
    if (graph_.IsHost(task)) return node::kCompute;
    if (CollectiveAt(task) != nullptr) return node::kCollective;
    const OpClass what = graph_.op_class[graph_.RowOf(task)];
    if (what == OpClass::kHtoD) return node::kLoad;
    return what == OpClass::kDtoH ? node::kStore : node::kCompute;
  }

  const ChakraExport::Collective* CollectiveAt(TaskId op) const {
    const auto at = std::lower_bound(x_.collectives_.begin(), x_.collectives_.end(), op,
                                     [](const auto& row, TaskId task) { return row.first < task; });
    return at != x_.collectives_.end() && at->first == op ? &at->second : nullptr;
  }

  void AddFacts(TaskId task, ProtobufMessage& message) const {
    if (graph_.IsHost(task)) return;
    if (const ChakraExport::Collective* collective = CollectiveAt(task)) {
      AddAttribute("comm_type", node::kInt64, static_cast<std::uint64_t>(collective->type),
                   message);
      AddAttribute("comm_size", node::kInt64, collective->bytes, message);
      AddAttribute("pg_name", collective->group, message);
      return;
    }
    const EventId event = graph_.event[task];
    if (event.valid() && graph_.kind[task] == TaskKind::kMemcpy) {
      const Trace& trace = *graph_.trace;
      AddAttribute("tensor_size", node::kUint64, trace.copies().bytes[trace.Row(event)], message);
    }
  }

  const ChakraExport& x_;
  const TaskGraph& graph_;
  const std::uint32_t rank_;
  const TaskNames names_;
  BufferedSink sink_;
  SimTime origin_{std::numeric_limits<std::int64_t>::max()};
  std::vector<Edge> edges_;
  ChakraExport::Counts counts_;
};

ChakraExport::Counts ChakraExport::Write(std::size_t rank, const ByteSink& sink) const {
  return ChakraWriter(*this, static_cast<std::uint32_t>(rank), sink).Run();
}

}  // namespace xsp
