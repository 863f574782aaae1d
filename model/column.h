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
// signed number. Ids have their own "none". Stored as null, shown as absent, never as 0.
template <class T>
constexpr T kMissing = std::is_unsigned_v<T> ? std::numeric_limits<T>::max()
                                             : std::numeric_limits<T>::min();

// Whether a column may hold kMissing (or an Id that points nowhere).
enum class Nulls : std::uint8_t { kNever, kAllowed };

// One column of a table: its public name, unit and meaning, and where it lives. `Member` points to
// a std::vector<T> in a table of columns, or to a T in a row struct. These descriptions are the
// trace's data dictionary: the stored trace, its documentation and the generic code below all read
// them, so a column is declared once.
template <class Member>
struct Column {
  std::string_view name;
  std::string_view unit;  // "ns", "bytes", ... ; empty where there is none.
  std::string_view doc;
  Member member;
  Nulls nulls = Nulls::kNever;
};

template <class Member>
Column(std::string_view, std::string_view, std::string_view, Member) -> Column<Member>;
template <class Member>
Column(std::string_view, std::string_view, std::string_view, Member, Nulls) -> Column<Member>;

// Calls f(column) for each column description of a table or row type, in order. (The descriptions
// are given one by one and not as a tuple: the type of a tuple of twenty of them is so long that
// debug information and sanitizers multiply the time to compile.)
template <class Table, class F>
void ForEachColumn(F&& f) {
  Table::Columns(f);
}

// The number of rows of a table of columns (all columns are equally long).
template <class Table>
std::size_t RowCount(const Table& table) {
  std::size_t rows = 0;
  ForEachColumn<Table>([&](const auto& column) { rows = (table.*(column.member)).size(); });
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
  ForEachColumn<Table>(
      [&](const auto& column) { AppendColumn(to.*(column.member), from.*(column.member)); });
}

// Rearranges the rows: row i of the result is row order[i] of the table. `order` may be shorter
// than the table; rows it does not name are dropped.
template <class Table>
void PermuteRows(Table& table, const std::vector<std::uint32_t>& order) {
  ForEachColumn<Table>([&](const auto& column) { PermuteColumn(table.*(column.member), order); });
}

// Makes room for so many rows.
template <class Table>
void ReserveRows(Table& table, std::size_t rows) {
  ForEachColumn<Table>([&](const auto& column) { ReserveColumn(table.*(column.member), rows); });
}

}  // namespace xsp
