#include "hierarchy/name_patterns.h"

#include <catch2/catch.hpp>

using namespace xsp;

namespace {

std::string Shown(std::string_view text) {
  const ParsedRangeName parsed = ParseRangeName(text);
  return parsed.own.empty() ? std::string(parsed.text) : parsed.own;
}

}  // namespace

TEST_CASE("a PyTorch operation's fields are taken off from the right") {
  const ParsedRangeName op =
      ParseRangeName("aten::addmm, seq = 595, op_id = 1650, sizes = [[64], [32, 128], [128, 64]]");
  CHECK(op.text == "aten::addmm");
  CHECK(op.sequence == 595);
  CHECK(op.level == Level::kOp);
  CHECK_FALSE(op.is_backward);
  CHECK(Shown("Fancy<a, b>, seq = 3, op_id = 2, sizes = [], input_op_ids = [(1,0)]") ==
        "Fancy<a, b>");
  CHECK(ParseRangeName("my, op, seq = 12").sequence == 12);
  CHECK(ParseRangeName("broken, seq = 99999999999").sequence == -1);
  CHECK(ParseRangeName("broken, seq = x").sequence == -1);
}

TEST_CASE("autograd nodes are told from a user's backward pass") {
  CHECK(ParseRangeName("AddmmBackward0, seq = 5, op_id = 7").is_backward);
  CHECK(ParseRangeName("AddmmBackward, seq = 5").is_backward);
  CHECK(ParseRangeName("torch::autograd::CopyBackwards, seq = 5").is_backward);
  CHECK_FALSE(ParseRangeName("Backward").is_backward);
  CHECK_FALSE(ParseRangeName("my Backward").is_backward);
  CHECK_FALSE(ParseRangeName("Backward").level.has_value());
}

TEST_CASE("dictionaries of PyProf become operations and layers") {
  CHECK(Shown("{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [{'name': ''}]}") ==
        "torch.nn.functional.conv2d");
  CHECK(Shown("{'traceMarker': ['net.py:42', '/usr/lib/python3/site-packages/torch/m.py:9'], "
              "'funcStack': '/<module>/Net::_call_impl/Net::forward/relu'}") ==
        "Net::forward/relu (net.py:42)");
  CHECK(ParseRangeName("{'traceMarker': [], 'funcStack': ''}").level == Level::kLayer);
  CHECK(Shown("{\"model_config\": 1}") == "{\"model_config\": 1}");
  CHECK(Shown("{'op': 'unclosed") == "{'op': 'unclosed");
}

TEST_CASE("XLA names show the operation and the module") {
  CHECK(Shown("Thunk:#name=x,hlo_op=fusion.1#") == "fusion.1");
  CHECK(Shown("XlaModule:#prefix=p,hlo_module=jit_f,program_id=3#") == "jit_f");
  CHECK(ParseRangeName("Thunk:#hlo_op=fusion.1#").level == Level::kOp);
  CHECK(Shown("layer:encoder.0") == "encoder.0");
}

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
