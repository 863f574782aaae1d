#include "hierarchy/names/graph_names.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/hash.h"
#include "model/names/call_names.h"

namespace xsp {
namespace {

// What makes two launches the same: name, grid and block.
std::uint64_t TokenOf(const Trace& trace, EventId kernel) {
  const Kernels& kernels = trace.kernels();
  const std::uint32_t row = trace.Row(kernel, EventKind::kKernel);
  std::uint64_t token = 0;
  for (char c : trace.name(kernel)) token = HashWith(token, static_cast<unsigned char>(c));
  for (std::uint32_t size : {kernels.grid_x[row], kernels.grid_y[row], kernels.grid_z[row],
                             kernels.block_x[row], kernels.block_y[row], kernels.block_z[row]}) {
    token = HashWith(token, size);
  }
  return token;
}

struct Launched {
  std::vector<EventId> kernels;  // In the order in which they ran.
  std::vector<std::uint64_t> tokens;
};

void Add(const Trace& trace, EventId kernel, Launched& to) {
  to.kernels.push_back(kernel);
  to.tokens.push_back(TokenOf(trace, kernel));
}

// The kernels of each launch of a graph.
std::vector<Launched> Replays(const Trace& trace) {
  std::map<EventId, Launched> by_call;
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    if (IsReplayed(trace, kernel)) Add(trace, kernel, by_call[trace.call_of(kernel)]);
  }
  std::vector<Launched> replays;
  for (auto& [call, launched] : by_call) replays.push_back(std::move(launched));
  return replays;
}

// Kernels that were launched one by one.
Launched EagerKernels(const Trace& trace) {
  Launched eager;
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    if (!IsReplayed(trace, kernel)) Add(trace, kernel, eager);
  }
  return eager;
}

constexpr std::size_t kAhead = 32;        // So far a difference is passed over.
constexpr std::size_t kCandidates = 256;  // Places at which a replay may begin.

// Walks both from a place on; for each kernel of the replay its counterpart, or none.
std::vector<EventId> Align(const Launched& replay, const Launched& eager, std::size_t at,
                           std::size_t* fit) {
  std::vector<EventId> found(replay.tokens.size());
  *fit = 0;
  std::size_t i = 0;
  while (i < replay.tokens.size() && at < eager.tokens.size()) {
    if (replay.tokens[i] == eager.tokens[at]) {
      found[i++] = eager.kernels[at++];
      ++*fit;
      continue;
    }
    // The nearest place at which they agree again.
    std::optional<std::pair<std::size_t, std::size_t>> next;
    for (std::size_t sum = 1; sum <= kAhead && !next; ++sum) {
      for (std::size_t skip = 0; skip <= sum; ++skip) {
        const std::size_t a = i + skip, b = at + sum - skip;
        if (a >= replay.tokens.size() || b >= eager.tokens.size()) continue;
        if (replay.tokens[a] != eager.tokens[b]) continue;
        next = {a, b};
        break;
      }
    }
    if (!next) {
      ++i, ++at;
      continue;
    }
    i = next->first;
    at = next->second;
  }
  return found;
}

// The best of all places at which the replay may begin.
std::vector<EventId> BestFit(
    const Launched& replay, const Launched& eager,
    const std::unordered_map<std::uint64_t, std::vector<std::size_t>>& at) {
  std::vector<EventId> best(replay.tokens.size());
  std::size_t most = 0;
  // Its first kernel may be missing there: any of the first few may be where they begin to agree.
  for (std::size_t first = 0; first < std::min(kAhead, replay.tokens.size()); ++first) {
    const auto places = at.find(replay.tokens[first]);
    if (places == at.end()) continue;
    const std::size_t step = std::max<std::size_t>(1, places->second.size() / kCandidates);
    for (std::size_t i = 0; i < places->second.size(); i += step) {
      const std::size_t place = places->second[i];
      std::size_t fit = 0;
      std::vector<EventId> found = Align(replay, eager, place - std::min(place, first), &fit);
      if (fit <= most) continue;
      most = fit;
      best = std::move(found);
      if (most == replay.tokens.size()) return best;
    }
    if (most > 0) return best;
  }
  return best;
}

