#include <arrow/buffer.h>
#include <arrow/io/memory.h>
#include <parquet/column_reader.h>
#include <parquet/exception.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"
#include "store/checksum.h"
#include "store/parquet/limited_pool.h"
#include "store/parquet/parquet_file.h"
#include "store/parquet/parquet_types.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReadRows = 1 << 14;

// Reads values of Parquet's `Physical` type into memory where the model holds a T.
template <class T, class Physical>
class ValueReader {
 public:
  using Stored = typename Physical::c_type;

  ValueReader(bool nullable, std::byte* first, std::size_t stride)
      : nullable_(nullable), to_(first), stride_(stride) {}

  // Reads all rows of one column chunk; says how many.
  std::size_t Read(parquet::ColumnReader& chunk) {
    auto& reader = static_cast<parquet::TypedColumnReader<Physical>&>(chunk);
    const bool in_place = sizeof(T) == sizeof(Stored) && stride_ == sizeof(T);
    std::size_t rows = 0;
    while (reader.HasNext()) {
      const std::size_t room = std::min(kReadRows, left_);
      if (room == 0) throw parquet::ParquetException("more rows than the manifest says");
      Stored* values = in_place ? reinterpret_cast<Stored*>(to_) : stored_.data();
      std::int64_t present = 0;
      const auto got = static_cast<std::size_t>(
          reader.ReadBatch(static_cast<std::int64_t>(room), nullable_ ? levels_.data() : nullptr,
                           nullptr, values, &present));
      if (got == 0) break;
      if (!in_place || static_cast<std::size_t>(present) < got) Spread(values, got, present);
      to_ += got * stride_;
      left_ -= got;
      rows += got;
    }
    return rows;
  }

  void set_left(std::size_t rows) { left_ = rows; }

 private:
  // Moves `present` values to their rows, from the last to the first: they may lie where the rows
  // will.
  void Spread(const Stored* values, std::size_t rows, std::int64_t present) {
    for (std::size_t row = rows; row-- > 0;) {
      const bool is_null = nullable_ && levels_[row] == 0;
      if (!is_null && present == 0) throw parquet::ParquetException("fewer values than rows");
      const T value = is_null ? kMissing<T> : Narrow(values[--present]);
      std::memcpy(to_ + row * stride_, &value, sizeof(T));
    }
  }

  static T Narrow(Stored stored) {
    if constexpr (sizeof(T) < sizeof(Stored)) {
      if (stored < 0 || stored > std::numeric_limits<T>::max()) {
        throw parquet::ParquetException("a value is out of range");
      }
    }
    return static_cast<T>(stored);
  }

  bool nullable_;
  std::byte* to_;
  std::size_t stride_;
  std::size_t left_ = 0;
  std::vector<std::int16_t> levels_ = std::vector<std::int16_t>(kReadRows);
  std::vector<Stored> stored_ = std::vector<Stored>(kReadRows);
};

std::shared_ptr<arrow::Buffer> ReadWhole(const std::filesystem::path& file,
                                         const StoredFile& expected) {
  const std::string name = file.filename().string();
  std::error_code ignored;
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) {
    throw Error(name + ": is not a file");  // Opening a pipe would wait for ever.
  }
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(name + ": cannot be read: " + std::strerror(errno));
  in.seekg(0, std::ios::end);
  const auto size = static_cast<std::int64_t>(in.tellg());
  if (size != static_cast<std::int64_t>(expected.bytes)) {
    throw Error(name + ": damaged: " + std::to_string(size) + " bytes, but " +
                std::to_string(expected.bytes) + " were written");
  }
  in.seekg(0);
  std::string content(expected.bytes, '\0');
  in.read(content.data(), size);
  if (!in) throw Error(name + ": cannot be read: " + std::strerror(errno));
  if (Sha256Of(content) != expected.sha256) {
    throw Error(name + ": damaged: its checksum is not the one in manifest.json");
  }
  return arrow::Buffer::FromString(std::move(content));
}

}  // namespace

struct ParquetFile::Impl {
  std::string path;
  TableSchema schema;
  std::shared_ptr<arrow::Buffer> content;
  std::shared_ptr<parquet::FileMetaData> metadata;
  std::unique_ptr<LimitedPool> pool;  // Outlives every reader.

