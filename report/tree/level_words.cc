#include "report/tree/level_words.h"

#include <algorithm>

namespace xsp {
namespace {

// Communication and loading are told by what work does, in any program.
bool IsOfModels(Phase phase) {
  return phase != Phase::kNone && phase != Phase::kCommunication && phase != Phase::kDataLoading;
}

std::string_view WordOfPlainProgram(const PathTotals& tree, PathId id) {
  const PathNode& node = tree[id];
  switch (node.level) {
    case Level::kPhase:
    case Level::kLayer:
    case Level::kOp:
      if (node.source == Source::kNone) return "";  // [unattributed]
      if (node.source == Source::kClass) return "class";
      return node.source == Source::kRepetition ? "sequence" : "range";
    case Level::kDevice:
      // Copies, memsets and graphs have names in brackets.
      return tree.Name(id).starts_with('[') ? NameOf(node.level) : "kernel";
    default:
      return NameOf(node.level);
  }
}

}  // namespace

LevelWords::LevelWords(const Hierarchy& hierarchy)
    : has_phases_(RowCount(hierarchy.trace().operators()) > 0 ||
                  std::any_of(hierarchy.nodes().phase.begin(), hierarchy.nodes().phase.end(),
                              IsOfModels)) {}

std::string_view LevelWords::Of(const PathTotals& tree, PathId node) const {
  return has_phases_ ? NameOf(tree[node].level) : WordOfPlainProgram(tree, node);
}

}  // namespace xsp
