#include "hierarchy/totals/path_text.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

TEST_CASE("a path is all names from the outermost to the innermost") {
  CHECK(PathText().Below("block 3").Below("attention").text() == "block 3/attention");
}

TEST_CASE("a path that is deeper than any program stays short") {
  PathText path;
  for (int i = 0; i < 64; ++i) path = path.Below("r");
  const std::string outer(path.text());
  CHECK(path.Below("a").text() == outer + "/a");
  CHECK(path.Below("a").Below("b").text() == outer + "/[1 more]/b");
  CHECK(path.Below("a").Below("b").Below("c").text() == outer + "/[2 more]/c");
}

TEST_CASE("a path of long names stays short") {
  const std::string name(20'000, 'x');
  PathText path;
  for (int i = 0; i < 30; ++i) path = path.Below(name);
  CHECK(path.text().size() < 3 * name.size());
}

TEST_CASE("paths of a tree are told as one by one, without walking up") {
  constexpr std::uint32_t kRows = 200;
  TreePaths paths(kRows);
  PathText text;
  auto name_of = [](std::uint32_t row) { return std::string_view(row % 2 == 0 ? "even" : "odd"); };
  auto parent_of = [](std::uint32_t row) { return row == 0 ? TreePaths::kNone : row - 1; };
  for (std::uint32_t row = 0; row < kRows; ++row) {
    paths.Place(row, parent_of(row));
    text = text.Below(name_of(row));
    CHECK(paths.Text(row, name_of) == text.text());
    CHECK(PathOf(row, parent_of, name_of) == text.text());
  }
}

}  // namespace
}  // namespace xsp
