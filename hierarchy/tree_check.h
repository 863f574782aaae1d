#pragma once

#include <string>
#include <vector>

#include "hierarchy/tree.h"

namespace xsp {

// What must hold at every node of every tree, else our sums are wrong: children and own time add up
// to the node's; busy time exceeds neither the sum (whole graphs aside) nor, on a device, the wall
// time; a whole trace's root holds all device time of all tracks; coverage adds up. Returns what
// does not hold, in words; nothing if all is well.
std::vector<std::string> FaultsOf(const Tree& tree, bool is_whole_trace);

}  // namespace xsp
