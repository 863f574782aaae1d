#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/names/kernel_class.h"
#include "model/trace.h"

namespace xsp {

// Small numbers for pieces of device work, equal for equal ones: kernels by what they do and their
// launch shape (a step may use another variant of the same product), or by name where nothing is
// known of it; copies by direction.
std::vector<std::uint32_t> TokensOf(const Trace& trace, const KernelKinds& kinds,
                                    std::span<const EventId> work);

}  // namespace xsp
