#include <arrow/io/interfaces.h>
#include <arrow/util/utf8.h>
#include <parquet/column_writer.h>
#include <parquet/exception.h>
#include <parquet/file_writer.h>
#include <parquet/properties.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "base/error.h"
#include "store/output_file.h"
#include "store/parquet/parquet_file.h"
#include "store/parquet/parquet_types.h"

namespace xsp {
namespace {

// Rows per row group: what readers that work in parallel or skip by time take as one piece.
constexpr std::size_t kGroupRows = 1 << 18;
// Rows converted at a time: their buffers stay in the cache.
constexpr std::size_t kBatchRows = 1 << 14;
constexpr int kZstdLevel = 1;

// How the numbers of a column are packed before they are compressed.
enum class Packing {
  kDictionary,  // Few different values: indices into a list of them.
  kDelta,       // Differences to the value before: times, ids, counters.
};

// Neighbouring rows in each of several places: enough to tell a counter from a handful of values.
constexpr std::size_t kPlaces = 16;
constexpr std::size_t kRowsPerPlace = 256;

std::uint64_t ValueAt(const ValuesAt& values, std::size_t width, std::size_t row) {
  std::uint64_t value = 0;
  std::memcpy(&value, values.first + row * values.stride, width);
  return value;
}

std::size_t WidthOf(ValueType type) {
  switch (type) {
    case ValueType::kUint8:
      return 1;
    case ValueType::kUint32:
    case ValueType::kInt32:
      return 4;
    default:
      return 8;
  }
}

// Looks at some of the values and decides. The same values always give the same answer.
Packing ChoosePacking(const ColumnSource& source, ValueType type, std::size_t rows) {
  if (std::holds_alternative<RowNumbers>(source)) return Packing::kDelta;
  const auto* values = std::get_if<ValuesAt>(&source);
  if (values == nullptr || type == ValueType::kUint8) return Packing::kDictionary;

  std::vector<std::uint64_t> sample;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    std::size_t first = rows / kPlaces * place;
    std::size_t last = std::min(rows, first + kRowsPerPlace);
    for (std::size_t row = first; row < last; ++row) {
      sample.push_back(ValueAt(*values, WidthOf(type), row));
    }
  }
  std::sort(sample.begin(), sample.end());
  const auto distinct =
      static_cast<std::size_t>(std::unique(sample.begin(), sample.end()) - sample.begin());
  return distinct * 4 > sample.size() ? Packing::kDelta : Packing::kDictionary;
}

// Lets Parquet write to an OutputFile.
class OutputStream final : public arrow::io::OutputStream {
 public:
  explicit OutputStream(OutputFile& file) : file_(file) {}

  arrow::Status Write(const void* data, std::int64_t bytes) override {
    const int error = file_.Write(data, static_cast<std::size_t>(bytes));
    return error == 0 ? arrow::Status::OK() : arrow::Status::IOError(std::strerror(error));
  }
  using arrow::io::OutputStream::Write;

  arrow::Result<std::int64_t> Tell() const override {
    return static_cast<std::int64_t>(file_.bytes());
  }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }

 private:
  OutputFile& file_;
  bool closed_ = false;
};

std::shared_ptr<parquet::schema::GroupNode> ParquetSchema(const TableSchema& schema) {
  parquet::schema::NodeVector fields;
  for (const ColumnSchema& column : schema.columns) {
    const ParquetType type = ParquetTypeOf(column.type);
    fields.push_back(parquet::schema::PrimitiveNode::Make(
        std::string(column.name),
        column.nullable ? parquet::Repetition::OPTIONAL : parquet::Repetition::REQUIRED,
        type.logical, type.physical));
  }
  return std::static_pointer_cast<parquet::schema::GroupNode>(parquet::schema::GroupNode::Make(
      std::string(schema.name), parquet::Repetition::REQUIRED, fields));
}

std::shared_ptr<parquet::WriterProperties> PropertiesFor(const TableSource& table) {
  parquet::WriterProperties::Builder builder;
  builder.compression(parquet::Compression::ZSTD)
      ->compression_level(kZstdLevel)
      ->version(parquet::ParquetVersion::PARQUET_2_6)
      ->created_by("xsp " XSP_VERSION);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ColumnSchema& column = table.schema.columns[i];
    const std::string name(column.name);
    const bool distinct_texts = std::holds_alternative<TextAt>(table.columns[i]);
    if (distinct_texts) {
      builder.disable_dictionary(name)->encoding(name, parquet::Encoding::PLAIN);
    } else if (ChoosePacking(table.columns[i], column.type, table.rows) == Packing::kDelta) {
      builder.disable_dictionary(name)->encoding(name, parquet::Encoding::DELTA_BINARY_PACKED);
    }
  }
  return builder.build();
}

struct Rows {
  std::size_t first;
  std::size_t last;
};

// Writes values of type T, which the model holds, as Parquet's `Physical` type.
template <class T, class Physical>
class ValueWriter {
 public:
  using Stored = typename Physical::c_type;

  ValueWriter(parquet::ColumnWriter& writer, bool nullable)
      : writer_(static_cast<parquet::TypedColumnWriter<Physical>&>(writer)), nullable_(nullable) {}

  void Write(const ColumnSource& source, Rows rows) {
    if (const auto* numbers = std::get_if<RowNumbers>(&source)) {
      Fill(rows, [&](std::size_t row) { return static_cast<T>(numbers->first + row); });
      return;
    }
    const auto& values = std::get<ValuesAt>(source);
    if (!nullable_ && sizeof(T) == sizeof(Stored) && values.stride == sizeof(T)) {
      writer_.WriteBatch(static_cast<std::int64_t>(rows.last - rows.first), nullptr, nullptr,
                         reinterpret_cast<const Stored*>(values.first) + rows.first);
      return;
    }
    Fill(rows, [&](std::size_t row) {
      T value;
      std::memcpy(&value, values.first + row * values.stride, sizeof(T));
      return value;
    });
  }

