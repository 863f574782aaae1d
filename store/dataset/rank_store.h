#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "model/rank_tables.h"
#include "store/parquet/table_schema.h"

// The small tables (model/rank_tables.h) beside the tables of a stored trace: steps.parquet,
// budget.parquet, collective_instances.parquet, segments.parquet and facts.parquet, all of them
// also where they have no rows, and ranks.kept, which says that they are whole and belong to this
// very manifest (kept_result.h).
namespace xsp {

// Puts them into the folder of a stored trace whose manifest is written. Throws Error.
void WriteRankTables(const std::vector<RankTables>& ranks, const std::filesystem::path& folder);

// The same for a stored trace that was made without: does nothing, and says nothing, where the
// folder belongs to another user or cannot be written to.
void KeepRankTables(const std::vector<RankTables>& ranks, const std::filesystem::path& folder);

// Nothing where there are none, where other rules made them, or where they are not what was
// written. In a folder `global_rank=00007` of a dataset, that is the rank. Throws Error where the
// folder holds no stored trace.
std::optional<std::vector<RankTables>> ReadRankTables(const std::filesystem::path& folder);

// The same for whoever cannot make them; throws Error where there are none.
std::vector<RankTables> LoadRankTables(const std::filesystem::path& folder);

// Whether there seem to be such tables, perhaps of other rules: without reading anything.
bool HasRankTables(const std::filesystem::path& folder);

// Their tables with their columns, in the order of the documentation.
std::vector<TableSchema> RankTablesSchema();

}  // namespace xsp
