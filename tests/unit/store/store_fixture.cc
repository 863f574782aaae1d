// store_fixture FOLDER: stores a small trace with rows in every table there, and prints what others
// should find in it, as JSON: {table: {rows, columns: {name: {count, sum}},
// durations: {kind: {count, sum}}}}. `count` is the
// number of values that are not null, `sum` their sum (of texts: of their lengths in bytes).
#include <iostream>
#include <nlohmann/json.hpp>

#include "store/detail_names.h"
#include "store/parquet/table_schema.h"
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
  ForEachColumn<Table>([&](const Column& column, auto member) {
    Sum sum;
    for (const auto& value : table.*member) sum.Add(value, column.nulls);
    columns[std::string(column.name)] = sum.ToJson();
  });
}

template <class Row>
void AddSums(const std::vector<Row>& rows, Json& columns) {
  ForEachColumn<Row>([&](const Column& column, auto member) {
    Sum sum;
    for (const Row& row : rows) sum.Add(row.*member, column.nulls);
    columns[std::string(column.name)] = sum.ToJson();
  });
}

Json SumOfTexts(const StringPool& strings) {
  Sum lengths;
  for (std::size_t i = 0; i < strings.size(); ++i) lengths.Add(strings[StringId(i)].size());
  return lengths.ToJson();
}

Json DurationsByKind(const Trace& trace, const KindGroup& group) {
  Json durations;
  for (std::size_t k = IndexOf(group.first); k <= IndexOf(group.last); ++k) {
    const auto kind = static_cast<EventKind>(k);
    Sum sum;
    for (EventId e : trace.OfKind(kind)) sum.Add(trace.duration(e));
    durations[std::string(NameOf(kind))] = sum.ToJson();
  }
  return durations;
}

Json Expected(const Trace& trace) {
  Json tables = Json::object();
  const auto add = [&](std::string_view name, std::size_t rows, const auto& table) {
    Json& entry = tables[std::string(name)];
    entry["rows"] = rows;
    AddSums(table, entry["columns"]);
  };
  tables["strings"] = {{"rows", trace.strings().size()},
                       {"columns", {{"text", SumOfTexts(trace.strings())}}}};
  add("processes", trace.processes().size(), trace.processes());
  add("tracks", trace.tracks().size(), trace.tracks());
  add("gpus", trace.gpus().size(), trace.gpus());
  add("contexts", trace.contexts().size(), trace.contexts());
  add("domains", trace.domains().size(), trace.domains());
  add("categories", trace.categories().size(), trace.categories());
  add("events", trace.event_count(), trace.events());
  std::size_t i = 0;
  ForEachDetailTable(trace.tables().details, [&](const KindGroup& group, const auto& table) {
    const std::string name(kDetailNames[i++].name);
    add(name, RowCount(table), table);
    tables[name]["durations"] = DurationsByKind(trace, group);
  });
  add("collectives", RowCount(trace.collectives()), trace.collectives());
  add("operators", RowCount(trace.operators()), trace.operators());
  add("operands", RowCount(trace.operands()), trace.operands());
  add("frames", RowCount(trace.frames()), trace.frames());
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
