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

}  // namespace
}  // namespace xsp
