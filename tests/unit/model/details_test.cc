#include "model/details.h"

#include <catch2/catch.hpp>

#include "model/trace.h"

using namespace xsp;

TEST_CASE("whoever adds a row sets only what it knows", "[model]") {
  Copies copies;
  Copies::Row row;
  row.bytes = 5;
  row.copy_kind = CopyKind::kDtoH;
  copies.Add(row);
  copies.Add({});
  CHECK(copies.bytes == std::vector<std::uint64_t>{5, 0});
  CHECK(copies.copy_kind == std::vector{CopyKind::kDtoH, CopyKind::kUnknown});
  CHECK(copies.source_kind == std::vector(2, MemoryKind::kUnknown));
  CHECK(copies.source_device == std::vector(2, kMissing<std::uint32_t>));
  CHECK(copies.graph_node == std::vector(2, kMissing<std::uint64_t>));
}

TEST_CASE("a row fills all columns of its table", "[model]") {
  DetailTables tables;
  ForEachDetailTable(tables, []<class Table>(const KindGroup&, Table& table) {
    table.Add({});
    ForEachColumn<Table>([&](const Column& column, auto member) {
      INFO(column.name);
      const auto& values = table.*member;
      REQUIRE(values.size() == 1);
      using T = typename std::remove_cvref_t<decltype(values)>::value_type;
      if (column.nulls == Nulls::kAllowed) CHECK((values[0] == kMissing<T>));
    });
  });
}
