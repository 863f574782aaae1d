#pragma once

#include <string_view>

#include "hierarchy/totals/path_totals.h"

namespace xsp {

// What people read for a node's level. Phases, layers and operations are words of programs that
// learn or infer: those that name such a phase (forward, optimizer, predict...) or whose framework
// names its operations. In all others a range is a range, what repeats a sequence, and a kernel a
// kernel. Scripts get NameOf(Level), which never changes.
class LevelWords {
 public:
  explicit LevelWords(const Hierarchy& hierarchy);

  std::string_view Of(const PathTotals& tree, PathId node) const;

 private:
  bool has_phases_;
};

}  // namespace xsp
