#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/trace.h"
#include "store/table_schema.h"

// Which tables of the model are stored, under which names. The one list that the writer, the
// reader and the documentation go by.
namespace xsp {

// The column that a stored table has in front of those of the model: in files, rows have no number
// of their own to join on.
enum class RowKey : std::uint8_t {
  kNone,
  kId,     // The row's own number, which other tables refer to.
  kEvent,  // The row of events that this row describes.
};

struct TableName {
  std::string_view name;
  std::string_view doc;
  RowKey key = RowKey::kNone;
};

// The tables of details, in the order of DetailTables.
inline constexpr std::array<TableName, std::tuple_size_v<DetailTables>> kDetailNames = {{
    {"kernels", "How kernels were launched.", RowKey::kEvent},
    {"copies", "Memory copies and unified-memory migrations.", RowKey::kEvent},
    {"memsets", "Memsets on the device.", RowKey::kEvent},
    {"graph_spans", "CUDA graphs that were traced as one piece.", RowKey::kEvent},
    {"calls", "CUDA runtime and driver calls, and the recorder's backtrace copies of them.",
     RowKey::kEvent},
    {"syncs", "Waits.", RowKey::kEvent},
    {"event_records", "Records of CUDA events.", RowKey::kEvent},
    {"graph_objects", "CUDA graphs and their nodes, when they were made.", RowKey::kEvent},
    {"nvtx", "NVTX ranges and marks.", RowKey::kEvent},
    {"osrt", "Operating-system runtime calls.", RowKey::kEvent},
    {"mpi", "MPI calls.", RowKey::kEvent},
    {"library_calls", "cuDNN and cuBLAS calls.", RowKey::kEvent},
    {"directives", "OpenACC and OpenMP regions.", RowKey::kEvent},
    {"memory", "Device memory allocations and releases.", RowKey::kEvent},
    {"memory_pools", "Memory pools that were made, destroyed or trimmed.", RowKey::kEvent},
    {"page_faults", "Unified-memory page faults.", RowKey::kEvent},
    {"overheads", "Time that the profiler itself took.", RowKey::kEvent},
    {"samples", "CPU samples.", RowKey::kEvent},
    {"sched", "Threads that got or lost a CPU.", RowKey::kEvent},
    {"gpu_metrics", "Sampled hardware counters; the event's name is the metric's.", RowKey::kEvent},
}};

// Calls f(name, table, first_event) for every stored table: the string pool, a vector of row
// structs or a table of columns. `first_event` is the event of the table's first row
// (RowKey::kEvent; 0 for all others). `Tables` is TraceTables, const or not.
template <class Tables, class F>
void ForEachStoredTable(Tables& t, F&& f) {
  f(TableName{"strings", "Every text that occurs in the trace.", RowKey::kId}, t.strings, 0U);
  f(TableName{"processes", "Processes.", RowKey::kId}, t.processes, 0U);
  f(TableName{"tracks", "The rows of the timeline: threads, streams, devices.", RowKey::kId},
    t.tracks, 0U);
  f(TableName{"gpus", "Physical GPUs and their limits.", RowKey::kId}, t.gpus, 0U);
  f(TableName{"contexts", "CUDA contexts."}, t.contexts, 0U);
  f(TableName{"domains", "NVTX domains, per process.", RowKey::kId}, t.domains, 0U);
  f(TableName{"categories", "Names of NVTX categories."}, t.categories, 0U);
  f(TableName{"events",
              "What all events have in common. Events of one kind stand together, in the order of "
              "begin_ns.",
              RowKey::kId},
    t.events, 0U);
  std::uint32_t first_event = 0;
  std::size_t i = 0;
  ForEachDetailTable(t.details, [&](const KindGroup& group, auto& table) {
    f(kDetailNames[i++], table, first_event);
    for (std::size_t k = IndexOf(group.first); k <= IndexOf(group.last); ++k) {
      first_event += t.kind_counts[k];
    }
  });
  f(TableName{"collectives", "What is known of collectives: a row per NVTX range that told."},
    t.collectives, 0U);
  f(TableName{"frames",
              "Call chains: the rows with the same chain, from the innermost function outwards."},
    t.frames, 0U);
}

// The type of the values that a column description points to.
template <class Member>
struct ColumnValue;
template <class Table, class T>
struct ColumnValue<T Table::*> {
  using type = T;
};
template <class Table, class T>
struct ColumnValue<std::vector<T> Table::*> {
  using type = T;
};

// What describes the columns of a table: the table itself or, in a vector of structs, the row.
template <class Table>
struct Described {
  using type = Table;
};
template <class Row>
struct Described<std::vector<Row>> {
  using type = Row;
};

// The columns that are in the file but not in the model.
template <class Table>
std::vector<ColumnSchema> ColumnsInFront(RowKey key) {
  std::vector<ColumnSchema> columns;
  if (key == RowKey::kId) {
    columns.push_back({"id", "", "The row's number, from 0: what other tables refer to."});
  } else if (key == RowKey::kEvent) {
    columns.push_back({"event", "", "The event that this row describes: a row of events."});
  }
  if (std::is_same_v<Table, Events>) {
    columns.push_back({"kind", "", "What the event is; see below.", ValueType::kText});
  } else if (std::is_same_v<Table, StringPool>) {
    columns.push_back({"text", "", "The text.", ValueType::kText});
  }
  return columns;
}

template <class Table>
TableSchema SchemaOf(const TableName& name) {
  TableSchema schema{name.name, name.doc, ColumnsInFront<Table>(name.key)};
  if constexpr (!std::is_same_v<Table, StringPool>) {
    ForEachColumn<typename Described<Table>::type>([&](const auto& column) {
      using Value = typename ColumnValue<std::remove_cvref_t<decltype(column.member)>>::type;
      schema.columns.push_back({column.name, column.unit, column.doc, ValueTypeOf<Value>(),
                                column.nulls == Nulls::kAllowed});
    });
  }
  return schema;
}

template <class Table>
std::size_t StoredRows(const Table& table) {
  return RowCount(table);
}
template <class Row>
std::size_t StoredRows(const std::vector<Row>& rows) {
  return rows.size();
}
inline std::size_t StoredRows(const StringPool& strings) { return strings.size(); }

}  // namespace xsp
