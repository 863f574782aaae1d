#include "store/parquet/bound_tables.h"

#include <string_view>
#include <type_traits>
#include <utility>

#include "store/detail_names.h"

namespace xsp {
namespace {

template <class T>
constexpr VectorOps kOps = {
    [](const void* v) { return static_cast<const std::vector<T>*>(v)->size(); },
    [](void* v, std::size_t rows) { static_cast<std::vector<T>*>(v)->resize(rows); },
    [](void* v) { return reinterpret_cast<std::byte*>(static_cast<std::vector<T>*>(v)->data()); }};

ColumnSchema Describe(const Column& column, ValueType type) {
  return {column.name, column.unit, column.doc, type, column.nulls == Nulls::kAllowed};
}

template <class Table>
void BindColumns(Table& table, BoundTable& bound) {
  ForEachColumn<Table>([&](const Column& column, auto member) {
    auto& values = table.*member;
    using T = typename std::remove_reference_t<decltype(values)>::value_type;
    bound.columns.push_back({Describe(column, ValueTypeOf<T>()), &values, &kOps<T>, sizeof(T), 0});
  });
}

template <class Row>
void BindColumns(std::vector<Row>& rows, BoundTable& bound) {
  bound.holds_structs = true;
  const Row row{};
  ForEachColumn<Row>([&](const Column& column, auto member) {
    using T = std::remove_cvref_t<decltype(row.*member)>;
    const auto offset =
        static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&(row.*member)) -
                                 reinterpret_cast<const std::byte*>(&row));
    bound.columns.push_back(
        {Describe(column, ValueTypeOf<T>()), &rows, &kOps<Row>, sizeof(Row), offset});
  });
}

void AddKey(BoundTable& bound) {
  if (bound.key == RowKey::kId) {
    bound.schema.columns.push_back(
        {"id", "", "The row's number, from 0: what other tables refer to."});
  } else if (bound.key == RowKey::kEvent) {
    bound.schema.columns.push_back(
        {"event", "", "The event that this row describes: a row of events."});
  }
}

class Binder {
 public:
  template <class Table>
  BoundTable& Add(std::string_view name, std::string_view doc, RowKey key, Table& table) {
    BoundTable& bound = Begin(name, doc, key);
    if constexpr (std::is_same_v<Table, Events>) {
      bound.is_events = true;
      bound.schema.columns.push_back(
          {"kind", "", "What the event is; see below.", ValueType::kText});
    }
    BindColumns(table, bound);
    for (const BoundColumn& column : bound.columns) bound.schema.columns.push_back(column.schema);
    bound.rows = bound.columns.front().ops->size(bound.columns.front().vector);
    return bound;
  }

  void AddStrings(const StringPool& strings) {
    BoundTable& bound = Begin("strings", "Every text that occurs in the trace.", RowKey::kId);
    bound.is_strings = true;
    bound.rows = strings.size();
    bound.schema.columns.push_back({"text", "", "The text.", ValueType::kText});
  }

  std::vector<BoundTable> Finish() && { return std::move(tables_); }

 private:
  BoundTable& Begin(std::string_view name, std::string_view doc, RowKey key) {
    BoundTable& bound = tables_.emplace_back();
    bound.schema.name = name;
    bound.schema.doc = doc;
    bound.key = key;
    AddKey(bound);
    return bound;
  }

  std::vector<BoundTable> tables_;
};

void BindDetails(TraceTables& t, Binder& binder) {
  std::uint32_t first_event = 0;
  std::size_t i = 0;
  ForEachDetailTable(t.details, [&](const KindGroup& group, auto& table) {
    const DetailName& name = kDetailNames[i++];
    binder.Add(name.name, name.doc, RowKey::kEvent, table).first_event = first_event;
    for (std::size_t k = IndexOf(group.first); k <= IndexOf(group.last); ++k) {
      first_event += t.kind_counts[k];
    }
  });
}

}  // namespace

std::vector<BoundTable> BindTables(TraceTables& t) {
  Binder binder;
  binder.AddStrings(t.strings);
  binder.Add("processes", "Processes.", RowKey::kId, t.processes);
  binder.Add("tracks", "The rows of the timeline: threads, streams, devices.", RowKey::kId,
             t.tracks);
  binder.Add("gpus", "Physical GPUs and their limits.", RowKey::kId, t.gpus);
  binder.Add("contexts", "CUDA contexts.", RowKey::kNone, t.contexts);
  binder.Add("domains", "NVTX domains, per process.", RowKey::kId, t.domains);
  binder.Add("categories", "Names of NVTX categories.", RowKey::kNone, t.categories);
  binder.Add("events",
             "What all events have in common. Events of one kind stand together, in the order of "
             "begin_ns.",
             RowKey::kId, t.events);
  BindDetails(t, binder);
  binder.Add("collectives", "What is known of collectives: a row per range (or kernel) that told.",
             RowKey::kNone, t.collectives);
  binder.Add("operators", "What frameworks say of their ranges: a row per range that one wrote.",
             RowKey::kNone, t.operators);
  binder.Add("operands", "What operators take: the rows with the same signature, input by input.",
             RowKey::kNone, t.operands);
  binder.Add("frames",
             "Call chains: the rows with the same chain, from the innermost function outwards.",
             RowKey::kNone, t.frames);
  return std::move(binder).Finish();
}

}  // namespace xsp
