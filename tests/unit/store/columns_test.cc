#include <parquet/file_reader.h>
#include <parquet/schema.h>

#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "store/stored_trace.h"
#include "tests/support/real_traces.h"
#include "tests/unit/store/sample_trace.h"
#include "tests/unit/store/temporary_folder.h"

namespace xsp {
namespace {

using Lines = std::vector<std::string>;

// What the document says: lines "name type" or "name type null", by table.
std::map<std::string, Lines> DocumentedColumns() {
  std::map<std::string, Lines> tables;
  std::istringstream document(test::ReadFile(test::SourceDir() / "docs" / "stored-trace.md"));
  std::string table;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("## ")) table.clear();
    if (line.starts_with("### ")) table = line.substr(4);
    if (table.empty() || !line.starts_with("| `")) continue;
    const auto name_end = line.find('`', 3);
    const auto type_end = line.find(" |", name_end + 4);
    const std::string type = line.substr(name_end + 4, type_end - name_end - 4);
    const bool nullable = line.find("| may be null |") != std::string::npos;
    tables[table].push_back(line.substr(3, name_end - 3) + " " + type + (nullable ? " null" : ""));
  }
  return tables;
}

std::string TypeName(const parquet::ColumnDescriptor& column) {
  if (column.logical_type()->is_string()) return "string";
  const auto& type = dynamic_cast<const parquet::IntLogicalType&>(*column.logical_type());
  return (type.is_signed() ? "int" : "uint") + std::to_string(type.bit_width());
}

Lines ColumnsInFile(const std::filesystem::path& file) {
  Lines lines;
  const auto reader = parquet::ParquetFileReader::OpenFile(file.string());
  const parquet::SchemaDescriptor& schema = *reader->metadata()->schema();
  for (int i = 0; i < schema.num_columns(); ++i) {
    const parquet::ColumnDescriptor& column = *schema.Column(i);
    lines.push_back(column.name() + " " + TypeName(column) +
                    (column.max_definition_level() > 0 ? " null" : ""));
  }
  return lines;
}

TEST_CASE("the files hold exactly the tables and columns of docs/stored-trace.md") {
  test::TemporaryFolder folder;
  WriteStoredTrace(test::SampleTrace(3), {}, folder / "run.xsp");
  std::map<std::string, Lines> in_files;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "run.xsp")) {
    if (entry.path().extension() != ".parquet") continue;
    in_files[entry.path().stem().string()] = ColumnsInFile(entry.path());
  }
  CHECK(in_files == DocumentedColumns());
}

}  // namespace
}  // namespace xsp
