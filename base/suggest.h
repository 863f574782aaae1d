#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xsp {

// How many letters must be added, removed, changed or swapped with a neighbour to make `b` of `a`.
std::size_t EditDistance(std::string_view a, std::string_view b);

// The candidate that was most likely meant: the nearest one that is near enough, or the only one
// that begins with `wrong`. Of equals, the first.
std::optional<std::string> Suggest(std::string_view wrong, std::span<const std::string> candidates);

// "did you mean 'import'?", or nothing.
std::string DidYouMean(std::string_view wrong, std::span<const std::string> candidates);

}  // namespace xsp
