#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "importers/nsys/catalog.h"
#include "importers/nsys/context.h"
#include "importers/nsys/row.h"
#include "model/events.h"

namespace xsp {

// Turns a run of rows of one table into events. Made anew for each run, used by one thread.
class NsysTableReader {
 public:
  virtual ~NsysTableReader() = default;
  // Takes one row: it becomes an event (log.Kept()) or is noted with a reason for which it is not.
  virtual void Add(const NsysRow& row) = 0;
  // Hands everything over. `order` says where this run belongs among all runs; those of one table
  // are asked in ascending order, one at a time.
  virtual void Finish(std::uint64_t order) = 0;
};

// Fuzzers are built with clang, which takes no immediate function in a template before its version
// 17; GCC has checked the names by then.
#if defined(__clang__) && __clang_major__ < 17
#define XSP_CONSTEVAL constexpr
#else
#define XSP_CONSTEVAL consteval
#endif

// The columns of a table that a reader asks for, by name.
template <std::size_t n>
struct NsysColumns {
  std::array<std::string_view, n> names;

  // Where an NsysRow has the column with this name; one that was not asked for does not compile.
  XSP_CONSTEVAL int operator[](std::string_view name) const {
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) throw "the reader does not ask for this column";
    return static_cast<int>(it - names.begin()) + 1;
  }
};
template <class... Names>
NsysColumns(Names...) -> NsysColumns<sizeof...(Names)>;
#undef XSP_CONSTEVAL

// A column of the source and what takes it into a field of a row (IntoField and the like).
template <class Row>
struct NsysField {
  std::string_view column;
  void (*read)(const NsysRow& from, int column, NsysStrings& strings, Row& to);
};

// The columns of one list and then those of another, or of fields.
template <std::size_t n, std::size_t m>
constexpr NsysColumns<n + m> operator+(const NsysColumns<n>& first, const NsysColumns<m>& then) {
  NsysColumns<n + m> all;
  std::copy(then.names.begin(), then.names.end(),
            std::copy(first.names.begin(), first.names.end(), all.names.begin()));
  return all;
}
template <std::size_t n, class Row, std::size_t m>
constexpr NsysColumns<n + m> operator+(const NsysColumns<n>& first,
                                       const NsysField<Row> (&then)[m]) {
  NsysColumns<m> names;
  for (std::size_t i = 0; i < m; ++i) names.names[i] = then[i].column;
  return first + names;
}

// A table that is read: which columns (NsysRow numbers them from 1) and by whom. `rows` is how many
// the run has at most, to reserve memory.
struct NsysTableSpec {
  std::string_view table;
  std::span<const std::string_view> columns;
  std::unique_ptr<NsysTableReader> (*make)(const NsysTableSpec& spec, NsysContext& context,
                                           ChunkLog& log, std::size_t rows);
  std::size_t table_rows = 0;  // How many the whole table has at most; 0: not known.
};

// Reads begin and end of a host event and makes them sound: end >= begin, both far from the ends of
// int64. False: the row cannot be placed in time and was noted.
//  - no start, or an absurd one: set aside (kNoBegin);
//  - no end: the event is an instant that is marked as unfinished. (NVTX, where nsys itself says
//    until when an open range lasts, has its own rule.)
//  - end before start: an instant, marked as such.
bool ReadTimes(const NsysRow& row, int start_column, int end_column, Events::Row* event);

// The same for device work, whose time stamps may not have been collected: both are 0 then.
bool ReadDeviceTimes(const NsysRow& row, int start_column, int end_column, Events::Row* event);

// Reads the time of an event that has no end.
bool ReadInstant(const NsysRow& row, int start_column, Events::Row* event);

// A correlation id; 0 for none.
inline std::uint32_t ReadCorrelation(const NsysRow& row, int column) {
  return row.Get<std::uint32_t>(column, 0);
}

