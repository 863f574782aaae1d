#include <algorithm>
#include <map>

#include "hierarchy/placing/hierarchy_builder.h"
#include "hierarchy/steps/repetition.h"
#include "hierarchy/steps/work_tokens.h"
#include "model/names/kernel_names.h"

// Layers of a program that named nothing: parts of a step that come again and again, named by what
// they hold.
namespace xsp {

// "gemm x6, norm x2, softmax": classes in their own order, so that the same layer is told alike in
// every step and rank; kernels of no known class by their name.
std::string HierarchyBuilder::NameByContent(std::span<const EventId> work) const {
  std::map<std::pair<KernelClass, std::string>, std::uint32_t> held;
  for (EventId e : work) {
    const KernelClass kind = h_.kinds_.Of(trace_, e).kernel_class;
    const bool is_known = kind != KernelClass::kOther;
    ++held[{kind, is_known ? std::string(NameOf(kind)) : BaseKernelName(trace_.name(e))}];
  }
  constexpr std::size_t kMostNamed = 4;
  std::string name;
  std::size_t named = 0;
  for (const auto& [what, count] : held) {
    name += named == 0 ? "" : ", ";
    if (named++ == kMostNamed) return name + "...";
    name += what.second;
    if (count > 1) name += " x" + std::to_string(count);
  }
  return name;
}

// "block (57 kernels)"; one that holds as many others is told by what they are, and so is one of
// few.
std::string HierarchyBuilder::NameOfBlock(std::span<const EventId> work) {
  constexpr std::size_t kFew = 4;
  const std::string content = NameByContent(work);
  if (work.size() <= kFew) return content;
  const std::string size = std::to_string(work.size()) + " kernels";
  const std::string& first = content_of_blocks_.try_emplace(size, content).first->second;
  return "block (" + size + (first == content ? ")" : ": " + content + ")");
}

void HierarchyBuilder::AddRepeatedLayers(NodeId parent, std::span<const EventId> work) {
  if (work.size() < 6) return;
  const std::vector<std::uint32_t> tokens = TokensOf(trace_, h_.kinds_, work);
  for (const Repetition& found : FindInnerRepetitions(tokens)) {
    if (found.period < 2) continue;  // One kernel over and over needs no layer around it.
    const std::span<const EventId> first = work.subspan(found.first, found.period);
    const NameId name = h_.names_.Intern(NameOfBlock(first));
    for (std::uint32_t round = 0; round < found.rounds; ++round) {
      const NodeId layer = nodes_.Add(parent, Level::kLayer, Source::kRepetition, name);
      nodes_.phase[layer.value] = nodes_.phase[parent.value];
      for (std::uint32_t i = 0; i < found.period; ++i) {
        const EventId e = work[found.first + round * found.period + i];
        h_.node_of_work_[e.value] = layer;
        ExtendHost(layer, trace_.begin(trace_.call_of(e)), trace_.end(trace_.call_of(e)));
        Source& source = h_.source_of_work_[e.value];
        if (source == Source::kNone) source = Source::kRepetition;
      }
    }
  }
}

// Optimizers, loaders and communication repeat as well, but have no layers.
bool HierarchyBuilder::HasLayers(Phase phase) {
  return phase != Phase::kOptimizer && phase != Phase::kDataLoading &&
         phase != Phase::kCommunication;
}

// In a process without ranges anywhere; in one with ranges, in phases that nobody divided further:
// next to real layers, guessed ones would mislead.
void HierarchyBuilder::FindRepeatedLayers() {
  std::vector<std::uint8_t> has_child(nodes_.size(), 0);
  for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
    if (nodes_.level[NodeOfRange(i).value] == Level::kLibrary) continue;
    has_child[nodes_.parent[NodeOfRange(i).value].value] = 1;
  }
  const std::vector<LaunchedWork> launched = LaunchOrder(trace_);
  for (std::uint32_t p = 0; p < launched.size(); ++p) {
    const Level highest = h_.has_ranges_[p] != 0 ? Level::kPhase : Level::kTrace;
    std::map<NodeId, std::vector<EventId>> loose;
    for (EventId e : launched[p].work) {
      const NodeId node = h_.NodeOfWork(e);
      const Level level = nodes_.level[node.value];
      if (level < highest || level > Level::kPhase || !trace_.call_of(e).valid()) continue;
      if (!HasLayers(nodes_.phase[node.value])) continue;
      if (highest == Level::kTrace || has_child[node.value] == 0) loose[node].push_back(e);
    }
    for (const auto& [node, work] : loose) AddRepeatedLayers(node, work);
  }
}

// What is left is told by what it does, or not at all.
void HierarchyBuilder::SettleLooseWork() {
  for (EventId work : trace_.DeviceWork()) {
    const NodeId at = h_.NodeOfWork(work);
    if (nodes_.level[at.value] > Level::kStep || h_.has_ranges_[trace_.process_of(work).value]) {
      continue;
    }
    const bool is_known = h_.kinds_.Of(trace_, work).kernel_class != KernelClass::kOther;
    h_.source_of_work_[work.value] = is_known ? Source::kClass : Source::kNone;
  }
}

}  // namespace xsp
