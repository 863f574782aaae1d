#include "base/user_json.h"

#include <catch2/catch.hpp>

#include "base/error.h"

namespace xsp {
namespace {

UserJson Read(std::string_view text) { return UserJson::Parse(text, "my.json", "see docs"); }

template <class Do>
std::string FaultOf(std::string_view text, Do act) {
  try {
    act(Read(text));
  } catch (const Error& error) {
    CHECK(error.hint() == "see docs");
    return error.what();
  }
  return "";
}

std::string FaultOf(std::string_view text) {
  return FaultOf(text, [](const UserJson&) {});
}

TEST_CASE("values are what they were written as, members in order") {
  const UserJson json = Read(R"({"b": [1, -2.5, "x", true, null], "a": {}})");
  REQUIRE(json.Members().size() == 2);
  CHECK(json.Members()[0].first == "b");
  const std::vector<UserJson>& list = json.At("b", "").List();
  REQUIRE(list.size() == 5);
  CHECK(list[0].Count(1) == 1);
  CHECK(list[1].Number(-10, 10) == -2.5);
  CHECK(list[2].Text() == "x");
  CHECK(list[3].Bool());
  CHECK(list[4].kind() == UserJson::Kind::kNull);
  CHECK(json.Find("c") == nullptr);
  CHECK_FALSE(json.TextOf("c"));
}

TEST_CASE("a fault is told with its line and its path") {
  const auto third = [](const UserJson& json) {
    json.At("list", "").List().at(2).At("size", "").Text();
  };
  CHECK(FaultOf("{\"list\": [\n1,\n2,\n{\n\"size\":\n5\n}]}", third) ==
        "my.json:6: list[2].size: is a number, not a text");
  CHECK(FaultOf("{\"list\": [\n1,\n2,\n{}]}", third) == "my.json:4: list[2].size: is missing: ");
  CHECK(FaultOf("[\n1\n]", [](const UserJson& json) { json.List()[0].Text(); }) ==
        "my.json:2: [0]: is a number, not a text");
}

TEST_CASE("what is no JSON is refused with the line") {
  CHECK_THAT(FaultOf("{\n\"a\": 1,\n}"), Catch::StartsWith("my.json:3: is no JSON: "));
  CHECK_THAT(FaultOf(""), Catch::StartsWith("my.json:1: is no JSON: "));
  CHECK_THAT(FaultOf("[1] 2"), Catch::StartsWith("my.json:1: is no JSON: "));
  CHECK_THAT(FaultOf("1e999"), Catch::StartsWith("my.json:1: is no JSON: number overflow"));
  CHECK(FaultOf("\"\xff\"") == "my.json:1: is not UTF-8");
}

TEST_CASE("a key that is there twice, and what is nested too deep, is refused") {
  CHECK(FaultOf("{\"a\": {\"b\": 1,\n\"b\": 2}}") == "my.json:2: a.b: is there twice");
  CHECK(FaultOf(R"([{"a": 1}, {"a": 1}])").empty());
  CHECK_THAT(FaultOf(std::string(100'000, '[')), Catch::EndsWith("is nested too deep"));
}

TEST_CASE("a key that is not known is refused, with the one that was meant") {
  const auto keys = [](const UserJson& json) { json.OnlyKeys({"scale", "select"}); };
  CHECK(FaultOf(R"({"scale": 1, "select": 2})", keys).empty());
  CHECK(FaultOf(R"({"sclae": 1})", keys) ==
        "my.json:1: sclae: is not known here; did you mean 'scale'?");
  CHECK(FaultOf(R"({"x.y": 1})", keys) ==
        "my.json:1: x.y: is not known here; there is scale, select");
  CHECK(FaultOf("[]", keys) == "my.json:1: is a list, not an object");
}

TEST_CASE("numbers and words have bounds") {
  CHECK(FaultOf("5", [](const UserJson& json) { json.Number(0, 1); }) ==
        "my.json:1: must be at most 1");
  CHECK(FaultOf("-5", [](const UserJson& json) { json.Count(1); }) ==
        "my.json:1: must be at least 1");
  CHECK(FaultOf("1.5", [](const UserJson& json) { json.Count(1); }) ==
        "my.json:1: is not a whole number");
  CHECK(FaultOf("\"c\"", [](const UserJson& json) {
          json.Word({"a", "b"});
        }) == "my.json:1: is 'c', not one of a, b");
}

TEST_CASE("a file that cannot be read is an error that names it") {
  CHECK_THROWS_WITH(UserJson::Read("no/such/my.json", ""), "cannot read no/such/my.json");
  CHECK_THROWS_WITH(UserJson::Read(".", ""), "cannot read .");
}

}  // namespace
}  // namespace xsp
