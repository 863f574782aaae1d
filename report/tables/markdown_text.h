#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xsp {

// A name from a trace as GitHub's and GitLab's markdown show it and nothing more: in a code span,
// where tags, links, images, @mentions, #references and emoji are plain letters. Fits into a cell
// of a table. Longer names lose their middle.
std::string MarkdownName(std::string_view name, std::size_t longest = 120);

// Text with names in it, inside a cell of a table or a line: nothing of it ends the cell, begins a
// tag or is a link.
std::string MarkdownCell(std::string_view text);

// The same as a paragraph, which does not begin like a heading, a quotation or a list either.
std::string MarkdownParagraph(std::string_view text);

// Words of our own, which may hold a name in the middle: everything that markup could begin with is
// escaped.
std::string MarkdownWords(std::string_view text);

// A table of cells that are markdown already: its first two lines, and one of its rows.
struct MarkdownColumn {
  std::string title;
  bool at_right_edge = false;
};
std::string MarkdownHead(const std::vector<MarkdownColumn>& columns);
std::string MarkdownRow(const std::vector<std::string>& cells);

}  // namespace xsp
