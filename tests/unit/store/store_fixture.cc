// store_fixture FOLDER: stores a small trace with rows in every table there, and prints what others
// should find in it, as JSON: {table: {rows, columns: {name: {count, sum}},
// durations: {kind: {count, sum}}}}. `count` is the
// number of values that are not null, `sum` their sum (of texts: of their lengths in bytes).
#include <iostream>
#include <nlohmann/json.hpp>

#include "store/stored_tables.h"
#include "store/stored_trace.h"
#include "tests/unit/store/sample_trace.h"

namespace xsp {
namespace {

using Json = nlohmann::ordered_json;

// Larger than 64 bits can hold.
struct Sum {
  std::uint64_t count = 0;
  __int128 sum = 0;

  template <class T>
  void Add(T value, Nulls nulls = Nulls::kNever) {
    if constexpr (kIsId<T>) {
      Add(value.value, nulls);
    } else if constexpr (std::is_enum_v<T>) {
      Add(static_cast<std::underlying_type_t<T>>(value), nulls);
    } else if (nulls == Nulls::kNever || value != kMissing<T>) {
      ++count;
      sum += value;
    }
  }

  Json ToJson() const {
    std::string digits;
    for (unsigned __int128 rest = sum < 0 ? -sum : sum; rest > 0 || digits.empty(); rest /= 10) {
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    }
    return {{"count", count}, {"sum", (sum < 0 ? "-" : "") + digits}};
  }
};

template <class Table>
void AddSums(const Table& table, Json& columns) {
  ForEachColumn<Table>([&](const auto& column) {
    Sum sum;
    for (const auto& value : table.*(column.member)) sum.Add(value, column.nulls);
    columns[std::string(column.name)] = sum.ToJson();
  });
}

template <class Row>
void AddSums(const std::vector<Row>& rows, Json& columns) {
  ForEachColumn<Row>([&](const auto& column) {
    Sum sum;
    for (const Row& row : rows) sum.Add(row.*(column.member), column.nulls);
    columns[std::string(column.name)] = sum.ToJson();
  });
}

void AddSums(const StringPool& strings, Json& columns) {
  Sum lengths;
  for (std::size_t i = 0; i < strings.size(); ++i) lengths.Add(strings[StringId(i)].size());
  columns["text"] = lengths.ToJson();
}

Json Expected(const Trace& trace) {
  Json tables = Json::object();
  ForEachStoredTable(trace.tables(), [&](const TableName& name, const auto& table, std::uint32_t) {
    Json& entry = tables[std::string(name.name)];
    entry["rows"] = StoredRows(table);
    AddSums(table, entry["columns"]);
  });
  for (EventKind kind : AllEventKinds()) {
    Sum durations;
    for (EventId e : trace.OfKind(kind)) durations.Add(trace.duration(e));
    for (std::size_t i = 0; i < kKindGroups.size(); ++i) {
      if (kind < kKindGroups[i].first || kKindGroups[i].last < kind) continue;
      tables[std::string(kDetailNames[i].name)]["durations"][std::string(NameOf(kind))] =
          durations.ToJson();
    }
  }
  return tables;
}

}  // namespace
}  // namespace xsp

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const xsp::Trace trace = xsp::test::SampleTrace(1000);
  xsp::WriteStoredTrace(trace, {}, argv[1]);
  std::cout << xsp::Expected(trace).dump(2) << "\n";
  return 0;
}
