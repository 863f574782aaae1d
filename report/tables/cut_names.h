#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace xsp {

// The names of a column, each at most `width` columns wide. What is too long loses its middle, as
// in CutMiddle; where that would make two different names look the same, what is kept behind the
// cut is the place in which they differ, and where even that does not tell them apart, they end in
// a number (#1, #2, in the order of the column). Expects safe text.
std::vector<std::string> CutApart(const std::vector<std::string>& names, std::size_t width);

}  // namespace xsp