// The layer and the operation around a kernel.
KernelOperator PlaceIn(const Hierarchy& names, EventId counterpart, EventId kernel) {
  const Nodes& nodes = names.nodes();
  KernelOperator place{.kernel = kernel};
  for (NodeId node = names.NodeOfWork(counterpart); node.valid(); node = nodes.parent[node.value]) {
    const Level level = nodes.level[node.value];
    if (level == Level::kOp && place.operation.empty()) {
      place.operation = names.Name(node);
      const EventId range = nodes.event[node.value];
      const std::uint32_t op = range.valid() ? names.trace().OperatorOf(range) : Trace::kNoOperator;
      if (op != Trace::kNoOperator) place.signature = names.trace().operators().signature[op];
      if (range.valid()) place.instance = range.value;
    }
    if (level == Level::kLayer && place.module.empty()) place.module = names.Name(node);
  }
  return place;
}

// "encoder.linear" of "encoder.linear.weight" and "encoder.linear.bias": all components but the
// last that they share.
std::string CommonModule(const std::vector<std::string>& paths) {
  std::string common = paths.empty() ? "" : paths.front();
  common = common.substr(0, common.rfind('.') == std::string::npos ? 0 : common.rfind('.'));
  for (const std::string& path : paths) {
    while (!common.empty() && !path.starts_with(common + ".")) {
      const std::size_t dot = common.rfind('.');
      common = dot == std::string::npos ? "" : common.substr(0, dot);
    }
  }
  return common;
}

std::string LabelOf(const UserJson& annotation) {
  if (annotation.kind() == UserJson::Kind::kText) return annotation.Text();
  if (const UserJson* const map = annotation.Find("fqn_map")) {
    std::vector<std::string> paths;
    for (const auto& [parameter, path] : map->Members()) paths.push_back(path.Text());
    return CommonModule(paths);
  }
  for (const char* key : {"module_fqn", "name", "str"}) {
    if (const auto text = annotation.TextOf(key)) return *text;
  }
  return "";
}

}  // namespace

bool IsReplayed(const Trace& trace, EventId work) {
  const EventId call = trace.call_of(work);
  return call.valid() && CallName(trace.name(call)).find("GraphLaunch") != std::string_view::npos;
}

GraphNames JoinGraphNames(const Trace& replay, const Hierarchy& names) {
  GraphNames result;
  result.source = &names.trace();
  const Launched eager = EagerKernels(names.trace());
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < eager.tokens.size(); ++i) places[eager.tokens[i]].push_back(i);
  std::map<std::vector<std::uint64_t>, std::vector<EventId>> known;  // Equal launches are alike.
  for (const Launched& launched : Replays(replay)) {
    result.replayed += launched.kernels.size();
    const auto [it, is_new] = known.try_emplace(launched.tokens);
    if (is_new) it->second = BestFit(launched, eager, places);
    for (std::size_t i = 0; i < launched.kernels.size(); ++i) {
      if (!it->second[i].valid()) continue;
      KernelOperator place = PlaceIn(names, it->second[i], launched.kernels[i]);
      if (!place.module.empty() || !place.operation.empty())
        result.names.push_back(std::move(place));
    }
  }
  std::sort(result.names.begin(), result.names.end(),
            [](const KernelOperator& a, const KernelOperator& b) { return a.kernel < b.kernel; });
  return result;
}

GraphNames NamesOfNodes(const Trace& replay, const UserJson& annotations) {
  std::unordered_map<std::uint64_t, std::string> label_of_node;
  for (const auto& [key, value] : annotations.Members()) {
    std::uint64_t node = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), node);
    if (error != std::errc() || end != key.data() + key.size()) {
      value.Fail("stands under '" + key + "', which is no number of a graph's node");
    }
    std::string label;
    if (value.kind() != UserJson::Kind::kList) {
      label = LabelOf(value);
    } else {
      for (const UserJson& one : value.List()) {
        if (label.empty()) label = LabelOf(one);
      }
    }
    if (!label.empty()) label_of_node.emplace(node, std::move(label));
  }
  GraphNames result;
  for (EventId kernel : replay.OfKind(EventKind::kKernel)) {
    const std::uint64_t node = replay.kernels().graph_node[replay.Row(kernel, EventKind::kKernel)];
    if (node == kMissing<std::uint64_t>) continue;
    ++result.replayed;
    const auto it = label_of_node.find(node);
    if (it != label_of_node.end()) result.names.push_back({.kernel = kernel, .module = it->second});
  }
  return result;
}

}  // namespace xsp