 private:
  template <class F>
  void Fill(Rows rows, F value_of) {
    std::size_t present = 0;
    for (std::size_t row = rows.first; row < rows.last; ++row) {
      const T value = value_of(row);
      const bool is_null = nullable_ && value == kMissing<T>;
      levels_[row - rows.first] = is_null ? 0 : 1;
      stored_[present] = static_cast<Stored>(value);
      present += is_null ? 0 : 1;
    }
    writer_.WriteBatch(static_cast<std::int64_t>(rows.last - rows.first),
                       nullable_ ? levels_.data() : nullptr, nullptr, stored_.data());
  }

  parquet::TypedColumnWriter<Physical>& writer_;
  bool nullable_;
  std::vector<std::int16_t> levels_ = std::vector<std::int16_t>(kBatchRows);
  std::vector<Stored> stored_ = std::vector<Stored>(kBatchRows);
};

class TextWriter {
 public:
  TextWriter(parquet::ColumnWriter& writer, bool)
      : writer_(static_cast<parquet::ByteArrayWriter&>(writer)) {}

  void Write(const ColumnSource& source, Rows rows) {
    const auto count = static_cast<std::int64_t>(rows.last - rows.first);
    texts_.clear();
    if (const auto* runs = std::get_if<TextRuns>(&source)) {
      AddRuns(*runs, rows);
    } else {
      const auto& text = std::get<TextAt>(source).text;
      for (std::size_t row = rows.first; row < rows.last; ++row) Add(text(row), 1);
    }
    writer_.WriteBatch(count, nullptr, nullptr, texts_.data());
  }

 private:
  void AddRuns(const TextRuns& source, Rows rows) {
    std::size_t first = 0;
    for (const auto& [text, length] : source.runs) {
      const std::size_t last = first + length;
      const std::size_t from = std::max(first, rows.first);
      const std::size_t to = std::min(last, rows.last);
      if (from < to) Add(text, to - from);
      first = last;
    }
  }

  void Add(std::string_view text, std::size_t times) {
    static const bool ready = (arrow::util::InitializeUTF8(), true);
    if (ready && !arrow::util::ValidateUTF8(text))
      throw Error("a text in the trace is not valid UTF-8");
    if (text.size() > std::numeric_limits<std::int32_t>::max()) {
      throw Error("a text in the trace is longer than 2 GiB");
    }
    texts_.insert(texts_.end(), times, parquet::ByteArray(text));
  }

  parquet::ByteArrayWriter& writer_;
  std::vector<parquet::ByteArray> texts_;
};

template <class Writer>
void WriteChunk(parquet::ColumnWriter& chunk, const ColumnSchema& schema,
                const ColumnSource& source, Rows rows, Progress& progress) {
  Writer writer(chunk, schema.nullable);
  for (std::size_t first = rows.first; first < rows.last; first += kBatchRows) {
    const Rows batch{first, std::min(rows.last, first + kBatchRows)};
    writer.Write(source, batch);
    progress.Advance(batch.last - batch.first);
  }
}

void WriteColumn(parquet::ColumnWriter& chunk, const ColumnSchema& schema,
                 const ColumnSource& source, Rows rows, Progress& progress) {
  using parquet::Int32Type;
  using parquet::Int64Type;
  switch (schema.type) {
    case ValueType::kUint8:
      return WriteChunk<ValueWriter<std::uint8_t, Int32Type>>(chunk, schema, source, rows,
                                                              progress);
    case ValueType::kUint32:
      return WriteChunk<ValueWriter<std::uint32_t, Int32Type>>(chunk, schema, source, rows,
                                                               progress);
    case ValueType::kInt32:
      return WriteChunk<ValueWriter<std::int32_t, Int32Type>>(chunk, schema, source, rows,
                                                              progress);
    case ValueType::kUint64:
      return WriteChunk<ValueWriter<std::uint64_t, Int64Type>>(chunk, schema, source, rows,
                                                               progress);
    case ValueType::kInt64:
      return WriteChunk<ValueWriter<std::int64_t, Int64Type>>(chunk, schema, source, rows,
                                                              progress);
    case ValueType::kText:
      return WriteChunk<TextWriter>(chunk, schema, source, rows, progress);
  }
}

void WriteGroups(parquet::ParquetFileWriter& writer, const TableSource& table, Progress& progress) {
  for (std::size_t first = 0; first < table.rows; first += kGroupRows) {
    const Rows rows{first, std::min(table.rows, first + kGroupRows)};
    parquet::RowGroupWriter* group = writer.AppendRowGroup();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      WriteColumn(*group->NextColumn(), table.schema.columns[i], table.columns[i], rows, progress);
    }
    group->Close();
  }
}

}  // namespace

StoredFile WriteParquet(const TableSource& table, const std::filesystem::path& file,
                        Progress& progress) {
  OutputFile output(file);
  try {
    auto writer = parquet::ParquetFileWriter::Open(
        std::make_shared<OutputStream>(output), ParquetSchema(table.schema), PropertiesFor(table));
    WriteGroups(*writer, table, progress);
    writer->Close();
  } catch (const parquet::ParquetException& e) {
    throw Error("cannot write " + file.string() + ": " + e.what());
  }
  return output.Finish();
}

}  // namespace xsp