// An enumeration value that is kept as it is, and noted if it is above `highest`.
template <class Enum>
Enum ReadEnum(const NsysRow& row, int column, Enum highest, Enum missing) {
  const auto value = row.Get<std::uint8_t>(column);
  if (value == kMissing<std::uint8_t>) return missing;
  if (value > static_cast<std::uint8_t>(highest)) {
    row.Note(ImportReason::kUnknownValue, "value " + std::to_string(value));
  }
  return static_cast<Enum>(value);
}

// Takes a number, or a string by its id. What is missing leaves the field as it is.
template <auto field, class Row>
void IntoField(const NsysRow& from, int column, NsysStrings& strings, Row& to) {
  using T = std::remove_cvref_t<decltype(to.*field)>;
  if constexpr (std::is_same_v<T, StringId>) {
    to.*field = strings.ById(from, column);
  } else {
    to.*field = from.Get<T>(column, to.*field);
  }
}

// Takes a name that some versions give as text and others by id.
template <auto field, class Row>
void IntoText(const NsysRow& from, int column, NsysStrings& strings, Row& to) {
  to.*field = strings.Any(from, column);
}

// Takes an enumeration value up to `highest`.
template <auto field, auto highest, class Row>
void IntoEnum(const NsysRow& from, int column, NsysStrings&, Row& to) {
  using T = std::remove_cvref_t<decltype(to.*field)>;
  to.*field = ReadEnum<T>(from, column, static_cast<T>(highest), to.*field);
}

// A row with the fields that `Reader` lists in kFields; its kColumns end with theirs.
template <class Reader>
typename Reader::Row ReadFields(const NsysRow& from, NsysStrings& strings,
                                typename Reader::Row row = {}) {
  int column = static_cast<int>(Reader::kColumns.names.size() - std::size(Reader::kFields)) + 1;
  for (const auto& field : Reader::kFields) field.read(from, column++, strings, row);
  return row;
}

// Events of one kind with their details.
template <class Table>
struct NsysEvents {
  Events events;
  Table details;

  void Reserve(std::size_t rows) {
    ReserveRows(events, rows);
    ReserveRows(details, rows);
  }
  void Add(const Events::Row& event, const typename Table::Row& row) {
    events.Add(event);
    details.Add(row);
  }
};

// A reader whose rows become events of one kind with details of one table.
template <class Table, EventKind kind>
class SimpleReader : public NsysTableReader {
 public:
  using Row = typename Table::Row;

  SimpleReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : context_(context), log_(log), spec_(spec) {
    rows_.Reserve(rows);
  }
  void Finish(std::uint64_t order) override {
    context_.builder().Append(kind, order, spec_.table, std::move(rows_.events), rows_.details,
                              spec_.table_rows);
  }

 protected:
  void Keep(const Events::Row& event, const Row& details) {
    rows_.Add(event, details);
    log_.Kept();
  }

  NsysContext& context_;
  ChunkLog& log_;

 private:
  const NsysTableSpec spec_;
  NsysEvents<Table> rows_;
};

// The table as `Reader` reads it.
template <class Reader>
NsysTableSpec ReadBy(std::string_view table) {
  return {table, Reader::kColumns.names,
          [](const NsysTableSpec& spec, NsysContext& context, ChunkLog& log,
             std::size_t rows) -> std::unique_ptr<NsysTableReader> {
            return std::make_unique<Reader>(spec, context, log, rows);
          }};
}

// Adds those of the tables that the catalog has, with this column if one is named.
void AddTables(const NsysCatalog& catalog, std::initializer_list<NsysTableSpec> tables,
               std::vector<NsysTableSpec>& specs, std::string_view column = {});

// The tables of each group that a catalog has.
void AddCudaWorkTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);
void AddCudaCallTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);
void AddNvtxTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);
void AddHostTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);
void AddMemoryTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);
void AddSampleTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);

// The call chains: read before the events that name them.
void AddChainTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs);

}  // namespace xsp
