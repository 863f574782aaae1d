#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diff/comparison.h"
#include "tests/unit/diff/run_of.h"

namespace xsp::test {

// Two sides and what came of comparing them.
struct Compared {
  Side base;
  Side now;
  Comparison c;

  Compared(std::vector<Run> base_runs, std::vector<Run> now_runs, CompareOptions options = {})
      : base(std::move(base_runs)), now(std::move(now_runs)), c(Compare(base, now, options)) {}
  Compared(std::string_view base_text, std::string_view now_text, CompareOptions options = {})
      : Compared(One(base_text), One(now_text), std::move(options)) {}

  static std::vector<Run> One(std::string_view text) {
    std::vector<Run> runs;
    runs.push_back(RunOf(text));
    return runs;
  }
};

inline CompareOptions With(const std::vector<std::string>& gates) {
  CompareOptions options;
  options.today = "2026-01-31";
  for (const std::string& gate : gates) options.gates.push_back(ParseGate(gate));
  return options;
}

// The second is a tenth slower, in one kernel.
inline constexpr std::string_view kSteady =
    "steps 1000 1001 999 1002 998 1000\ngpu T4\n"
    "kernel fwd/layer 0/gemm = 400 class=gemm precision=fp16\n"
    "kernel fwd/layer 1/gemm = 400 class=gemm\n"
    "call fwd/layer 0/cudaLaunchKernel = 100 x2 kind=launch\n"
    "call fwd/cudaStreamSynchronize = 50 kind=sync\n";
inline constexpr std::string_view kSlower =
    "steps 1100 1101 1099 1102 1098 1100\ngpu T4\n"
    "kernel fwd/layer 0/gemm = 400 class=gemm precision=fp16\n"
    "kernel fwd/layer 1/gemm = 500 class=gemm\n"
    "call fwd/layer 0/cudaLaunchKernel = 100 x2 kind=launch\n"
    "call fwd/cudaStreamSynchronize = 50 kind=sync\n";

}  // namespace xsp::test
