#include "sim/models/throughput.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/sim/text_workbench.h"

namespace xsp {
namespace {

using test::TextWorkbench;

// Steps of 1 ms, each with one product of 100 us; `name` follows the step's number, `sizes` are the
// product's.
std::string Products(const std::string& name, const std::string& sizes, int steps = 4) {
  std::string text;
  for (int i = 0; i < steps; ++i) {
    const int at = i * 1'000'000, id = i + 1;
    text += "T1 " + std::to_string(at) + "-" + std::to_string(at + 999'000) + " push \"step " +
            std::to_string(i) + " " + name + "\"\n";
    text += "T1 " + std::to_string(at + 1000) + "-" + std::to_string(at + 9000) +
            " push \"aten::mm, seq = " + std::to_string(i) + sizes + "\"\n";
    text += "T1 " + std::to_string(at + 2000) + "-" + std::to_string(at + 6000) +
            " api cudaLaunchKernel #" + std::to_string(id) + "\n";
    text += "S7 " + std::to_string(at + 10'000) + "-" + std::to_string(at + 110'000) +
            " kernel ampere_sgemm_128x64_tn #" + std::to_string(id) + "\n";
  }
  return text;
}

Throughput Of(const std::string& timeline, const StatedRun& stated = {}) {
  WorkbenchOptions options;
  options.peaks.fp32 = 10e12;
  const TextWorkbench text(timeline, options);
  return FindThroughput(text.bench(), stated, 100'000);
}

constexpr const char* kSizes = ", sizes = [[1024, 512], [512, 256]]";
constexpr double kFlops = 2.0 * 1024 * 512 * 256;

TEST_CASE("the number of tokens is read off a step's text, and only where it is one") {
  CHECK(TokensInText("step 3 tokens=4096") == 4096);
  CHECK(TokensInText("num_tokens: 512, requests: 4") == 512);
  CHECK(TokensInText("batch of 2048 tokens") == 2048);
  CHECK(TokensInText("1,024 tokens") == 1024);
  CHECK(TokensInText("tokens=1,024, seqs=3") == 1024);
  CHECK(TokensInText("tokens_8") == 8);
  for (const char* none : {"step 7", "tokenizer 3", "8 tokenizers", "0.5 tokens", "tokens=4k",
                           "tokens=0", "tokens per second", "tokens=1.5"}) {
    CAPTURE(none);
    CHECK_FALSE(TokensInText(none));
  }
}

TEST_CASE("HFU is what products did by their sizes, MFU what the model needs") {
  StatedRun stated;
  stated.params = 1e6;
  const Throughput found = Of(Products("tokens=100", kSizes), stated);
  REQUIRE(found.is_step);
  CHECK(found.facts.tokens == 100);
  CHECK(found.facts.tokens_source == "the names of the steps");
  CHECK(*found.tokens_per_s == Approx(100e3).epsilon(0.001));
  CHECK(found.executed_flops == Approx(kFlops));
  // In 1 ms, at 10 TFLOP/s.
  CHECK(*found.hfu == Approx(kFlops / 1e10).epsilon(0.001));
  CHECK(*found.mfu == Approx(2 * 100 * 1e6 / 1e10).epsilon(0.001));  // No backward pass: 2, not 6.
}

TEST_CASE("HFU is not told by the sizes of less than half of the matrix work") {
  std::string text = Products("", kSizes);
  for (int i = 0; i < 4; ++i) {
    const int at = i * 1'000'000 + 200'000;
    const std::string id = std::to_string(50 + i);
    text += "T1 " + std::to_string(at) + "-" + std::to_string(at + 4000) +
            " api cudaLaunchKernel #" + id + "\nS7 " + std::to_string(at + 5000) + "-" +
            std::to_string(at + 155'000) + " kernel ampere_sgemm_64x64_nn #" + id + "\n";
  }
  const Throughput found = Of(text);
  CHECK(found.executed_flops == Approx(kFlops));
  CHECK_FALSE(found.hfu);
  CHECK_FALSE(Of(Products("", "")).hfu);
}

TEST_CASE("what was said goes before what the trace tells, and money is of all GPUs") {
  StatedRun stated;
  stated.tokens = 7;
  stated.price_per_hour = 3.6;
  const Throughput found = Of(Products("tokens=100", kSizes), stated);
  CHECK(found.facts.tokens == 7);
  CHECK(found.facts.tokens_source == "given");
  CHECK(found.idle_share == Approx(0.9).epsilon(0.001));
  CHECK(*found.Price(1000) == Approx(1.0));
  CHECK_FALSE(Of(Products("", kSizes)).Price(1000));
}

}  // namespace
}  // namespace xsp
