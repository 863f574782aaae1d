#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace xsp {

// What people and their scripts write by hand: rules, policies, what-ifs, lists of runs.
inline constexpr std::size_t kMostByHand = 16 << 20;

// All bytes of a file that is read at once. Throws Error for what cannot be read, and for one that
// is larger than that: a device may have no end, and what is named may be anything.
std::string ReadWholeFile(const std::filesystem::path& file, std::size_t most = kMostByHand);

}  // namespace xsp
