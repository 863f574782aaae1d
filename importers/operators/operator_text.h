#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/details.h"

// What frameworks write into the texts of their ranges: pure functions, no trace needed.
namespace xsp {

// How the inputs of an operator are written.
enum class InputsForm : std::uint8_t {
  kNone,
  kSizes,       // PyTorch: "[[64], [32, 128], []]".
  kDictionary,  // PyProf: "[{'name': '', 'type': 'tensor', 'shape': (6, 3), 'dtype': 'float32'}]".
  kTyped,       // TensorFlow: "(float[32,784];int32[])".
};

// A range's text, taken apart. Views point into the parsed text.
struct OperatorText {
  std::string_view name;  // Without sequence number, ids, sizes; empty where `own` holds it.
  std::string own;        // Where the name is not a piece of the text.
  OperatorRole role = OperatorRole::kOperation;
  bool is_backward = false;
  std::int64_t sequence = kMissing<std::int64_t>;
  std::uint64_t id = kMissing<std::uint64_t>;
  InputsForm form = InputsForm::kNone;
  std::string_view inputs;  // As written; see ReadInputs in operator_inputs.h.
  std::string_view module;  // A path; empty where the text has none.

  std::string_view shown() const { return own.empty() ? name : std::string_view(own); }
};

// PyTorch ("aten::mm, seq = 5, op_id = 7, sizes = [...]"), PyProf and DLProf dictionaries,
// "layer:NAME", XLA modules and thunks, the hooks of FSDP. Nothing for any other text.
std::optional<OperatorText> ParseOperatorText(std::string_view text);

// Texts that name a module, as the packs know them (model/names/framework_names.h):
// "model.layers.0", the dictionaries {'Module': ..., 'Inputs': ...} of serving engines. A module's
// text with other shapes is the same module. Nothing for any other text.
std::optional<OperatorText> ParseModuleText(std::string_view text);

// The same for a range of NVTX domain TSL, where TensorFlow also writes "path/to/node:MatMul".
std::optional<OperatorText> ParseTslText(std::string_view text);

// The module path of an XLA operation as its payload tells (XlaKernel: the HLO with its metadata),
// "jit(f)/mlp" of op_name="jit(f)/mlp/dot_general"; empty where it does not. A part of `payload`.
std::string_view XlaModuleIn(std::string_view payload);

// Names of operations of PyTorch and what builds on it: "aten::mm", "AddmmBackward0".
bool IsTorchOperation(std::string_view name);

// Nodes of the autograd graph and the engine's own ranges around them: "AddmmBackward0",
// "autograd::engine::evaluate_function: AddmmBackward0".
bool IsBackwardName(std::string_view name);

}  // namespace xsp
