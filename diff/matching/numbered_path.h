#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace xsp {

// A path with its numbers taken out, and these: layers that differ only by their numbers have the
// same pattern.
struct NumberedPath {
  std::string pattern;  // "forward/layer N/attention", with a control character for each N.
  std::vector<std::string> numbers;
};

NumberedPath TakeNumbers(const std::string& path);

// One path for several of the same pattern: "forward/layer 0–31/attention".
std::string PathOf(const std::vector<const NumberedPath*>& paths);

}  // namespace xsp
