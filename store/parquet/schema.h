#pragma once

#include <string>
#include <vector>

#include "store/parquet/table_schema.h"

namespace xsp {

// All tables of a stored trace with their columns, in the order of the documentation.
std::vector<TableSchema> StoredSchema();

// A section of a document: a table and its columns.
std::string TableDocumentation(const TableSchema& table);

// The text of docs/stored-trace.md.
std::string StoredTraceDocumentation();

}  // namespace xsp
