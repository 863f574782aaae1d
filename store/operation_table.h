#pragma once

#include <filesystem>
#include <span>

#include "model/operation_fact.h"
#include "store/parquet/table_schema.h"

namespace xsp {

// The columns of the file that WriteOperationTable writes; docs/export.md tells them.
TableSchema OperationTableSchema();

// Writes facts of operations as one Parquet file with texts, a new one. Throws Error.
void WriteOperationTable(std::span<const OperationFact> facts, const std::filesystem::path& file);

}  // namespace xsp
