#include "diff/gates/gate.h"

#include <catch2/catch.hpp>

#include "diff/gates/grammar_error.h"

namespace xsp {
namespace {

// What the user is shown: message, text and caret.
std::string RefusalOf(std::string_view text) {
  try {
    ParseGate(text);
  } catch (const GrammarError& error) {
    return std::string(error.what()) + "\n" + error.text() + "\n" + error.Caret();
  }
  return "";
}

TEST_CASE("a gate is a subject and a limit", "[diff]") {
  const Gate step = ParseGate("step > 3%");
  CHECK(step.what == Subject::kStep);
  CHECK(step.limit == Approx(0.03));
  CHECK(step.unit == LimitUnit::kShare);
  CHECK(step.subject == "step");
  CHECK(ParseGate("  step>3 %  ").limit == Approx(0.03));
  CHECK(ParseGate("kernels.added > 0").unit == LimitUnit::kCount);
  CHECK(ParseGate("step > 1.5ms").limit == Approx(1.5e6));
  CHECK(ParseGate("memory.peak > 64 MiB").limit == Approx(64.0 * 1024 * 1024));
  CHECK(ParseGate("launches > 10").what == Subject::kLaunches);
}

TEST_CASE("places are found by level and pattern", "[diff]") {
  const Gate layer = ParseGate("layer:*attention* > 5%");
  CHECK(layer.what == Subject::kPlace);
  CHECK(layer.place == PlaceKind::kLayer);
  CHECK(layer.pattern == "*attention*");
  // The last '>' splits; those in names of kernels do not.
  CHECK(ParseGate("kernel:gemm<float, 4> > 10%").pattern == "gemm<float, 4>");
  CHECK(ParseGate("op:\" a > b \" > 10%").pattern == " a > b ");
  CHECK(ParseGate("class:gemm > 100us").limit == Approx(1e5));
}

TEST_CASE("a gate takes sizes as every option does", "[diff]") {
  CHECK(ParseGate("memory.peak > 2GB").limit == 2e9);
  CHECK(ParseGate("memory.peak > 2GB").unit == LimitUnit::kBytes);
  CHECK(ParseGate("memory.peak > 2G").limit == 2e9);
  CHECK(ParseGate("memory.peak > 2G").unit == LimitUnit::kBytes);
  CHECK(ParseGate("memory.peak > 512 MiB").limit == 512 * 0x1p20);
  CHECK(RefusalOf("memory.peak > 5") ==
        "'memory.peak' is limited in % or bytes (B, KB, MB, GB, KiB, MiB, GiB)\n"
        "memory.peak > 5\n"
        "              ^");
  CHECK(RefusalOf("step > 3GB/s") ==
        "'step' is limited in % or time (ns, us, ms, s)\n"
        "step > 3GB/s\n"
        "       ^~~~~");
}

TEST_CASE("errors of gates point at what is wrong", "[diff]") {
  CHECK(RefusalOf("stpe > 3%") ==
        "'stpe' is nothing that can be limited\n"
        "stpe > 3%\n"
        "^~~~");
  CHECK(RefusalOf("step") ==
        "'> LIMIT' is missing: write it as 'step > 3%'\n"
        "step\n"
        "    ^");
  CHECK(RefusalOf("step < 3%") ==
        "a gate says what fails: 'step > 3%'\n"
        "step < 3%\n"
        "     ^");
  CHECK(RefusalOf("step >= 3%") ==
        "a gate fails beyond its limit: write '>'\n"
        "step >= 3%\n"
        "      ^");
  CHECK(RefusalOf("step > much") ==
        "the limit is no number: write it as 3%, 5ms or 0\n"
        "step > much\n"
        "       ^~~~");
  CHECK(RefusalOf("step > 3 parsecs") ==
        "'parsecs' is no unit\n"
        "step > 3 parsecs\n"
        "         ^~~~~~~");
  CHECK(RefusalOf("step > 3 GiB") ==
        "'step' is limited in % or time (ns, us, ms, s)\n"
        "step > 3 GiB\n"
        "       ^~~~~");
  CHECK(RefusalOf("kernels.added > 5%") ==
        "'kernels.added' counts what was not there before: its limit is a number\n"
        "kernels.added > 5%\n"
        "                ^~");
  CHECK(RefusalOf("lair:*x* > 5%") ==
        "'lair' is no level\n"
        "lair:*x* > 5%\n"
        "^~~~");
  CHECK(RefusalOf("layer: > 5%") ==
        "the pattern is missing: '*' stands for all\n"
        "layer: > 5%\n"
        "      ^");
  CHECK(RefusalOf("step > -3%") ==
        "a limit is not negative\n"
        "step > -3%\n"
        "       ^~~");
  CHECK(RefusalOf("step >") ==
        "the limit is missing\n"
        "step >\n"
        "      ^");
  CHECK(RefusalOf(" > 3%") ==
        "what the limit is for is missing\n"
        "> 3%\n"
        "^");
  CHECK(RefusalOf("  ") ==
        "a gate is empty: write it as 'step > 3%'\n"
        "\n"
        "^");
}

TEST_CASE("the caret counts characters, not bytes", "[diff]") {
  CHECK(RefusalOf("layer:größe > x") ==
        "the limit is no number: write it as 3%, 5ms or 0\n"
        "layer:größe > x\n"
        "              ^");
}

TEST_CASE("a word that is close can be suggested", "[diff]") {
  try {
    ParseGate("stpe > 3%");
    FAIL("must be refused");
  } catch (const GrammarError& error) {
    CHECK(error.word() == "stpe");
    CHECK(error.candidates().front() == "step");
  }
}

TEST_CASE("limits are shown in the unit they were given in, or near it", "[diff]") {
  CHECK(LimitWords(ParseGate("step > 3%")) == "3 %");
  CHECK(LimitWords(ParseGate("step > 2.5%")) == "2.5 %");
  CHECK(LimitWords(ParseGate("step > 1500us")) == "1.5 ms");
  CHECK(LimitWords(ParseGate("memory.peak > 512MiB")) == "512 MiB");
  CHECK(LimitWords(ParseGate("memory.peak > 2GB")) == "2 GB");
  CHECK(LimitWords(ParseGate("memory.peak > 1.5 GiB")) == "1.5 GiB");
  CHECK(LimitWords(ParseGate("memory.peak > 100B")) == "100 B");
  CHECK(LimitWords(ParseGate("kernels.added > 0")) == "0");
}

}  // namespace
}  // namespace xsp
