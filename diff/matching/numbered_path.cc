#include "diff/matching/numbered_path.h"

#include <set>
#include <tuple>

#include "base/ascii.h"

namespace xsp {
namespace {

// Stands for a number in a pattern: names may hold a '#' of their own ("Optimizer.step#Adam").
constexpr char kNumber = '\x01';

// "0–31" for the numbers of several paths at one position.
std::string NumberWords(const std::vector<const NumberedPath*>& paths, std::size_t position) {
  auto less = [](const std::string& a, const std::string& b) {
    return std::tuple(a.size(), a) < std::tuple(b.size(), b);
  };
  std::set<std::string, decltype(less)> numbers(less);
  for (const NumberedPath* path : paths) numbers.insert(path->numbers[position]);
  if (numbers.size() == 1) return *numbers.begin();
  return *numbers.begin() + "–" + *numbers.rbegin();
}

}  // namespace

NumberedPath TakeNumbers(const std::string& path) {
  NumberedPath result;
  for (std::size_t i = 0; i < path.size();) {
    std::size_t end = i;
    while (end < path.size() && IsDigit(path[end])) ++end;
    if (end == i) {
      result.pattern += path[i++];
      continue;
    }
    result.pattern += kNumber;
    result.numbers.push_back(path.substr(i, end - i));
    i = end;
  }
  return result;
}

std::string PathOf(const std::vector<const NumberedPath*>& paths) {
  std::string text;
  std::size_t position = 0;
  for (char c : paths.front()->pattern) {
    if (c == kNumber && position < paths.front()->numbers.size()) {
      text += NumberWords(paths, position++);
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace xsp
