#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "importers/kineto/event.h"

namespace xsp {

// One input of an operator, or one tensor of an input that is a list of tensors.
struct KinetoInput {
  std::uint32_t operand = 0;
  std::uint32_t element = kMissing<std::uint32_t>;
  std::string type = {};  // "float", "c10::BFloat16", "Scalar"; empty where the file does not say.
  std::vector<std::uint64_t> sizes = {};
};

// "Input Dims" [[512, 28], [], [[2, 3], [4, 3]]] and "Input type" ["float", "Scalar", ...] put
// together. Either may be empty.
std::vector<KinetoInput> ReadKinetoInputs(std::string_view sizes, std::string_view types);

// What a collective moves: its larger side. Missing where the file does not say.
std::uint64_t MessageBytes(const KinetoEvent& event);

}  // namespace xsp
