#pragma once

#include <string_view>

#include "model/names/kernel_class.h"

// Is this communication between GPUs? The one answer, for all that asks. Neither looks at a text
// twice: kernels are classed once per name (KernelKinds), ranges read once per name
// (hierarchy/names/name_table.h).
namespace xsp {

// Of kernels: their class, which the kernel rules give, a user's before the built-in ones.
constexpr bool IsCommunication(KernelClass kernel_class) {
  return kernel_class == KernelClass::kCollective;
}

// Of ranges, operators and calls of libraries: "nccl:all_reduce", "c10d::broadcast_",
// "record_param_comms", "ncclGroupEnd", "AllReduce", "gradient sync".
bool NamesCommunication(std::string_view text);

}  // namespace xsp
