#include "sim/plan/selector.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/enum_names.h"
#include "base/glob.h"
#include "hierarchy/hierarchy.h"
#include "model/duration.h"

namespace xsp {

// A condition on one task, or a join of others. Texts and numbers mean what
// `what` says.
struct Selector::Node {
  enum class What : std::uint8_t {
    kAll,
    kDevice,
    kHost,
    kKind,
    kClass,
    kPrecision,
    kTensorCores,
    kPhase,
    kStep,
    kName,
    kLayer,
    kOperation,
    kStream,
    kThread,
    kPath,
    kBytes,
    kDirection,
    kRange,
    kOnDevice,
    kProcess,
    kTime,
    kAnd,
    kOr,
    kNot,
  };
  What what = What::kAll;
  std::uint32_t number = 0;
  std::string pattern;
  std::string text;
  std::vector<std::shared_ptr<const Node>> parts = {};
  std::uint64_t least = 0, most = 0;  // Bytes.
  TimeRange time = {};
  bool needs_path = false;
  bool looks_closer = false;  // At more than LookedAt holds, itself or a part of it.
  std::size_t conditions = 1;

  bool Fits(const SelectorInput& in, TaskId task) const;
  std::optional<std::uint32_t> LaneNumber(const SelectorInput& in, TaskId task) const;
  bool FitsRange(const SelectorInput& in, TaskId task) const;
};

// Per pattern that asks for ranges: which nodes of the hierarchy lie in one that fits.
class FittingRanges {
 public:
  void Add(const void* pattern, std::vector<std::uint8_t> nodes) {
    of_pattern_.emplace(pattern, std::move(nodes));
  }
  const std::vector<std::uint8_t>* Of(const void* pattern) const {
    const auto it = of_pattern_.find(pattern);
    return it == of_pattern_.end() ? nullptr : &it->second;
  }

