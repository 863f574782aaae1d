#include "report/tables/text.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

TEST_CASE("control characters are shown, not obeyed") {
  CHECK(SafeText("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(SafeText("line\nbreak\ttab\rreturn") == "line\\nbreak\\ttab\\rreturn");
  CHECK(SafeText(std::string_view("nul\0", 4)) == "nul\\x00");
  CHECK(SafeText("\x7f") == "\\x7f");
  CHECK(SafeText("\u009b") == "\\x9b");        // The one-byte form of ESC [.
  CHECK(SafeText("a\u202eb") == "a\\u202eb");  // Turns the direction of writing.
  CHECK(SafeText("\xff") == "\uFFFD");
}

TEST_CASE("width counts columns, not bytes") {
  CHECK(DisplayWidth("abc") == 3);
  CHECK(DisplayWidth("é") == 1);
  CHECK(DisplayWidth("e\u0301") == 1);
  CHECK(DisplayWidth("漢字") == 4);
}

TEST_CASE("what is too long loses its middle") {
  CHECK(CutMiddle("abcdefghij", 10) == "abcdefghij");
  CHECK(CutMiddle("abcdefghij", 7) == "abc…hij");
  CHECK(CutMiddle("abcdefghij", 6) == "abc…ij");
  CHECK(CutMiddle("abcdefghij", 1) == "…");
  CHECK(CutMiddle("abcdefghij", 0).empty());
  CHECK(DisplayWidth(CutMiddle("漢字漢字漢字", 6)) <= 6);
}

TEST_CASE("padding counts columns") {
  CHECK(PadLeft("é", 3) == "  é");
  CHECK(PadRight("漢", 3) == "漢 ");
  CHECK(PadLeft("long", 2) == "long");
}

TEST_CASE("text is wrapped at spaces") {
  CHECK(Wrapped("one two three", 7) == "one two\nthree");
  CHECK(Wrapped("one two three", 9, 4) == "one\n    two\n    three");
  CHECK(Wrapped("unbreakable", 3) == "unbreakable");
  CHECK(Wrapped("one\ntwo three", 10) == "one\ntwo three");
  CHECK(Wrapped("one two\nthree\n\nfour", 4, 1) == "one\n two\n three\n \n four");
  // A number stays with its unit.
  CHECK(Wrapped("gemm kernels 11 %. Busy", 15) == "gemm kernels\n11 %. Busy");
  CHECK(Wrapped("took 230.3 ms, mostly", 10) == "took\n230.3 ms,\nmostly");
}

TEST_CASE("bars stand for shares, in half columns") {
  CHECK(Bar(0, 4).empty());
  CHECK(Bar(0.5, 4) == "━━");
  CHECK(Bar(0.625, 4) == "━━╸");
  CHECK(Bar(7, 2) == "━━");
}

TEST_CASE("a first line fits by cutting the file's name, else by another line") {
  CHECK(FitFirstPart("a.sqlite · A100 · whole trace", 80) == "a.sqlite · A100 · whole trace");
  const std::string line = "a_very_long_name_of_a_trace.sqlite · A100 · whole trace";
  CHECK(DisplayWidth(FitFirstPart(line, 40)) == 40);
  CHECK(FitFirstPart(line, 40).ends_with("sqlite · A100 · whole trace"));
  CHECK(FitFirstPart("a.sqlite · a GPU with a long name · whole trace", 40) ==
        "a.sqlite · a GPU with a long name ·\nwhole trace");
}

}  // namespace
}  // namespace xsp
