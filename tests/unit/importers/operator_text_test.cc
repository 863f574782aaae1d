#include "importers/operators/operator_text.h"

#include <catch2/catch.hpp>

#include "importers/operators/operator_inputs.h"
#include "tests/support/timeline.h"

using namespace xsp;

namespace {

std::string Shown(std::string_view text) {
  const std::optional<OperatorText> parsed = ParseOperatorText(text);
  return parsed ? std::string(parsed->shown()) : "-";
}

// Name, role and inputs of the operators of a trace, a line each.
std::string OperatorsOf(std::string_view timeline) {
  const Trace trace = test::MakeTrace(timeline);
  const Operators& operators = trace.operators();
  std::string text;
  for (std::uint32_t row = 0; row < operators.event.size(); ++row) {
    text += std::string(trace.strings()[operators.name[row]]) + " role " +
            std::to_string(static_cast<int>(operators.role[row]));
    if (operators.module[row].valid()) {
      text += " in " + std::string(trace.strings()[operators.module[row]]);
    }
    const auto [first, last] = trace.OperandsOf(operators.signature[row]);
    for (std::uint32_t i = first; i < last; ++i) {
      const Operands& inputs = trace.operands();
      text += " " + std::to_string(inputs.operand[i]);
      text += std::string(trace.strings().Get(inputs.type[i]));
      if (inputs.size[i] != kMissing<std::uint64_t>) text += ":" + std::to_string(inputs.size[i]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a PyTorch operation's fields are taken off from the right") {
  const auto op = ParseOperatorText(
      "aten::addmm, seq = 595, op_id = 1650, sizes = [[64], [32, 128], [128, 64]]");
  REQUIRE(op);
  CHECK(op->name == "aten::addmm");
  CHECK(op->sequence == 595);
  CHECK(op->id == 1650);
  CHECK(op->role == OperatorRole::kOperation);
  CHECK(op->inputs == "[[64], [32, 128], [128, 64]]");
  CHECK_FALSE(op->is_backward);
  CHECK(Shown("Fancy<a, b>, seq = 3, op_id = 2, sizes = [], input_op_ids = [(1,0)]") ==
        "Fancy<a, b>");
  CHECK(ParseOperatorText("my, op, seq = 12")->sequence == 12);
  CHECK(ParseOperatorText("broken, seq = 99999999999999999999")->sequence ==
        kMissing<std::int64_t>);
  CHECK(ParseOperatorText("broken, seq = x")->sequence == kMissing<std::int64_t>);
  CHECK(ParseOperatorText("broken, seq = -5")->sequence == kMissing<std::int64_t>);
  CHECK(Shown("a user's range") == "-");
}

TEST_CASE("autograd nodes are told from a user's backward pass") {
  CHECK(ParseOperatorText("AddmmBackward0, seq = 5, op_id = 7")->is_backward);
  CHECK(ParseOperatorText("AddmmBackward, seq = 5")->is_backward);
  CHECK(ParseOperatorText("torch::autograd::CopyBackwards, seq = 5")->is_backward);
  CHECK(ParseOperatorText("autograd::engine::evaluate_function: AddmmBackward0")->is_backward);
  CHECK_FALSE(ParseOperatorText("Backward"));
  CHECK_FALSE(ParseOperatorText("my Backward"));
}

TEST_CASE("dictionaries of PyProf become operations and layers") {
  CHECK(Shown("{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': [{'name': ''}]}") ==
        "torch.nn.functional.conv2d");
  CHECK(Shown("{'traceMarker': ['net.py:42', '/usr/lib/python3/site-packages/torch/m.py:9'], "
              "'funcStack': '/<module>/Net::_call_impl/Net::forward/relu'}") ==
        "Net::forward/relu (net.py:42)");
  CHECK(ParseOperatorText("{'traceMarker': [], 'funcStack': ''}")->role == OperatorRole::kModule);
  CHECK(Shown("{\"model_config\": 1}") == "-");
  CHECK(Shown("{'op': 'unclosed") == "-");
}

TEST_CASE("XLA names show the operation and the module") {
  CHECK(Shown("Thunk:#name=x,hlo_op=fusion.1#") == "fusion.1");
  CHECK(Shown("XlaModule:#prefix=p,hlo_module=jit_f,program_id=3#") == "jit_f");
  CHECK(ParseOperatorText("XlaModule:#hlo_module=jit_f,program_id=3#")->id == 3);
  CHECK(ParseOperatorText("XlaModule:#hlo_module=f#")->role == OperatorRole::kProgram);
  const auto thunk = ParseOperatorText("Thunk:#name=jit(f)/jit(main)/dot,hlo_op=gemm.1#");
  CHECK(thunk->role == OperatorRole::kOperation);
  CHECK(thunk->module == "jit(f)/jit(main)");
  CHECK(Shown("layer:encoder.0") == "encoder.0");
}

TEST_CASE("the payload of an XLA operation tells its module where the text does not") {
  CHECK(
      XlaModuleIn(
          R"({"HLO":"gemm.1 = f32[8] custom-call(p0), metadata={op_name=\"jit(f)/mlp/dot\"}"})") ==
      "jit(f)/mlp");
  CHECK(XlaModuleIn("op_name=\"dot\"").empty());
  CHECK(XlaModuleIn("op_name=").empty());
  CHECK(XlaModuleIn("{\"HLO\":\"p0 = f32[8] parameter(0)\"}").empty());
  const Trace trace = test::MakeTrace(R"text(
      T1 0-9 push "dot:MatMul" domain=TSL json='{"HLO":"x, metadata={op_name=\"jit(f)/mlp/dot\"}"}'
      T1 10-19 push "attention/dot:MatMul" domain=TSL json='{"HLO":"op_name=\"a/b\""}'
  )text");
  REQUIRE(trace.operators().event.size() == 2);
  CHECK(trace.strings().Get(trace.operators().module[0]) == "jit(f)/mlp");
  CHECK(trace.strings().Get(trace.operators().module[1]) == "attention");
}

TEST_CASE("ranges of frameworks become operators with their inputs") {
  CHECK(OperatorsOf(R"(
      T1  0-9 push 'aten::mm, seq = 1, sizes = [[2, 3], [3, 5], []]'
      T1  1-2 push 'aten::mm, seq = 2, sizes = [[2, 3], [3, 5], []]'
      T1 10-19 push "{'mod': 'Tensor', 'op': 'add', 'args': [{'name': '', 'type': 'tensor', 'shape': (6, 3), 'dtype': 'float32'}, {'name': '', 'type': 'int', 'value': 7}]}"
      T1 20-29 push "a user's range"
  )") == "aten::mm role 0 0:2 0:3 1:3 1:5 2\n"
         "aten::mm role 0 0:2 0:3 1:3 1:5 2\n"
         "Tensor.add role 0 0float32:6 0float32:3 1int\n");
  CHECK(OperatorsOf(R"T(
      T1  0-99 startend ExecutionContext::enqueue domain=TensorRT
      T1  1-9  startend "conv 1" domain=TensorRT
      T1 10-19 push "model/dense/MatMul:MatMul" domain=TSL
      T1 20-29 push "model/dense/MatMul:MatMul"
      T1 30-39 push "FSDP::pre_forward (blocks.3)"
      T1 40-49 push "FSDP::post_forward (blocks.3), op_id = 4"
  )T") ==
        "model/dense/MatMul:MatMul role 0 in model/dense\n"
        "FSDP::pre_forward (blocks.3) role 3 in blocks.3\n"
        "FSDP::post_forward (blocks.3) role 4 in blocks.3\n"
        "ExecutionContext::enqueue role 2\n"
        "conv 1 role 1\n");
}

TEST_CASE("TensorFlow's ranges tell types and sizes") {
  const auto op = ParseTslText("model/dense/MatMul:MatMul#shape=(float[32,784];int32[])#");
  REQUIRE(op);
  CHECK(op->name == "model/dense/MatMul:MatMul");
  CHECK(op->module == "model/dense");
  Signatures signatures;
  StringPool strings;
  CHECK(ReadInputs(op->inputs, op->form, signatures, strings).valid());
  const Operands inputs = std::move(signatures).Take();
  CHECK(inputs.operand == std::vector<std::uint32_t>{0, 0, 1});
  CHECK(inputs.size == std::vector<std::uint64_t>{32, 784, kMissing<std::uint64_t>});
  CHECK(strings[inputs.type[0]] == "float");
  CHECK(strings[inputs.type[2]] == "int32");
  CHECK_FALSE(ParseTslText("a user's range"));
  CHECK_FALSE(ParseTslText("http://example"));
}

TEST_CASE("sizes that do not close are no sizes") {
  for (const char* text : {"aten::mm, sizes = ", "aten::mm, sizes = [[2, 3",
                           "aten::mm, sizes = oops]]", "aten::mm, sizes = []"}) {
    CHECK(OperatorsOf(std::string("T1 0-9 push '") + text + "'") == "aten::mm role 0\n");
  }
}
