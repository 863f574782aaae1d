#include "hierarchy/layers.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "base/ascii.h"

namespace xsp {
namespace {

constexpr std::string_view kNoLayer = "[no layer]";

// Numbers that stand alone become '*': "blocks.7.attn" is "blocks.*.attn", "conv2d" stays.
std::string WithoutNumbers(std::string_view name) {
  std::string kind;
  for (std::size_t i = 0; i < name.size();) {
    const bool after_letter = i > 0 && IsLetter(name[i - 1]);
    if (!IsDigit(name[i]) || (after_letter && i + 1 < name.size() && IsLetter(name[i + 1]))) {
      kind += name[i++];
      continue;
    }
    while (i < name.size() && IsDigit(name[i])) ++i;
    kind += '*';
  }
  return kind;
}

// The operators of a fused ONNX layer, each the last part of a path.
std::string OnnxOperators(std::string_view name) {
  constexpr std::string_view kPlus = " + ";
  std::string kind;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find(kPlus, at), name.size());
    const std::string_view part = name.substr(at, end - at);
    const std::string_view last = part.substr(part.rfind('/') + 1);
    kind += kind.empty() ? "" : kPlus;
    kind += last.substr(0, last.find_last_not_of("0123456789_") + 1);
    at = end + kPlus.size();
  }
  return kind;
}

}  // namespace

std::string KindOfLayerName(std::string_view name) {
  for (std::string_view prefix : {"Reformatting CopyNode", "PWN(", "{ForeignNode"}) {
    if (!name.starts_with(prefix)) continue;
    while (!IsLetter(prefix.back())) prefix.remove_suffix(1);
    while (!IsLetter(prefix.front())) prefix.remove_prefix(1);
    return std::string(prefix);
  }
  if (name.starts_with("/") && name.ends_with(" copy")) return "copy";
  if (name.starts_with("/") && name.size() > 1) return OnnxOperators(name);
  return WithoutNumbers(name);
}

LayerMap::LayerMap(const Hierarchy& hierarchy, const StepSet& steps)
    : h_(hierarchy), level_(FindLevel(steps)) {
  const Nodes& nodes = h_.nodes();
  places_.resize(nodes.size());
  for (NodeId node : h_.TopDown()) {
    const NodeId parent = nodes.parent[node.value];
    const Level level = nodes.level[node.value];
    const Place above = parent.valid() ? places_[parent.value] : Place{node, false};
    Place& place = places_[node.value];
    place = above;
    const bool is_layer =
        level == level_ && level_ != Level::kTrace && (level == Level::kLayer || !above.is_layer);
    if (is_layer) place = {node, true};
    if (!place.is_layer && level <= Level::kPhase) place = {node, false};
  }
  NumberPaths();
}

// Layers and what stands above them: nothing deeper is ever part of a layer's path.
void LayerMap::NumberPaths() {
  const Nodes& nodes = h_.nodes();
  const Level deepest = std::max(level_, Level::kPhase);
  path_of_.assign(nodes.size(), 0);
  std::unordered_map<std::uint64_t, std::uint32_t> paths;  // By the path above and the name.
  for (NodeId node : h_.TopDown()) {
    const Level level = nodes.level[node.value];
    if (level <= Level::kStep || level > deepest) continue;
    const std::uint64_t above = path_of_[nodes.parent[node.value].value];
    const auto [it, is_new] =
        paths.try_emplace((above << 32) | nodes.name[node.value].value, path_count_);
    path_count_ += is_new ? 1 : 0;
    path_of_[node.value] = it->second;
  }
}

Level LayerMap::FindLevel(const StepSet& steps) const {
  const Nodes& nodes = h_.nodes();
  bool has_ops = false;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    if (nodes.level[n] != Level::kLayer && nodes.level[n] != Level::kOp) continue;
    if (!steps.is_whole() && !steps.Contains(h_.StepAbove(NodeId(n)))) continue;
    if (nodes.level[n] == Level::kLayer) return Level::kLayer;
    has_ops = true;
  }
  return has_ops ? Level::kOp : Level::kTrace;
}

std::string LayerMap::PathOf(Place place) const {
  const Nodes& nodes = h_.nodes();
  std::vector<std::string_view> names;
  if (!place.is_layer) names.push_back(kNoLayer);
  for (NodeId n = place.node; nodes.level[n.value] > Level::kStep; n = nodes.parent[n.value]) {
    names.push_back(h_.Name(n));
  }
  // Ranges can nest ten thousands deep (a recursion, a range that is never popped): what lies
  // between the outermost and the innermost is left out, or every layer's path is a book.
  constexpr std::size_t kOuter = 16, kInner = 48;
  std::string path;
  for (std::size_t i = names.size(); i-- > 0;) {
    path += path.empty() ? "" : "/";
    path += names[i];
    if (names.size() > kOuter + kInner && i == names.size() - kOuter) {
      path += "/[" + std::to_string(i - kInner) + " more]";
      i = kInner;
    }
  }
  return path;
}

std::string LayerMap::TypeOf(Place place) const {
  const Nodes& nodes = h_.nodes();
  if (!place.is_layer) return std::string(kNoLayer);
  const bool is_inferred = nodes.source[place.node.value] == Source::kRepetition;
  const std::string_view name = h_.Name(place.node);
  const std::string kind = is_inferred ? std::string(name) : KindOfLayerName(name);
  const Phase phase = nodes.phase[place.node.value];
  const bool is_backward = phase == Phase::kBackward && kind.find("ackward") == std::string::npos;
  return is_backward ? kind + " (backward)" : kind;
}

}  // namespace xsp
