#include "store/parquet/operations_file.h"

#include <arrow/io/memory.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "store/parquet/limited_pool.h"

namespace xsp {
namespace {

constexpr std::string_view kMagic = "PAR1";
constexpr std::size_t kMostFileBytes = std::size_t{4} << 30;
constexpr std::int64_t kRowsAtOnce = 1 << 14;
constexpr std::size_t kMostTexts = 4096;  // Kinds of operations, and hosts.
constexpr double kNsPerSecond = 1e9;
constexpr double kLongestSeconds = 4e9;  // More does not fit into 64-bit nanoseconds.
constexpr double kLongestJobSeconds = 1e9;
constexpr std::int64_t kMostNumber = std::int64_t{1} << 53;  // Of ranks, steps, stages and so on.
constexpr std::int64_t kNone = -1;                           // Where an optional number is missing.

const char* const kColumnsHint = "docs/ranks.md lists the columns of a table of operations";

// Reads columns of plain numbers and texts, of whatever type they were written.
class ColumnsOfFile {
 public:
  explicit ColumnsOfFile(const std::filesystem::path& file) : name_(file.string()) {
    content_ = arrow::Buffer::FromString(ReadWholeFile(file, kMostFileBytes));
    const auto bytes = static_cast<std::uint64_t>(content_->size());
    pool_ = std::make_unique<LimitedPool>(MostBytes(bytes));
    try {
      reader_ =
          parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(content_),
                                           parquet::ReaderProperties(pool_.get()));
    } catch (const std::exception& e) {
      throw Error(name_ + ": damaged Parquet file: " + e.what(), "write it again");
    }
    const std::int64_t rows = reader_->metadata()->num_rows();
    if (rows < 0 || static_cast<std::uint64_t>(rows) > MostRows(bytes)) {
      throw Error(name_ + ": damaged: it claims to have " + std::to_string(rows) + " rows");
    }
    if (rows == 0) throw Error(name_ + ": no row: there is no operation in it");
    rows_ = static_cast<std::size_t>(rows);
  }

  bool Has(const std::string& column) const { return IndexOf(column) >= 0; }

  void Require(const std::vector<std::string>& columns) const {
    std::vector<std::string> missing;
    for (const std::string& column : columns) {
      if (!Has(column)) missing.push_back("'" + column + "'");
    }
    if (missing.empty()) return;
    throw Error(name_ + ": not a table of operations: no column " + Joined(missing, ", "),
                kColumnsHint);
  }

  // Whole numbers that can be added to and subtracted from each other. Where they may be missing,
  // kNone stands for nulls, which are an error otherwise.
  std::vector<std::int64_t> Integers(const std::string& column, bool may_be_missing) const {
    std::vector<std::int64_t> values = AnyIntegers(column, may_be_missing);
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (-kMostNumber <= values[row] && values[row] <= kMostNumber) continue;
      throw Error(name_ + ": column '" + column + "', row " + std::to_string(row + 1) +
                  ": no number of a job: " + std::to_string(values[row]));
    }
    return values;
  }

  std::vector<std::int64_t> AnyIntegers(const std::string& column, bool may_be_missing) const {
    std::vector<std::int64_t> values;
    values.reserve(rows_);
    const auto take = [&](auto value) { values.push_back(static_cast<std::int64_t>(value)); };
    const auto null = [&] {
      values.push_back(may_be_missing ? kNone : Null(column, values.size()));
    };
    switch (TypeOf(column)) {
      case parquet::Type::INT32:
        Scan<parquet::Int32Type>(column, take, null);
        break;
      case parquet::Type::INT64:
        Scan<parquet::Int64Type>(column, take, null);
        break;
      default:
        throw Error(name_ + ": column '" + column + "' holds no whole numbers", kColumnsHint);
    }
    return values;
  }

