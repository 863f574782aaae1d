#include "model/names/framework_names.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <set>
#include <sstream>

#include "base/error.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

// "step decode requests=8 tokens=8", "layer model.layers.0 [[8, 4096]]", "host sample weak".
std::string DescribeText(const FrameworkNames& names, const FrameworkText& text) {
  std::string words(NameOf(text.role));
  const auto add = [&](const char* name, std::uint64_t value) {
    if (value != kMissing<std::uint64_t>) words += std::string(" ") + name + std::to_string(value);
  };
  if (text.role == TextRole::kStep) {
    words += " " + text.step.kind;
    add("iteration=", text.step.iteration);
    add("requests=", text.step.requests);
    add("tokens=", text.step.tokens);
    if (text.step.lengths) {
      add("sq=", text.step.lengths->sq);
      add("sk=", text.step.lengths->sk);
      add("sqsq=", text.step.lengths->sqsq);
      add("sqsk=", text.step.lengths->sqsk);
    }
  } else if (!text.word.empty()) {
    words += " " + std::string(text.word);
  }
  if (!text.module.empty()) words += " " + std::string(text.module) + " ";
  if (!text.shapes.empty()) words += std::string(text.shapes.substr(0, text.shapes.find("]]") + 2));
  if (names.patterns()[text.pattern].is_weak) words += " weak";
  return words;
}

std::string IdOf(const FrameworkPattern& pattern) { return pattern.framework + "/" + pattern.id; }

std::string Trimmed(std::string text) {
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

struct TextCase {
  std::string pattern, want, text;
};

std::vector<TextCase> ReadCases() {
  std::ifstream file(test::SourceDir() / "tests/data/framework_texts.tsv");
  std::vector<TextCase> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# ")) continue;
    std::istringstream fields(line);
    TextCase& row = cases.emplace_back();
    std::getline(fields, row.pattern, '\t');
    std::getline(fields, row.want, '\t');
    std::getline(fields, row.text);
  }
  return cases;
}

TEST_CASE("every text of every pack says what its framework means, and its near miss nothing") {
  const FrameworkNames& names = FrameworkNames::BuiltIn();
  std::set<std::string> fits, misses;
  for (const TextCase& row : ReadCases()) {
    INFO(row.text);
    const std::optional<FrameworkText> found = names.Match(row.text);
    if (row.want == "-") {
      misses.insert(row.pattern);
      CHECK((!found || IdOf(names.patterns()[found->pattern]) != row.pattern));
      continue;
    }
    REQUIRE(found);
    fits.insert(row.pattern);
    CHECK(IdOf(names.patterns()[found->pattern]) == row.pattern);
    CHECK(Trimmed(DescribeText(names, *found)) == Trimmed(row.want));
  }
  for (const FrameworkPattern& pattern : names.patterns()) {
    INFO(IdOf(pattern));
    CHECK(fits.contains(IdOf(pattern)));
    CHECK(misses.contains(IdOf(pattern)));
  }
}

TEST_CASE("texts of no framework are nobody's") {
  for (const char* text : {"", "step 7", "forward", "aten::mm, seq = 5", "ProfilerStep#3",
                           "Warm-up Step 1", "loss.backward()", "blocks", "Layer 3"}) {
    INFO(text);
    CHECK_FALSE(FrameworkNames::BuiltIn().Match(text));
  }
}

TEST_CASE("a number too large for any program is not told") {
  const auto found = FrameworkNames::BuiltIn().Match("step[DECODE bs=99999999999999999999]");
  REQUIRE(found);
  CHECK(found->step.kind == "decode");
  CHECK(found->step.requests == kMissing<std::uint64_t>);
  CHECK(found->step.tokens == kMissing<std::uint64_t>);
}

TEST_CASE("texts of a megabyte are looked at from their begin") {
  const std::string shapes(1 << 20, '[');
  const std::string text =
      "{'Module': 'model.layers.0', 'TrainableParams': {}, 'Inputs': " + shapes;
  const auto found = FrameworkNames::BuiltIn().Match(text);
  REQUIRE(found);
  CHECK(found->module == "model.layers.0");
  CHECK(found->shapes.size() <= FrameworkNames::kLongestText);
  CHECK_FALSE(FrameworkNames::BuiltIn().Match("{'Module': '" + std::string(1 << 20, 'x') + "'}"));
}

TEST_CASE("a user's pack comes before the built-in ones") {
  const FrameworkNames names = FrameworkNames::FromJson(R"json({"framework": "ours", "texts": [
    {"id": "step", "match": "serve (?P<mode>\\w+) n=(?P<requests>\\d+)", "role": "step",
     "kinds": {"new": "prefill", "next": "decode"}, "tokens_per_request": 1},
    {"id": "vllm", "match": "execute_new_.*", "role": "host", "kind": "other"}]
})json",
                                                        "ours.json");
  const auto decode = names.Match("serve next n=5");
  REQUIRE(decode);
  CHECK(DescribeText(names, *decode) == "step decode requests=5 tokens=5");
  // A mode that the pack does not list is a kind of its own.
  CHECK(DescribeText(names, *names.Match("serve other n=5")) == "step other requests=5");
  CHECK(DescribeText(names, *names.Match("execute_new_1_cached_6")) == "host other");
  CHECK(DescribeText(names, *names.Match("step[IDLE bs=0]")) == "step idle requests=0 tokens=0");
}

std::string FaultOfPack(const std::string& rows) {
  try {
    FrameworkNames::FromJson("{\"framework\": \"ours\", \"texts\": [\n" + rows + "]}", "ours.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("what is wrong with a pack is told with file and line") {
  CHECK(FaultOfPack(R"({"id": "a", "match": "(", "role": "host"})")
            .starts_with("ours.json:2: texts[0].match: is no regular expression: "));
  CHECK(FaultOfPack(R"json({"id": "a", "match": "(?P<size>x)", "role": "host"})json") ==
        "ours.json:2: texts[0].match: has the part 'size', which means nothing here");
  CHECK(FaultOfPack(R"({"id": "a", "match": "x", "role": "step"})")
            .starts_with("ours.json:2: texts[0]: does not tell the kind of the step"));
  CHECK(FaultOfPack(R"({"id": "a", "match": "x", "role": "step", "kinds": {"a": "decode"}})")
            .starts_with("ours.json:2: texts[0]: has \"kinds\", but no part (?P<mode>...)"));
  CHECK(FaultOfPack(R"({"id": "a", "match": "x", "role": "phase"})") ==
        "ours.json:2: texts[0]: does not tell which phase: give \"kind\"");
  CHECK(FaultOfPack(R"({"id": "a", "match": "x", "role": "step", "kind": "De code"})") ==
        "ours.json:2: texts[0].kind: is 'De code': write it in lower case, a-z, 0-9 and _");
  CHECK(FaultOfPack("{\"id\": \"a\", \"match\": \"x\", \"role\": \"host\"},\n"
                    "{\"id\": \"a\", \"match\": \"y\", \"role\": \"host\"}") ==
        "ours.json:3: texts[1].id: is that of an earlier one");
  CHECK(FaultOfPack(R"({"id": "a", "match": "x", "role": "hots"})").starts_with("ours.json:2: "));
}

}  // namespace
}  // namespace xsp
