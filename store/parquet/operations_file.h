#pragma once

#include <filesystem>

#include "model/operations_table.h"

namespace xsp {

// Whether a file begins as Parquet files do.
bool IsParquetFile(const std::filesystem::path& file);

// Reads a table of operations (docs/ranks.md) that another program wrote. Throws Error that names
// the file, the column, the row and what is wrong with it.
OperationsTable ReadOperationsFile(const std::filesystem::path& file);

}  // namespace xsp