  std::unique_ptr<parquet::ParquetFileReader> Open() const {
    return parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(content),
                                            parquet::ReaderProperties(pool.get()), metadata);
  }

  void CheckColumn(const ColumnSchema& column) const {
    const int index = metadata->schema()->ColumnIndex(std::string(column.name));
    const std::string what = path + ": column " + std::string(column.name);
    if (index < 0) throw Error(what + " is missing");
    const parquet::ColumnDescriptor* found = metadata->schema()->Column(index);
    const ParquetType type = ParquetTypeOf(column.type);
    const bool fits = found->physical_type() == type.physical &&
                      found->logical_type()->Equals(*type.logical) &&
                      found->max_definition_level() == (column.nullable ? 1 : 0) &&
                      found->max_repetition_level() == 0;
    if (!fits) throw Error(what + " is not of type " + std::string(NameOf(column.type)));
  }

  const ColumnSchema& Find(std::string_view column) const {
    return *std::find_if(schema.columns.begin(), schema.columns.end(),
                         [&](const ColumnSchema& c) { return c.name == column; });
  }

  // Calls f(chunk) for the column in each row group.
  template <class F>
  void ForEachChunk(std::string_view column, F&& f) const {
    try {
      auto reader = Open();
      const int index = metadata->schema()->ColumnIndex(std::string(column));
      for (int group = 0; group < metadata->num_row_groups(); ++group) {
        f(*reader->RowGroup(group)->Column(index));
      }
    } catch (const parquet::ParquetException& e) {
      throw Error(path + ": column " + std::string(column) + ": " + e.what());
    }
  }

  template <class T, class Physical>
  void Read(const ColumnSchema& column, std::byte* first, std::size_t stride) const {
    ValueReader<T, Physical> values(column.nullable, first, stride);
    const auto rows = static_cast<std::size_t>(metadata->num_rows());
    std::size_t read = 0;
    values.set_left(rows);
    ForEachChunk(column.name, [&](parquet::ColumnReader& chunk) { read += values.Read(chunk); });
    CheckRows(column.name, read);
  }

  void CheckRows(std::string_view column, std::size_t read) const {
    if (read != static_cast<std::size_t>(metadata->num_rows())) {
      throw Error(path + ": column " + std::string(column) + " has " + std::to_string(read) +
                  " rows, not " + std::to_string(metadata->num_rows()));
    }
  }
};

ParquetFile::ParquetFile(const std::filesystem::path& file, const TableSchema& schema,
                         const StoredTable& expected)
    : impl_(std::make_unique<Impl>()) {
  impl_->path = file.filename().string();
  impl_->schema = schema;
  impl_->content = ReadWhole(file, expected.file);
  impl_->pool = std::make_unique<LimitedPool>(MostBytes(expected.file.bytes));
  try {
    impl_->metadata = impl_->Open()->metadata();
  } catch (const parquet::ParquetException& e) {
    throw Error(impl_->path + ": not a Parquet file: " + e.what());
  }
  const std::int64_t rows = impl_->metadata->num_rows();
  if (rows < 0 || static_cast<std::uint64_t>(rows) != expected.rows) {
    throw Error(impl_->path + ": has " + std::to_string(rows) + " rows, but the manifest says " +
                std::to_string(expected.rows));
  }
  if (expected.rows > MostRows(expected.file.bytes)) {
    throw Error(impl_->path + ": damaged: " + std::to_string(expected.rows) +
                " rows are more than a file of its size can hold");
  }
  for (const ColumnSchema& column : schema.columns) impl_->CheckColumn(column);
}

ParquetFile::~ParquetFile() = default;
ParquetFile::ParquetFile(ParquetFile&&) noexcept = default;
ParquetFile& ParquetFile::operator=(ParquetFile&&) noexcept = default;

std::size_t ParquetFile::rows() const {
  return static_cast<std::size_t>(impl_->metadata->num_rows());
}

void ParquetFile::ReadValues(std::string_view column, std::byte* first, std::size_t stride) const {
  using parquet::Int32Type;
  using parquet::Int64Type;
  const ColumnSchema& schema = impl_->Find(column);
  switch (schema.type) {
    case ValueType::kUint8:
      return impl_->Read<std::uint8_t, Int32Type>(schema, first, stride);
    case ValueType::kUint32:
      return impl_->Read<std::uint32_t, Int32Type>(schema, first, stride);
    case ValueType::kInt32:
      return impl_->Read<std::int32_t, Int32Type>(schema, first, stride);
    case ValueType::kUint64:
      return impl_->Read<std::uint64_t, Int64Type>(schema, first, stride);
    case ValueType::kInt64:
      return impl_->Read<std::int64_t, Int64Type>(schema, first, stride);
    case ValueType::kText:
      break;
  }
}

void ParquetFile::ReadTexts(std::string_view column,
                            const std::function<void(std::string_view)>& f) const {
  std::vector<parquet::ByteArray> texts(kReadRows);
  std::size_t read = 0;
  std::uint64_t bytes_left = MostBytes(static_cast<std::uint64_t>(impl_->content->size()));
  impl_->ForEachChunk(column, [&](parquet::ColumnReader& chunk) {
    auto& reader = static_cast<parquet::ByteArrayReader&>(chunk);
    while (reader.HasNext()) {
      std::int64_t present = 0;
      reader.ReadBatch(kReadRows, nullptr, nullptr, texts.data(), &present);
      if (present == 0) break;
      if (read + static_cast<std::size_t>(present) > rows()) {
        throw parquet::ParquetException("more rows than the manifest says");
      }
      for (std::int64_t i = 0; i < present; ++i) {
        const parquet::ByteArray& text = texts[static_cast<std::size_t>(i)];
        if (text.len > bytes_left) throw parquet::ParquetException("too much text");
        bytes_left -= text.len;
        f({reinterpret_cast<const char*>(text.ptr), text.len});
      }
      read += static_cast<std::size_t>(present);
    }
  });
  impl_->CheckRows(column, read);
}

}  // namespace xsp
