#pragma once

#include "graph/rules/thread_stretches.h"
#include "model/trace.h"

namespace xsp {

// When threads were not scheduled: they slept, waited, or another thread had their CPU. Known only
// where the trace has thread scheduling; work that is made faster does not shorten it.
class OffCpu : public ThreadStretches {
 public:
  explicit OffCpu(const Trace& trace);
};

}  // namespace xsp
