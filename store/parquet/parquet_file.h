#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/progress.h"
#include "store/parquet/table_schema.h"
#include "store/stored_trace.h"

// One table in memory <-> one Parquet file. No header of Arrow is seen from here.
namespace xsp {

// Packing and unpacking is bound by memory soon after this many.
inline constexpr unsigned kMostParquetThreads = 8;

// Values in memory: that of row i lies `stride` bytes after that of row i - 1. The same view serves
// a vector of values and one field of a vector of structs.
struct ValuesAt {
  const std::byte* first = nullptr;
  std::size_t stride = 0;
};

// Counts rows upwards from `first`.
struct RowNumbers {
  std::uint32_t first = 0;
};

// Runs of rows with the same text.
struct TextRuns {
  std::vector<std::pair<std::string_view, std::uint64_t>> runs;
};

// A text for each row.
struct TextAt {
  std::function<std::string_view(std::size_t row)> text;
};

using ColumnSource = std::variant<ValuesAt, RowNumbers, TextRuns, TextAt>;

// A table to be written: `columns` go with those of the schema.
struct TableSource {
  TableSchema schema;
  std::size_t rows = 0;
  std::vector<ColumnSource> columns;
};

// Writes the table and flushes it to disk. Advances `progress` by the values written. Throws Error.
StoredFile WriteParquet(const TableSource& table, const std::filesystem::path& file,
                        Progress& progress);

// A Parquet file in memory, known to be the one that was written. Several threads may read
// different columns of it at once.
class ParquetFile {
 public:
  // Reads the file and checks size, checksum, number of rows, columns and their types.
  // Throws Error that names the file (without its folder) and what is wrong.
  ParquetFile(const std::filesystem::path& file, const TableSchema& schema,
              const StoredTable& expected);
  ~ParquetFile();
  ParquetFile(ParquetFile&&) noexcept;
  ParquetFile& operator=(ParquetFile&&) noexcept;

  std::size_t rows() const;

  // Reads a column of numbers to `first`, `first + stride`, ...; a null becomes what stands for it
  // in the model.
  void ReadValues(std::string_view column, std::byte* first, std::size_t stride) const;

  // Calls f(text) for each row of a column of texts.
  void ReadTexts(std::string_view column, const std::function<void(std::string_view)>& f) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xsp
