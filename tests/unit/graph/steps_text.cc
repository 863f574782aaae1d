#include "tests/unit/graph/steps_text.h"

#include <string>

namespace xsp::test {
namespace {

std::string Timeline(const StepText& text) {
  std::string result;
  auto line = [&](const std::string& track, DurationNs begin, DurationNs end,
                  const std::string& what) {
    result += track + " " + std::to_string(begin) + "-" + std::to_string(end) + " " + what + "\n";
  };
  for (int i = 0; i <= text.steps; ++i) {
    const DurationNs at = 1'000'000 + i * text.step;
    const std::string launch = "#" + std::to_string(2 * i + 1);
    const std::string wait = "#" + std::to_string(2 * i + 2);
    if (i < text.steps) {
      line("T" + std::to_string(text.ranges_on), at + text.range_at, at + text.range_at + text.step,
           "push \"step " + std::to_string(i) + "\"");
    }
    line("T1", at + 2'000, at + 5'000, "api cudaLaunchKernel " + launch);
    line("S7", at + 6'000, at + 6'000 + text.kernel, "kernel gemm " + launch);
    if (!text.sync) continue;
    line("T1", at + 10'000, at + text.kernel + 8'000, "api cudaStreamSynchronize " + wait);
    line("T1", at + 10'000, at + text.kernel + 8'000, "sync stream=7 " + wait);
  }
  return result;
}

}  // namespace

StepsCase::StepsCase(const StepText& text)
    : g(Timeline(text)),
      steps(FindSteps(*g.graph().trace)),
      bench(g.graph(), steps, ChooseUnit(g.graph(), steps)) {}

Overlay StepsCase::Kernels(double factor) const {
  Overlay overlay;
  overlay.own = bench.graph().own;
  for (TaskId op : bench.graph().ops()) {
    overlay.own[op] = static_cast<DurationNs>(factor * static_cast<double>(overlay.own[op]));
  }
  return overlay;
}

}  // namespace xsp::test
