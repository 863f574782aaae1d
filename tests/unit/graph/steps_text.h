#pragma once

#include "graph/unit/unit_bench.h"
#include "hierarchy/steps/steps.h"
#include "tests/unit/graph/edges_text.h"

namespace xsp::test {

// Steps in which the host launches a kernel, waits for it and goes on to work: by default 60 and 40
// of 100 µs. One more round follows that is no step.
struct StepText {
  int steps = 8;
  DurationNs step = 100'000;
  DurationNs kernel = 60'000;
  bool sync = true;
  int ranges_on = 1;        // The thread that opens the ranges,
  DurationNs range_at = 0;  // and when, from the begin of the round.
};

// Such a timeline with its graph, its steps and a bench for its unit.
struct StepsCase {
  explicit StepsCase(const StepText& text = {});

  // Every kernel takes so much of its time.
  Overlay Kernels(double factor) const;

  GraphOf g;
  Steps steps;
  UnitBench bench;
};

}  // namespace xsp::test
