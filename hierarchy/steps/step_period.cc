#include "hierarchy/steps/step_period.h"

#include <algorithm>

#include "base/hash.h"
#include "hierarchy/steps/work_tokens.h"

namespace xsp {
namespace {

// Steps differ now and then for reasons of their own (an allocator's memset, a log line): nine in
// ten must agree. A period of 16 shows in two pairs of 16 when it is taken for one of 1.
constexpr std::size_t kAgreeTenths = 9;
// Fewer pairs of steps than this, or than half a period, agree by chance.
constexpr std::size_t kFewestPairs = 2;

// What each step holds, all processes together, as one number: threads interleave their launches
// differently from step to step, so the order does not count.
std::vector<std::uint64_t> ContentsOf(const Trace& trace, const KernelKinds& kinds,
                                      const std::vector<LaunchedWork>& launched, const Steps& steps,
                                      bool kernels_only) {
  std::vector<std::uint64_t> contents(steps.size(), 0);
  const EventSpan copies = trace.OfKind(EventKind::kMemcpy);
  const EventSpan memsets = trace.OfKind(EventKind::kMemset);
  for (std::uint32_t process = 0; process < launched.size(); ++process) {
    const LaunchedWork& of_process = launched[process];
    const std::vector<std::uint32_t> tokens = TokensOf(trace, kinds, of_process.work);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const EventId work = of_process.work[i];
      if (kernels_only && (copies.Contains(work) || memsets.Contains(work))) continue;
      const std::uint32_t step = steps.StepAt(ProcessId(process), of_process.launch[i]);
      if (step == Steps::kOutside) continue;
      contents[step] += MixedBits((std::uint64_t{process} << 32) + tokens[i] + 1);
    }
  }
  return contents;
}

}  // namespace

std::uint32_t PeriodOf(const std::vector<std::uint64_t>& contents) {
  for (std::uint32_t period = 1; period <= kLongestPeriod && period < contents.size(); ++period) {
    const std::size_t pairs = contents.size() - period;
    if (pairs < std::max<std::size_t>(kFewestPairs, period / 2)) break;
    std::size_t same = 0;
    for (std::size_t i = 0; i < pairs; ++i) same += contents[i] == contents[i + period];
    if (same * 10 >= pairs * kAgreeTenths) return period;
  }
  return 0;
}

std::uint32_t FindPeriod(const Trace& trace, const KernelKinds& kinds,
                         const std::vector<LaunchedWork>& launched, const Steps& steps,
                         std::string_view kind) {
  const std::vector<std::uint32_t> counted = steps.Counted(kind);
  if (counted.size() < kStepsForUnit) return 1;
  // Copies and memsets come and go with allocators and loaders. Where they follow no rule, the
  // kernels may.
  for (const bool kernels_only : {false, true}) {
    const std::vector<std::uint64_t> all = ContentsOf(trace, kinds, launched, steps, kernels_only);
    std::vector<std::uint64_t> contents;
    for (std::uint32_t step : counted) contents.push_back(all[step]);
    if (const std::uint32_t period = PeriodOf(contents); period > 0) return period;
  }
  return 1;
}

}  // namespace xsp
