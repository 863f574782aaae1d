#pragma once

#include <cstdint>
#include <string_view>

#include "hierarchy/level.h"
#include "model/names/kernel_class.h"

namespace xsp {

// What mixed precision (PyTorch's autocast) does to an operation.
enum class Autocast : std::uint8_t {
  kLower,     // Takes its operands in the lower format: matrix products, convolutions, attention.
  kFollow,    // Works in the format that its operands come in: activations, dropout, batch norm.
  kPromote,   // Works in the widest format of its operands: additions and products of two tensors.
  kFp32,      // Takes its operands in fp32, which costs casts: norms, losses, powers, exponentials.
  kFp32Out,   // Reads what comes and writes fp32: softmax and sums, which convert on the way.
  kUntouched  // Stands outside: the optimizer, integers, copies, collectives, other people's code.
};
std::string_view NameOf(Autocast rule);

// By the kernel's class and name, and by the framework's operation around it where the trace has
// one ("aten::gelu"; may be empty). Names decide that the class leaves open.
Autocast AutocastOf(const KernelKind& kind, std::string_view kernel_name,
                    std::string_view operation, Phase phase);

// How many tensors an elementwise operation reads, as far as its name tells: 1 or 2.
int OperandsRead(std::string_view kernel_name, std::string_view operation);

}  // namespace xsp
