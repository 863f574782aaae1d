#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "store/parquet/schema.h"
#include "tests/support/real_traces.h"
#include "tests/unit/store/temporary_folder.h"

namespace xsp {
namespace {

TEST_CASE("docs/stored-trace.md is what the schema says") {
  const auto file = test::SourceDir() / "docs" / "stored-trace.md";
  if (std::getenv("XSP_UPDATE_GOLDEN") != nullptr) {
    test::WriteFile(file, StoredTraceDocumentation());
  }
  CHECK(test::ReadFile(file) == StoredTraceDocumentation());
}

TEST_CASE("every stored column has a name of its own and a sentence") {
  for (const TableSchema& table : StoredSchema()) {
    std::vector<std::string_view> names;
    for (const ColumnSchema& column : table.columns) {
      INFO(table.name << "." << column.name);
      CHECK(std::find(names.begin(), names.end(), column.name) == names.end());
      CHECK_FALSE(column.doc.empty());
      names.push_back(column.name);
    }
  }
}

}  // namespace
}  // namespace xsp
