#include "tests/proof/proof_case.h"

#include <initializer_list>
#include <iterator>

namespace xsp::proof {
namespace {

using Part = std::vector<ProofCase> (*)();

std::vector<ProofCase> Joined(std::initializer_list<Part> parts) {
  std::vector<ProofCase> all;
  for (Part part : parts) {
    std::vector<ProofCase> some = part();
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

const std::vector<ProofCase>& AllCases() {
  static const std::vector<ProofCase> cases =
      Joined({ComputeCases, SyncCases, PollingCases, LaunchingCases, StreamCases, CopyCases,
              MemoryCases, GraphCases, TrainingCases, SharedGpuCases, OsWaitCases, MpiCases});
  return cases;
}

const std::vector<ProofCase>& AllStepCases() {
  static const std::vector<ProofCase> cases =
      Joined({OneGpuSteps, StepsBeside, BackgroundSteps, LoaderSteps, TrainingSteps, OsWaitSteps});
  return cases;
}

}  // namespace xsp::proof
