#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.h"

namespace xsp {

// Tells the kernels of communication libraries (NCCL, NVSHMEM, DeepEP) by their names, each name
// looked at once.
class CommunicationKernels {
 public:
  explicit CommunicationKernels(const Trace& trace)
      : trace_(trace), verdicts_(trace.strings().size(), Verdict::kUnknown) {}

  bool Contains(EventId kernel);

 private:
  enum class Verdict : std::uint8_t { kUnknown, kNo, kYes };

  const Trace& trace_;
  std::vector<Verdict> verdicts_;  // By name.
};

}  // namespace xsp
