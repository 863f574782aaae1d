#pragma once

#include <string>
#include <string_view>

namespace xsp {

// A name from a trace as GitHub's and GitLab's markdown show it and nothing more: in a code span,
// where tags, links, images, @mentions, #references and emoji are plain letters. Fits into a cell
// of a table. Longer names lose their middle.
std::string MarkdownName(std::string_view name, std::size_t longest = 120);

// Words of our own, which may hold a name in the middle: everything that markup could begin with is
// escaped.
std::string MarkdownWords(std::string_view text);

}  // namespace xsp
