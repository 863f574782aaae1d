#pragma once

#include <cassert>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/column.h"

namespace xsp {

// What a column of a statistics table holds; it decides the unit behind the column's name and the
// number of decimals.
enum class StatsKind : std::uint8_t {
  kText,
  kInteger,
  kId,            // An integer that names something: a process, a stream, a result code.
  kReal,          // One decimal.
  kPercent,       // 0 to 100, one decimal.
  kTime,          // Integer nanoseconds.
  kTimeReal,      // Nanoseconds with one decimal: averages and the like.
  kMegabytes,     // 10^6 bytes, three decimals.
  kMegabytesPerS  // 10^6 bytes per second, three decimals.
};

constexpr bool IsTime(StatsKind kind) {
  return kind == StatsKind::kTime || kind == StatsKind::kTimeReal;
}

struct StatsColumn {
  std::string name;  // Without its unit: "Total Time".
  StatsKind kind = StatsKind::kText;
};

// The column's name as NVIDIA's tool prints it: "Total Time (ns)", "Time (%)". `time_unit` is that
// of the times: "ns", "us", "ms" or "s".
std::string FullName(const StatsColumn& column, std::string_view time_unit = "ns");

// Rows under a title, held as columns: a trace of a million kernels is a table of a million rows.
// Values are rounded already, as NVIDIA's tool rounds them. Names are lent by the trace, which must
// live longer than the table.
class StatsTable {
 public:
  StatsTable(std::string name, std::string title, std::vector<StatsColumn> columns);
  StatsTable(StatsTable&&) = default;
  StatsTable& operator=(StatsTable&&) = default;
  StatsTable(const StatsTable&) = delete;
  StatsTable& operator=(const StatsTable&) = delete;

  // One value for each column: text, a number, or nothing (std::nullopt, kMissing, NaN) for
  // unknown.
  template <class... Values>
  void AddRow(const Values&... values) {
    assert(sizeof...(values) == columns_.size());
    std::size_t column = 0;
    (Put(column++, values), ...);
    ++rows_;
  }

  // Keeps a text that the trace does not hold as long as the table lives.
  std::string_view Keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  // Appends the rows of a table that has the same columns but the first, which holds `label`.
  void AppendGroup(std::optional<std::string_view> label, StatsTable&& rows);

  // Why the table is empty and what to record, or what else the reader must know. One sentence.
  void set_note(std::string note) { note_ = std::move(note); }

  const std::string& name() const { return name_; }
  const std::string& title() const { return title_; }
  const std::string& note() const { return note_; }
  const std::vector<StatsColumn>& columns() const { return columns_; }
  std::size_t rows() const { return rows_; }

  // The value of a cell; nothing if it is unknown or of another kind.
  std::optional<std::string_view> Text(std::size_t row, std::size_t column) const;
  std::optional<std::int64_t> Integer(std::size_t row, std::size_t column) const;
  std::optional<double> Real(std::size_t row, std::size_t column) const;

 private:
  // The values of one column: one of the three vectors is in use.
  struct Values {
    std::vector<std::string_view> texts;
    std::vector<std::int64_t> integers;
    std::vector<double> reals;
  };

  static bool IsInteger(StatsKind kind) {
    return kind == StatsKind::kInteger || kind == StatsKind::kId || kind == StatsKind::kTime;
  }
  static bool IsReal(StatsKind kind) { return kind != StatsKind::kText && !IsInteger(kind); }

  void Put(std::size_t column, std::string_view text) { values_[column].texts.push_back(text); }
  void Put(std::size_t column, const char* text) { Put(column, std::string_view(text)); }
  void Put(std::size_t column, const std::string&) = delete;  // Keep() it.
  void Put(std::size_t column, std::nullopt_t);
  void Put(std::size_t column, std::integral auto number) {
    const bool missing = number == kMissing<decltype(number)>;
    if (IsReal(columns_[column].kind)) {
      Put(column, missing ? std::nan("") : static_cast<double>(number));
    } else {
      values_[column].integers.push_back(missing ? kMissing<std::int64_t>
                                                 : static_cast<std::int64_t>(number));
    }
  }
  void Put(std::size_t column, double number) { values_[column].reals.push_back(number); }
  template <class T>
  void Put(std::size_t column, const std::optional<T>& value) {
    value ? Put(column, *value) : Put(column, std::nullopt);
  }

  std::string name_;
  std::string title_;
  std::string note_;
  std::vector<StatsColumn> columns_;
  std::vector<Values> values_;
  std::deque<std::string> texts_;
  std::vector<std::deque<std::string>> group_texts_;  // Those of appended groups.
  std::size_t rows_ = 0;
};

}  // namespace xsp
