#include "model/string_pool.h"

#include <catch2/catch.hpp>
#include <string>

using namespace xsp;

TEST_CASE("equal strings get one id, in the order of first use", "[model]") {
  StringPool pool;
  CHECK(pool.Intern("gemm").value == 0);
  CHECK(pool.Intern("relu").value == 1);
  CHECK(pool.Intern("gemm").value == 0);
  CHECK(pool.size() == 2);
  CHECK(pool[StringId(1)] == "relu");
}

TEST_CASE("an id that points nowhere reads as the fallback", "[model]") {
  StringPool pool;
  CHECK(pool.Get(StringId(), "?") == "?");
  CHECK_FALSE(pool.Find("absent").valid());
}

TEST_CASE("views outlive growth and moves of the pool", "[model]") {
  StringPool pool;
  std::string_view first = pool[pool.Intern("first")];
  for (int i = 0; i < 20000; ++i) pool.Intern("filler " + std::to_string(i));
  pool.Intern(std::string(200000, 'x'));  // Longer than a block.
  StringPool moved = std::move(pool);
  CHECK(first == "first");
  CHECK(first.data() == moved[StringId(0)].data());
  CHECK(moved.Find("filler 19999").valid());
}

TEST_CASE("a string may hold any byte", "[model]") {
  StringPool pool;
  const std::string odd("a\0b\xff", 4);
  CHECK(pool[pool.Intern(odd)] == odd);
}
