#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/trace.h"

namespace xsp {

// What one kernel of a replayed CUDA graph belongs to. Its launch was made at capture: no range
// that was open when the graph was launched tells.
struct KernelOperator {
  EventId kernel;
  std::string module = {};     // A path, "model.layers.0"; empty: not told.
  std::string operation = {};  // "aten::linear"; empty: not told.
  SignatureId signature = {};  // The operation's inputs, in the trace that tells them.
  // Kernels of one launch with the same number are the work of one operation.
  std::uint64_t instance = kMissing<std::uint64_t>;
};

// The trace with a row of operators for each of these kernels, which are ascending. `source` has
// the signatures; null where there are none.
Trace WithKernelOperators(Trace trace, const std::vector<KernelOperator>& kernels,
                          const Trace* source = nullptr);

// The row of operators() for an event, a kernel among them; Trace::kNoOperator where there is none.
std::uint32_t OperatorOfEvent(const Trace& trace, EventId event);

}  // namespace xsp
