#include "hierarchy/steps/no_steps.h"

#include <vector>

#include "hierarchy/steps/step_candidates.h"
#include "model/names/kernel_names.h"

namespace xsp {
namespace {

// "3 kernels from compute_flux on come 800 times".
std::string RoundWords(const Trace& trace, const KernelRounds& found) {
  const Repetition& rounds = found.rounds;
  return std::to_string(rounds.period) + " kernels from " +
         BaseKernelName(trace.name(found.kernels.work[rounds.first])) + " on come " +
         std::to_string(rounds.rounds) + " times";
}

}  // namespace

std::string WhyNoSteps(const Trace& trace, const KernelRules& rules) {
  const KernelKinds kinds(trace, rules);
  const std::vector<LaunchedWork> launched = LaunchOrder(trace);
  KernelRounds found;
  found.verdict = KernelRounds::Verdict::kNoKernels;
  for (std::uint32_t p = 0; p < launched.size(); ++p) {
    KernelRounds of_process = FindKernelRounds(trace, kinds, launched[p], ProcessId(p));
    if (of_process.kernels.work.size() <= found.kernels.work.size()) continue;
    found = std::move(of_process);
  }
  switch (found.verdict) {
    case KernelRounds::Verdict::kNoKernels:
      return "no range names steps, and there are no kernels that could repeat";
    case KernelRounds::Verdict::kOneKernel:
      return "no range names steps, and what repeats is one kernel (" +
             BaseKernelName(trace.name(found.kernels.work[found.rounds.first])) + ", " +
             std::to_string(found.rounds.rounds) + " times in a row)";
    case KernelRounds::Verdict::kLikeLayers:
      return "no range names steps; " + RoundWords(trace, found) +
             ", but as layers do: the host waits or copies in few of the rounds";
    case KernelRounds::Verdict::kSmallerPart:
      return "no range names steps; " + RoundWords(trace, found) +
             ", but take less than half of the kernels' time";
    case KernelRounds::Verdict::kNothing:
    case KernelRounds::Verdict::kSteps:
      break;
  }
  return "no range names steps, and no sequence of kernels comes three times";
}

}  // namespace xsp
