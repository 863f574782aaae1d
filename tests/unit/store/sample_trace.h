#pragma once

#include <cstdint>

#include "model/trace.h"

namespace xsp::test {

// A trace with rows in every table and every kind: odd numbers in all columns, nothing (null) now
// and then where a column may hold it, awkward texts. `rows_per_kind` events of each kind.
Trace SampleTrace(std::uint32_t rows_per_kind, std::uint64_t seed = 1);

}  // namespace xsp::test
