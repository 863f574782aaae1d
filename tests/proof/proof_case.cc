#include "tests/proof/proof_case.h"

#include <iterator>

namespace xsp::proof {

const std::vector<ProofCase>& AllCases() {
  static const std::vector<ProofCase> cases = [] {
    std::vector<ProofCase> all;
    for (auto* part : {ComputeCases, SyncCases, StreamCases, CopyCases, MemoryCases, GraphCases,
                       TrainingCases, SharedGpuCases}) {
      std::vector<ProofCase> some = part();
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
    return all;
  }();
  return cases;
}

}  // namespace xsp::proof
