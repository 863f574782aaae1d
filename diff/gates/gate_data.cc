#include "diff/gates/gate_data.h"

#include <algorithm>

namespace xsp {
namespace {

// Figures that are told of a unit, or once for a run, and grow with its length.
bool NeedsSameLength(const Comparison& c, const Gate& gate) {
  switch (gate.what) {
    case Subject::kKernelsAdded:
    case Subject::kKernelsRemoved:
    case Subject::kKernelsRenamed:
    case Subject::kMemoryPeak:
    case Subject::kOneTime:
      return false;
    case Subject::kSpan:
    case Subject::kWall:
      return true;
    default:
      return !c.is_step;
  }
}

bool NeedsCalls(const Gate& gate) {
  return gate.what == Subject::kHost || gate.what == Subject::kLaunch ||
         gate.what == Subject::kSync || gate.what == Subject::kLaunches ||
         gate.what == Subject::kSyncs || gate.what == Subject::kOneTime;
}

// Without its kernels a run looks as if the GPU did nothing. What the program itself says of its
// time remains.
bool NeedsKernels(const Comparison& c, const Gate& gate) {
  switch (gate.what) {
    case Subject::kStep:
    case Subject::kStepMedian:
      return !c.is_step;
    case Subject::kPlace:
      return gate.place != PlaceKind::kNvtx;
    case Subject::kLaunches:
    case Subject::kSyncs:
    case Subject::kMemoryPeak:
    case Subject::kWall:
      return false;
    default:
      return true;
  }
}

std::size_t RunsWith(const Side& side, bool RunFactsheet::*fact) {
  return static_cast<std::size_t>(std::count_if(
      side.runs().begin(), side.runs().end(), [fact](const Run& run) { return run.facts.*fact; }));
}

}  // namespace

std::string WhyNoData(const Comparison& c, const Gate& gate) {
  if (!c.other_length.empty() && NeedsSameLength(c, gate)) {
    return c.other_length + ": what " + (c.is_step ? "a run" : "a step") +
           " takes cannot be told from that";
  }
  const std::size_t runs = c.base->runs().size() + c.now->runs().size();
  auto with = [&](bool RunFactsheet::*fact) {
    return RunsWith(*c.base, fact) + RunsWith(*c.now, fact);
  };
  if (NeedsCalls(gate) && with(&RunFactsheet::has_calls) < runs) {
    return "CUDA calls were not recorded on both sides";
  }
  // Where no run has kernels, there are none to be recorded.
  const std::size_t with_kernels = with(&RunFactsheet::has_kernels);
  if (NeedsKernels(c, gate) && with_kernels > 0 && with_kernels < runs) {
    return "kernels were not recorded in all runs";
  }
  return "";
}

}  // namespace xsp
