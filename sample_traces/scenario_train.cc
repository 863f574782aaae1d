#include <deque>

#include "sample_traces/scenarios.h"
#include "sample_traces/training.h"

namespace xsp::samples {

Scenario MakeTrain(const ScenarioOptions& options) {
  Scenario scenario;
  TrainingRank rank(scenario.program, options, 0);
  rank.Write({});
  return scenario;
}

// Data parallel: one process for each GPU, gradients summed over all of them.
Scenario MakeMulti(const ScenarioOptions& options) {
  Scenario scenario;
  std::deque<TrainingRank> ranks;
  Communicator communicator;
  for (int32_t device = 0; device < options.ranks; ++device) {
    ranks.emplace_back(scenario.program, options, device);
    communicator.contexts.push_back(ranks.back().context());
  }
  scenario.program.communicators.push_back(communicator);
  for (int32_t rank = 0; rank < options.ranks; ++rank) {
    ranks[static_cast<size_t>(rank)].Write({0, rank, options.ranks});
  }
  // No two devices are equally fast: the others wait for the last in every all-reduce.
  for (int32_t rank = 0; rank < options.ranks; ++rank) {
    scenario.machine.slowness.push_back(1'000 + 14 * rank);
  }
  scenario.options.payload_blobs = true;
  return scenario;
}

}  // namespace xsp::samples