  // Times: seconds where they are fractions, else nanoseconds.
  std::vector<std::int64_t> Times(const std::string& column) const {
    std::vector<std::int64_t> values;
    values.reserve(rows_);
    const auto take = [&](double seconds) {
      if (!(std::abs(seconds) < kLongestSeconds)) {
        throw Error(name_ + ": column '" + column + "', row " + std::to_string(values.size() + 1) +
                    ": no time in seconds: " + std::to_string(seconds));
      }
      values.push_back(static_cast<std::int64_t>(std::llround(seconds * kNsPerSecond)));
    };
    const auto null = [&] { values.push_back(Null(column, values.size())); };
    switch (TypeOf(column)) {
      case parquet::Type::FLOAT:
        Scan<parquet::FloatType>(column, take, null);
        return values;
      case parquet::Type::DOUBLE:
        Scan<parquet::DoubleType>(column, take, null);
        return values;
      default:
        break;
    }
    values = AnyIntegers(column, false);
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (std::abs(static_cast<double>(values[row])) < kLongestSeconds * kNsPerSecond) continue;
      throw Error(name_ + ": column '" + column + "', row " + std::to_string(row + 1) +
                  ": no time in nanoseconds: " + std::to_string(values[row]));
    }
    return values;
  }

  // Texts as numbers, in the order in which they come first.
  std::vector<std::uint32_t> Texts(const std::string& column,
                                   std::vector<std::string>& names) const {
    if (TypeOf(column) != parquet::Type::BYTE_ARRAY) {
      throw Error(name_ + ": column '" + column + "' holds no texts", kColumnsHint);
    }
    std::unordered_map<std::string, std::uint32_t> known;
    std::vector<std::uint32_t> values;
    values.reserve(rows_);
    const auto take = [&](const parquet::ByteArray& text) {
      const auto next = static_cast<std::uint32_t>(names.size());
      const auto [at, is_new] =
          known.emplace(std::string(reinterpret_cast<const char*>(text.ptr), text.len), next);
      if (is_new) names.push_back(at->first);
      if (names.size() > kMostTexts) {
        throw Error(name_ + ": column '" + column + "' has more than " +
                        std::to_string(kMostTexts) + " different texts",
                    kColumnsHint);
      }
      values.push_back(at->second);
    };
    Scan<parquet::ByteArrayType>(column, take, [&] { Null(column, values.size()); });
    return values;
  }

  [[noreturn]] std::int64_t Null(const std::string& column, std::size_t row) const {
    throw Error(name_ + ": column '" + column + "' is empty in row " + std::to_string(row + 1));
  }

  const std::string& name() const { return name_; }

 private:
  int IndexOf(const std::string& column) const {
    return reader_->metadata()->schema()->ColumnIndex(column);
  }

  parquet::Type::type TypeOf(const std::string& column) const {
    return reader_->metadata()->schema()->Column(IndexOf(column))->physical_type();
  }

  // Calls take(value) or null() for each row.
  template <class Type, class Take, class Null>
  void Scan(const std::string& column, const Take& take, const Null& null) const {
    const int index = IndexOf(column);
    const parquet::ColumnDescriptor& described = *reader_->metadata()->schema()->Column(index);
    if (described.max_repetition_level() > 0 || described.max_definition_level() > 1) {
      throw Error(name_ + ": column '" + column + "' holds lists, not single values", kColumnsHint);
    }
    const bool nullable = described.max_definition_level() == 1;
    std::vector<typename Type::c_type> values(kRowsAtOnce);
    std::vector<std::int16_t> levels(kRowsAtOnce, 1);
    std::size_t read = 0;
    try {
      for (int group = 0; group < reader_->metadata()->num_row_groups(); ++group) {
        const auto chunk = reader_->RowGroup(group)->Column(index);
        auto& typed = static_cast<parquet::TypedColumnReader<Type>&>(*chunk);
        while (typed.HasNext()) {
          std::int64_t present = 0;
          const std::int64_t got = typed.ReadBatch(kRowsAtOnce, nullable ? levels.data() : nullptr,
                                                   nullptr, values.data(), &present);
          if (got == 0) break;
          read += static_cast<std::size_t>(got);
          if (read > rows_) break;
          std::size_t at = 0;
          for (std::int64_t row = 0; row < got; ++row) {
            if (nullable && levels[static_cast<std::size_t>(row)] == 0) {
              null();
            } else {
              take(values[at++]);
            }
          }
        }
      }
    } catch (const parquet::ParquetException& e) {
      throw Error(name_ + ": damaged: column '" + column + "': " + e.what(), "write it again");
    }
    if (read != rows_) {
      throw Error(name_ + ": damaged: column '" + column + "' has " + std::to_string(read) +
                  " values in " + std::to_string(rows_) + " rows");
    }
  }

  std::string name_;
  std::shared_ptr<arrow::Buffer> content_;
  std::unique_ptr<LimitedPool> pool_;  // Outlives the reader.
  std::unique_ptr<parquet::ParquetFileReader> reader_;
  std::size_t rows_ = 0;
};

// Whatever is added up of a job later on fits: no operation takes less than nothing, and all of
// them together, or the time from the first to the last, are no more than 30 years.
void CheckTimes(const std::string& file, const OperationsTable& table) {
  double sum = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    sum += static_cast<double>(table.duration[row]);
    if (table.duration[row] >= 0) continue;
    throw Error(file + ": column 'duration', row " + std::to_string(row + 1) +
                ": an operation cannot end before it begins");
  }
  const auto [first, last] = std::minmax_element(table.begin.begin(), table.begin.end());
  const double span = static_cast<double>(*last) - static_cast<double>(*first);
  if (std::max(sum, span) <= kLongestJobSeconds * kNsPerSecond) return;
  throw Error(file + ": its operations take more than 30 years",
              "times are seconds where they are fractions, else nanoseconds");
}

}  // namespace

bool IsParquetFile(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  std::ifstream in(file, std::ios::binary);
  std::string head(kMagic.size(), '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return in && head == kMagic;
}

OperationsTable ReadOperationsFile(const std::filesystem::path& file) {
  const ColumnsOfFile columns(file);
  columns.Require({"rank", "step", "optype", "start_ts", "duration"});
  OperationsTable table;
  table.rank = columns.Integers("rank", false);
  table.step = columns.Integers("step", false);
  table.type = columns.Texts("optype", table.types);
  table.begin = columns.Times("start_ts");
  table.duration = columns.Times("duration");
  CheckTimes(columns.name(), table);
  const auto optional = [&](const char* column, std::vector<std::int64_t>& values) {
    if (columns.Has(column)) values = columns.Integers(column, true);
  };
  optional("stage", table.stage);
  optional("dp_rank", table.data_parallel);
  optional("seq_id", table.sequence);
  optional("gmc", table.chunk);
  optional("mb_id", table.micro_batch);
  if (columns.Has("host")) table.host = columns.Texts("host", table.hosts);
  return table;
}

}  // namespace xsp
