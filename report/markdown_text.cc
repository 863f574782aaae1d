#include "report/markdown_text.h"

#include <algorithm>

#include "report/text.h"

namespace xsp {
namespace {

// A code span ends at as many backticks as it began with, so it needs one more than the name has.
std::size_t LongestRunOfTicks(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string MarkdownName(std::string_view name, std::size_t longest) {
  const std::string safe = CutMiddle(SafeText(name), longest);
  const std::string ticks(LongestRunOfTicks(safe) + 1, '`');
  // Spaces keep a tick of the name away from those of the span; one on each side is not shown.
  const bool pad = safe.empty() || safe.front() == '`' || safe.back() == '`' ||
                   (safe.front() == ' ' && safe.back() == ' ');
  std::string text = ticks + (pad ? " " : "");
  for (char c : safe) {
    if (c == '|') text += '\\';  // Else the cell ends here, code or not.
    text += c;
  }
  return text + (pad ? " " : "") + ticks;
}

std::string MarkdownWords(std::string_view text) {
  constexpr std::string_view kMarks = "\\`*_{}[]<>()#!|~@&$";
  std::string escaped;
  for (char c : SafeText(text)) {
    if (kMarks.find(c) != kMarks.npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace xsp
