#include "report/tables/markdown_text.h"

#include <algorithm>

#include "report/tables/text.h"

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

// Whether text[at] would make a link of what stands around it: [words](address), https://address,
// www.address, somebody@address.
bool MakesLink(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at);
  const bool after_www = at >= 3 && text.substr(at - 3, 3) == "www";
  return rest.starts_with("](") || rest.starts_with("][") || rest.starts_with("]:") ||
         rest.starts_with("://") || rest.front() == '@' || (after_www && rest.front() == '.');
}

}  // namespace

std::string MarkdownCell(std::string_view text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || MakesLink(text, i)) {
      escaped += '\\';
    }
    if (c == '<') {
      escaped += "&lt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string MarkdownParagraph(std::string_view text) {
  const bool is_mark =
      !text.empty() && std::string_view("#>+-=").find(text.front()) != std::string_view::npos;
  return (is_mark ? "\\" : "") + MarkdownCell(text);
}

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

std::string MarkdownHead(const std::vector<MarkdownColumn>& columns) {
  std::string titles, edges;
  for (const MarkdownColumn& column : columns) {
    titles += "| " + column.title + " ";
    edges += column.at_right_edge ? "|--:" : "|---";
  }
  return titles + "|\n" + edges + "|\n";
}

std::string MarkdownRow(const std::vector<std::string>& cells) {
  std::string row;
  for (const std::string& cell : cells) row += "| " + cell + " ";
  return row + "|\n";
}

}  // namespace xsp
