#include <catch2/catch.hpp>

#include "importers/kineto/inputs.h"
#include "importers/kineto/text.h"
#include "importers/kineto/top_level.h"

using namespace xsp;

TEST_CASE("microseconds become nanoseconds without a double in between") {
  CHECK(MicrosecondsToNs("1683564901548726") == 1683564901548726000);
  CHECK(MicrosecondsToNs("1712195495519689.047") == 1712195495519689047);
  CHECK(MicrosecondsToNs("4458676522690.655") == 4458676522690655);
  CHECK(MicrosecondsToNs("0.7049") == 704);
  CHECK(MicrosecondsToNs("12.3 \n") == 12300);
  CHECK(MicrosecondsToNs("\"12.3\"") == 12300);
  CHECK(MicrosecondsToNs("-0.5") == -500);
  CHECK(MicrosecondsToNs("1.5e3") == 1500000);
  CHECK(MicrosecondsToNs("15E-1") == 1500);
  for (const char* odd : {"", "x", "1.2.3", "-", ".", "1e", "1e99", "99999999999999999999",
                          "9223372036854775.808", "inf", "null", "[", "\"\""}) {
    INFO(odd);
    CHECK_FALSE(MicrosecondsToNs(odd));
  }
}

TEST_CASE("whole numbers may stand in quotes") {
  CHECK(WholeNumber("9216") == 9216);
  CHECK(WholeNumber("\"9216\"") == 9216);
  CHECK(WholeNumber("25.0") == 25);
  CHECK(WholeNumber("-1") == -1);
  CHECK_FALSE(WholeNumber("0x7f"));
  CHECK_FALSE(WholeNumber("\"stream 7\""));
}

TEST_CASE("the name of a copy says from where to where") {
  const CopyName copy = ParseCopyName("Memcpy HtoD (Pinned -> Device)");
  CHECK(copy.kind == CopyKind::kHtoD);
  CHECK(copy.source == MemoryKind::kPinned);
  CHECK(copy.target == MemoryKind::kDevice);
  CHECK(ParseCopyName("Memcpy").kind == CopyKind::kUnknown);
  CHECK(ParseMemsetName("Memset (Device)") == MemoryKind::kDevice);
  CHECK(ParseMemsetName("Memset (Unknown)") == MemoryKind::kUnknown);
  CHECK(BareThreadName("thread 892 (pt_autograd_0)") == "pt_autograd_0");
  CHECK(BareThreadName("python") == "python");
}

TEST_CASE("borders between objects are found, whatever stands in strings") {
  const std::string_view text = R"({"a": "}, {\"b\""}, {"c": [1]} ,
  {"d": 2)";
  const auto last = LastObjectBorder(text);
  REQUIRE(last);
  CHECK(text.substr(last->begin) == R"({"d": 2)");
  CHECK(text.substr(0, last->end).ends_with("[1]}"));
  const auto next = NextObjectBorder(text, 1);
  REQUIRE(next);
  CHECK(text.substr(0, next->end) == R"({"a": "}, {\"b\""})");
  CHECK_FALSE(LastObjectBorder(R"({"a": [{}]})"));
  CHECK(EndOfObject(R"({"a": "}"} tail)") == 10);
  CHECK_FALSE(EndOfObject(R"({"a": "}")"));
  CHECK_FALSE(EndOfObject("}"));
}

TEST_CASE("quotes that nobody escaped are escaped") {
  CHECK(RepairObject(R"({"name": "say "hi" twice", "n": 1})") ==
        R"({"name": "say \"hi\" twice", "n": 1})");
  CHECK(RepairObject(R"({"p": "C:\Users\new"})") == R"({"p": "C:\\Users\new"})");
  CHECK(RepairObject("{\"a\": \"x\ty\xff\"}") == "{\"a\": \"x y\xef\xbf\xbd\"}");
}

TEST_CASE("sizes and types of inputs are put together") {
  const auto inputs =
      ReadKinetoInputs("[[64], [], [[2, 3], [4]], []]", R"(["float", "Scalar", "TensorList"])");
  REQUIRE(inputs.size() == 5);
  CHECK(inputs[0].type == "float");
  CHECK(inputs[0].sizes == std::vector<std::uint64_t>{64});
  CHECK(inputs[1].sizes.empty());
  CHECK(inputs[2].operand == 2);
  CHECK(inputs[2].element == 0);
  CHECK(inputs[3].element == 1);
  CHECK(inputs[3].sizes == std::vector<std::uint64_t>{4});
  CHECK(inputs[4].operand == 3);
  CHECK(inputs[4].type.empty());
  CHECK(ReadKinetoInputs("", R"(["int"])").front().type == "int");
  CHECK(ReadKinetoInputs("]]][[[", "").size() == 1);
}

TEST_CASE("of the outermost object only a few keys are read") {
  KinetoTopLevel top;
  const std::string text =
      R"({"a\"": {"traceEvents": [1, "]"]}, "schemaVersion": 1, "metadata": {"token": "hunter2"},)"
      R"( "distributedInfo": {"rank": 3}, "traceEvents": [{)";
  // However the text is cut, the outcome is the same.
  for (char c : text.substr(0, text.size() - 2)) CHECK(top.Feed(std::string(1, c)) == 1);
  CHECK_FALSE(top.at_events());
  CHECK(top.Feed("[{") == 1);
  CHECK(top.at_events());
  top.ResumeBehindEvents();
  top.Feed(R"(, "baseTimeNanoseconds": 17 , "username": "me"} trailing)");
  CHECK(top.values().size() == 3);
  const KinetoFacts facts = ReadKinetoFacts(top);
  CHECK(facts.rank == 3u);
  CHECK(facts.base_ns == 17);
  CHECK(facts.schema_version == "1");
}
