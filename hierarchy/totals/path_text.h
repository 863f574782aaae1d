#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace xsp {

// Names from the outermost to the innermost, joined by '/': "block 3/attention". Ranges can nest
// ten thousands deep (a recursion, a range that is never popped), and every one has a path: of
// those deeper than any program's layers only the innermost name is told, and how many were left
// out.
class PathText {
 public:
  static constexpr std::uint32_t kMostNames = 64;

  std::string_view text() const { return text_; }

  PathText Below(std::string_view name) const;

 private:
  std::string text_;
  std::size_t outer_bytes_ = 0;  // Of the text, what deeper paths begin with.
  std::uint32_t left_out_ = 0;   // Between these and the innermost, which counts.
  std::uint32_t names_ = 0;
};

// The same for any row of a tree, made when it is asked for: no text is kept, and no row is
// followed up to the root.
class TreePaths {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit TreePaths(std::size_t rows) : rows_(rows) {}

  // Below a row that was placed before; kNone for a row that paths begin with. Rows that are never
  // placed have no path.
  void Place(std::uint32_t row, std::uint32_t parent);

  using NameOf = std::function<std::string_view(std::uint32_t)>;
  std::string Text(std::uint32_t row, const NameOf& name_of) const;

 private:
  struct Row {
    std::uint32_t parent = kNone;
    std::uint32_t names = 0;      // In its path.
    std::uint32_t outer = kNone;  // The innermost row above it that PathText would tell.
  };
  std::vector<Row> rows_;
};

// The path of one row; `parent_of` gives kNone above the outermost.
std::string PathOf(std::uint32_t row, const std::function<std::uint32_t(std::uint32_t)>& parent_of,
                   const TreePaths::NameOf& name_of);

}  // namespace xsp
