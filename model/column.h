#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/ids.h"

namespace xsp {

// What stands in a numeric column where the source had no value: the largest unsigned, the smallest
// signed number. Ids have their own "none", enumerations their value 0 unless they say otherwise.
// Stored as null, shown as absent, never as 0.
template <class T>
constexpr T kMissing = std::is_unsigned_v<T> ? std::numeric_limits<T>::max()
                                             : std::numeric_limits<T>::min();

// Whether a column may hold kMissing (or an Id that points nowhere).
enum class Nulls : std::uint8_t { kNever, kAllowed };

// One column of a table: its public name, unit and meaning. These descriptions are the trace's data
// dictionary: the stored trace, its documentation and the generic code below all read them, so a
// column is described once.
struct Column {
  std::string_view name;
  std::string_view unit;  // "ns", "bytes", ... ; empty where there is none.
  std::string_view doc;
  Nulls nulls = Nulls::kNever;
};

// Calls f(column, member) for each column of a table or row type, in order; `member` points to a
// std::vector<T> in a table, to a T in a row. For several types with the same fields, f gets the
// members of all. (The descriptions are given one by one and not as a tuple: the type of a tuple of
// twenty of them is so long that debug information and sanitizers multiply the time to compile.)
template <class First, class... Others, class F>
constexpr void ForEachColumn(F&& f) {
  First::template Columns<First, Others...>(f);
}

// A table of columns and its rows. `Fields` declares what both have in common: `Of<T> name;` is a
// std::vector<T> in the table and a T in a row.
template <class T>
using WholeColumn = std::vector<T>;
template <class T>
using OneValue = T;
template <template <template <class> class> class Fields>
struct TraceTable : Fields<WholeColumn> {
  // One row. It begins with nothing known, every field kMissing (numbers that are never null: 0);
  // whoever fills it sets what it knows.
  struct Row : Fields<OneValue> {
    constexpr Row() {
      ForEachColumn<Fields<OneValue>>([&](const Column& column, auto field) {
        using T = std::remove_cvref_t<decltype(this->*field)>;
        const bool begins_at_0 = std::is_arithmetic_v<T> && column.nulls == Nulls::kNever;
        this->*field = begins_at_0 ? T{} : kMissing<T>;
      });
    }
  };

  void Add(const Row& row) {
    // Importers add millions of rows: no call per column.
    auto add = [&](const Column&, auto column, auto field) __attribute__((always_inline)) {
      (this->*column).push_back(row.*field);
    };
    ForEachColumn<TraceTable, Row>(add);
  }

  bool operator==(const TraceTable& other) const {
    bool equal = true;
    ForEachColumn<TraceTable>(
        [&](const Column&, auto column) { equal = equal && this->*column == other.*column; });
    return equal;
  }
};

// The number of rows of a table of columns (all columns are equally long).
template <class Table>
std::size_t RowCount(const Table& table) {
  std::size_t rows = 0;
  ForEachColumn<Table>([&](const Column&, auto column) { rows = (table.*column).size(); });
  return rows;
}

// What the functions below do to one column. Not inlined: there are a dozen types of columns but
// hundreds of columns, and one copy of this code per column is more than a compiler likes to see.
template <class T>
[[gnu::noinline]] void AppendColumn(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}
template <class T>
[[gnu::noinline]] void PermuteColumn(std::vector<T>& values,
                                     const std::vector<std::uint32_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(order.size());
  for (std::uint32_t i : order) sorted.push_back(values[i]);
  values = std::move(sorted);
}
template <class T>
[[gnu::noinline]] void ReserveColumn(std::vector<T>& values, std::size_t rows) {
  values.reserve(rows);
}

// Appends all rows of `from` to `to`.
template <class Table>
void AppendRows(Table& to, const Table& from) {
  ForEachColumn<Table>([&](const Column&, auto column) { AppendColumn(to.*column, from.*column); });
}

// Rearranges the rows: row i of the result is row order[i] of the table. `order` may be shorter
// than the table; rows it does not name are dropped.
template <class Table>
void PermuteRows(Table& table, const std::vector<std::uint32_t>& order) {
  ForEachColumn<Table>([&](const Column&, auto column) { PermuteColumn(table.*column, order); });
}

// Makes room for so many rows.
template <class Table>
void ReserveRows(Table& table, std::size_t rows) {
  ForEachColumn<Table>([&](const Column&, auto column) { ReserveColumn(table.*column, rows); });
}

}  // namespace xsp