 private:
  std::unordered_map<const void*, std::vector<std::uint8_t>> of_pattern_;
};

namespace {

constexpr EnumNames<TaskKind::kGraphSpan> kKindNames({"call", "before", "load", "os_call", "kernel",
                                                      "memcpy", "memset", "graph"});

std::string Condition(std::string_view key, std::string_view value) {
  return std::string(key) + "=" + std::string(value);
}

// The host task that issued an operation, or the host task itself.
TaskId HostOf(const TaskGraph& graph, TaskId task) {
  return graph.IsHost(task) ? task : graph.CallOf(task);
}

// The innermost node of a task's call or work; none where the trace has none.
NodeId HierarchyNodeOf(const TaskGraph& graph, TaskId task) {
  const EventId event = graph.event[task];
  if (!event.valid() || graph.hierarchy == nullptr) return {};
  if (!graph.IsHost(task)) return graph.hierarchy->NodeOfWork(event);
  return graph.kind[task] == TaskKind::kCall ? graph.hierarchy->NodeOfCall(event) : NodeId();
}

std::optional<std::uint64_t> BytesOfWork(const TaskGraph& graph, TaskId task) {
  const EventId event = graph.event[task];
  if (!event.valid()) return std::nullopt;
  const std::uint32_t row = graph.trace->Row(event);
  if (graph.kind[task] == TaskKind::kMemcpy) return graph.trace->copies().bytes[row];
  if (graph.kind[task] == TaskKind::kMemset) return graph.trace->memsets().bytes[row];
  return std::nullopt;
}

ProcessId ProcessOf(const TaskGraph& graph, TaskId task) {
  return graph.threads[graph.lane[HostOf(graph, task)]].process;
}

// All that conditions look at but for sizes, ranges and times.
using LookedAt = std::array<std::uint32_t, 12>;

LookedAt LookAt(const SelectorInput& in, TaskId task) {
  const WorkFact& fact = in.facts[task];
  auto number = [](auto value) { return static_cast<std::uint32_t>(value); };
  return {number(in.graph.kind[task]),
          number(in.graph.IsHost(task)),
          number(fact.kind.kernel_class),
          number(fact.kind.precision),
          number(fact.kind.tensor_cores),
          number(fact.phase),
          fact.step,
          fact.name,
          fact.layer,
          fact.operation,
          in.graph.lane[task],
          in.graph.lane[HostOf(in.graph, task)] * 2 +
              number(task.value < in.on_path.size() && in.on_path[task] != 0)};
}

}  // namespace

// Stream or thread as the trace numbers them; nothing for what an edit made.
std::optional<std::uint32_t> Selector::Node::LaneNumber(const SelectorInput& in,
                                                        TaskId task) const {
  const TaskGraph& graph = in.graph;
  const bool wants_stream = what == What::kStream;
  if (wants_stream && graph.IsHost(task)) return std::nullopt;
  const TrackId track = wants_stream ? graph.streams[graph.lane[task]].track
                                     : graph.threads[graph.lane[HostOf(graph, task)]].track;
  if (!track.valid()) return std::nullopt;
  return wants_stream ? graph.trace->track(track).stream : graph.trace->track(track).thread;
}

bool Selector::Node::FitsRange(const SelectorInput& in, TaskId task) const {
  NodeId node = HierarchyNodeOf(in.graph, task);
  if (!node.valid()) return false;
  if (in.ranges != nullptr) {
    if (const auto* fitting = in.ranges->Of(this)) return (*fitting)[node.value] != 0;
  }
  const Hierarchy& hierarchy = *in.graph.hierarchy;
  for (; node.valid(); node = hierarchy.nodes().parent[node.value]) {
    if (MatchesGlob(pattern, hierarchy.Name(node))) return true;
  }
  return false;
}

bool Selector::Node::Fits(const SelectorInput& in, TaskId task) const {
  const WorkFact& fact = in.facts[task];
  auto fits = [&](const std::shared_ptr<const Node>& part) { return part->Fits(in, task); };
  switch (what) {
    case What::kAll:
      return true;
    case What::kDevice:
      return !in.graph.IsHost(task);
    case What::kHost:
      return in.graph.IsHost(task);
    case What::kKind:
      return in.graph.kind[task] == static_cast<TaskKind>(number);
    case What::kClass:
      return !in.graph.IsHost(task) && fact.kind.kernel_class == static_cast<KernelClass>(number);
    case What::kPrecision:
      return !in.graph.IsHost(task) && fact.kind.precision == static_cast<Precision>(number);
    case What::kTensorCores:
      return fact.kind.tensor_cores == TensorCores::kYes;
    case What::kPhase:
      return fact.phase == static_cast<Phase>(number);
    case What::kStep:
      return fact.step == number;
    case What::kName:
      return MatchesGlob(pattern, in.facts.Name(task));
    case What::kLayer:
      return MatchesGlob(pattern, in.facts.Layer(task));
    case What::kOperation:
      return MatchesGlob(pattern, in.facts.Operation(task));
    case What::kStream:
    case What::kThread:
      return LaneNumber(in, task) == number;
    case What::kPath:
      return task.value < in.on_path.size() && in.on_path[task] != 0;
    case What::kBytes: {
      const std::optional<std::uint64_t> bytes = BytesOfWork(in.graph, task);
      return bytes && least <= *bytes && *bytes <= most;
    }
    case What::kDirection:
      return in.graph.kind[task] == TaskKind::kMemcpy &&
             in.graph.op_class[in.graph.RowOf(task)] == static_cast<OpClass>(number);
    case What::kRange:
      return FitsRange(in, task);
    case What::kOnDevice:
      return !in.graph.IsHost(task) && in.graph.devices[in.graph.DeviceOf(task)].ordinal == number;
    case What::kProcess: {
      const ProcessId process = ProcessOf(in.graph, task);
      return process.valid() && in.graph.trace->process(process).pid == number;
    }
    case What::kTime:
      return time.Contains(in.graph.measured_begin[task]);
    case What::kAnd:
      return std::all_of(parts.begin(), parts.end(), fits);
    case What::kOr:
      return std::any_of(parts.begin(), parts.end(), fits);
    case What::kNot:
      return !fits(parts.front());
  }
  return false;
}

Selector Selector::Make(Node node) {
  node.needs_path |= node.what == Node::What::kPath;
  node.looks_closer |= Node::What::kBytes <= node.what && node.what <= Node::What::kTime;
  for (const auto& part : node.parts) {
    node.needs_path |= part->needs_path;
    node.looks_closer |= part->looks_closer;
    node.conditions += part->conditions;
  }
  return Selector(std::make_shared<const Node>(std::move(node)));
}

Selector::Selector() : node_(std::make_shared<const Node>()) {}

namespace {

template <class Enum>
std::uint32_t Number(Enum value) {
  return static_cast<std::uint32_t>(value);
}

}  // namespace

Selector Selector::Device() { return Make({Node::What::kDevice, 0, "", "on=device"}); }
Selector Selector::Host() { return Make({Node::What::kHost, 0, "", "on=host"}); }

Selector Selector::Kind(TaskKind kind) {
  return Make({Node::What::kKind, Number(kind), "", Condition("kind", kKindNames[kind])});
}
Selector Selector::Class(KernelClass of) {
  return Make({Node::What::kClass, Number(of), "", Condition("class", NameOf(of))});
}
Selector Selector::OfPrecision(Precision of) {
  return Make({Node::What::kPrecision, Number(of), "", Condition("precision", NameOf(of))});
}
Selector Selector::OnTensorCores() {
  return Make({Node::What::kTensorCores, 0, "", "tensor_cores=yes"});
}
Selector Selector::InPhase(Phase phase) {
  return Make({Node::What::kPhase, Number(phase), "", Condition("phase", NameOf(phase))});
}
Selector Selector::InStep(std::uint32_t step) {
  return Make({Node::What::kStep, step, "", Condition("step", std::to_string(step + 1))});
}
Selector Selector::Name(std::string pattern) {
  std::string text = Condition("name", pattern);
  return Make({Node::What::kName, 0, std::move(pattern), std::move(text)});
}
Selector Selector::Layer(std::string pattern) {
  std::string text = Condition("layer", pattern);
  return Make({Node::What::kLayer, 0, std::move(pattern), std::move(text)});
}
Selector Selector::Operation(std::string pattern) {
  std::string text = Condition("operation", pattern);
  return Make({Node::What::kOperation, 0, std::move(pattern), std::move(text)});
}
Selector Selector::Stream(std::uint32_t number) {
  return Make({Node::What::kStream, number, "", Condition("stream", std::to_string(number))});
}
Selector Selector::Thread(std::uint32_t number) {
  return Make({Node::What::kThread, number, "", Condition("thread", std::to_string(number))});
}
Selector Selector::OnCriticalPath() {
  return Make({Node::What::kPath, 0, "", "critical_path=yes"});
}

Selector Selector::Bytes(std::uint64_t least, std::uint64_t most) {
  const std::string text = least == most ? std::to_string(least)
                           : most == UINT64_MAX
                               ? "from " + std::to_string(least)
                               : std::to_string(least) + " to " + std::to_string(most);
  Node node{Node::What::kBytes, 0, "", Condition("bytes", text)};
  node.least = least;
  node.most = most;
  return Make(std::move(node));
}
Selector Selector::Direction(OpClass direction) {
  return Make(
      {Node::What::kDirection, Number(direction), "", Condition("direction", NameOf(direction))});
}
Selector Selector::Range(std::string pattern) {
  std::string text = Condition("range", pattern);
  return Make({Node::What::kRange, 0, std::move(pattern), std::move(text)});
}
Selector Selector::OnDevice(std::uint32_t ordinal) {
  return Make({Node::What::kOnDevice, ordinal, "", Condition("device", std::to_string(ordinal))});
}
Selector Selector::OfProcess(std::uint32_t pid) {
  return Make({Node::What::kProcess, pid, "", Condition("process", std::to_string(pid))});
}
Selector Selector::InTime(TimeRange time) {
  Node node{Node::What::kTime, 0, "",
            Condition("time", FormatDuration(time.begin) + " to " + FormatDuration(time.end))};
  node.time = time;
  return Make(std::move(node));
}

Selector Selector::Join(const std::vector<Selector>& parts, bool all) {
  constexpr std::size_t kMostTold = 16;
  Node node{all ? Node::What::kAnd : Node::What::kOr, 0, "", ""};
  for (const Selector& part : parts) {
    if (node.parts.size() < kMostTold && !part.text().empty()) {
      node.text += (node.text.empty() ? "" : all ? ", " : " or ") + part.text();
    }
    node.parts.push_back(part.node_);
  }
  if (parts.size() > kMostTold) {
    node.text += " [and " + std::to_string(parts.size() - kMostTold) + " more]";
  }
  if (!all) node.text = "(" + node.text + ")";
  return Make(std::move(node));
}

Selector Selector::All(const std::vector<Selector>& parts) {
  return parts.size() == 1 ? parts.front() : Join(parts, true);
}
Selector Selector::Any(const std::vector<Selector>& parts) {
  return parts.size() == 1 ? parts.front() : Join(parts, false);
}

Selector operator&&(const Selector& a, const Selector& b) { return Selector::Join({a, b}, true); }
Selector operator||(const Selector& a, const Selector& b) { return Selector::Join({a, b}, false); }
Selector operator!(const Selector& a) {
  using Node = Selector::Node;
  return Selector::Make({Node::What::kNot, 0, "", "not (" + a.text() + ")", {a.node_}});
}

bool Selector::Fits(const SelectorInput& input, TaskId task) const {
  return node_->Fits(input, task);
}
std::vector<TaskId> Selector::Chosen(const SelectorInput& input) const {
  constexpr std::size_t kMany = 16;
  const FittingRanges ranges = FindRanges(input.graph);
  SelectorInput in = input;
  in.ranges = &ranges;
  std::map<LookedAt, bool> known;
  std::vector<TaskId> tasks;
  for (TaskId task : in.graph.tasks()) {
    bool fits = false;
    if (node_->conditions < kMany || node_->looks_closer) {
      fits = Fits(in, task);
    } else {
      const auto [it, is_new] = known.try_emplace(LookAt(in, task));
      if (is_new) it->second = Fits(in, task);
      fits = it->second;
    }
    if (fits) tasks.push_back(task);
  }
  return tasks;
}

// Patterns are held against the names of nodes once, not for every task below them.
FittingRanges Selector::FindRanges(const TaskGraph& graph) const {
  FittingRanges ranges;
  std::vector<const Node*> open = {node_.get()};
  std::vector<NodeId> order;
  while (!open.empty() && graph.hierarchy != nullptr) {
    const Node& node = *open.back();
    open.pop_back();
    for (const auto& part : node.parts) open.push_back(part.get());
    if (node.what != Node::What::kRange || ranges.Of(&node) != nullptr) continue;
    if (order.empty()) order = graph.hierarchy->TopDown();
    const Nodes& nodes = graph.hierarchy->nodes();
    std::vector<std::uint8_t> fits(nodes.parent.size());
    for (const NodeId at : order) {
      const NodeId parent = nodes.parent[at.value];
      fits[at.value] = (parent.valid() && fits[parent.value] != 0) ||
                       MatchesGlob(node.pattern, graph.hierarchy->Name(at));
    }
    ranges.Add(&node, std::move(fits));
  }
  return ranges;
}

bool Selector::NeedsPath() const { return node_->needs_path; }
const std::string& Selector::text() const { return node_->text; }

std::optional<TaskKind> TaskKindFromName(std::string_view name) {
  const std::optional<TaskKind> kind = kKindNames.Find(name);
  return kind == TaskKind::kBefore ? std::nullopt : kind;  // No work of the program's.
}

}  // namespace xsp
