#pragma once

#include <cstddef>

#include "store/parquet/parquet_file.h"

namespace xsp {

// How the numbers of a column are packed before they are compressed.
enum class Packing {
  kDictionary,  // Few different values: indices into a list of them.
  kDelta,       // Differences to the value before: times, ids, counters.
};

// Looks at some of the values and decides. The same values always give the same answer.
Packing ChoosePacking(const ColumnSource& source, ValueType type, std::size_t rows);

}  // namespace xsp
