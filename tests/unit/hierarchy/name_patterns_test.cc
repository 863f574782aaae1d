#include "hierarchy/names/name_patterns.h"

#include <catch2/catch.hpp>

using namespace xsp;

TEST_CASE("phases are told by words, not by letters") {
  CHECK(PhaseOfName("forward pass") == Phase::kForward);
  CHECK(PhaseOfName("loss.backward") == Phase::kBackward);
  CHECK(PhaseOfName("Optimizer.step#Adam.step") == Phase::kOptimizer);
  CHECK(PhaseOfName("zero_grad") == Phase::kOptimizer);
  CHECK(PhaseOfName("all_reduce grad [lm_head.weight]") == Phase::kCommunication);
  CHECK(PhaseOfName("post_processing") == Phase::kPostProcess);
  CHECK(PhaseOfName("preprocess") == Phase::kPreProcess);
  CHECK(PhaseOfName("get_batch") == Phase::kDataLoading);
  CHECK(PhaseOfName("forwarding table") == Phase::kNone);
  CHECK(PhaseOfName("Stream Synchronization") == Phase::kNone);
}

TEST_CASE("names speak of steps where the word stands first or last") {
  CHECK(StepRank("Step 7") == 3);
  CHECK(StepRank("ProfilerStep#12") == 3);
  CHECK(StepRank("Warm-up Step 1") == 3);
  CHECK(StepRank("iteration 16") == 3);
  CHECK(StepRank("train_step") == 3);
  CHECK(StepRank("batch 4") == 2);
  CHECK(StepRank("epoch 2") == 1);
  CHECK(StepRank("Lower::validateIterDomainUse") == 0);
  CHECK(StepRank("lr_scheduler.step") == 0);
  CHECK(StepRank("Optimizer.step#Adam.step") == 0);
  CHECK(StepRank("footstep") == 0);
  CHECK(KindOfName("Step 12 of 100") == "Step # of #");
}
