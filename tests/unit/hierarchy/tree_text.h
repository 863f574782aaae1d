#pragma once

#include <string>
#include <string_view>

#include "hierarchy/totals/path_totals.h"
#include "tests/support/timeline.h"

namespace xsp::test {

// A tree as text, one node a line: indentation, level, name, device sum, and in brackets the fact
// that gave the node its place (none: left out). Children in the order of first appearance.
std::string TextOf(const PathTotals& tree);

// The whole trace's tree of a timeline, without CUDA calls.
std::string TreeOf(std::string_view timeline);

// Takes the first line's indentation off all lines, and a leading line break.
std::string Plain(std::string_view text);

}  // namespace xsp::test
