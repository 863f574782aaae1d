#pragma once

#include <optional>
#include <string>

#include "report/tables/table.h"
#include "report/tables/units.h"

namespace xsp {

// How the values of one column are shown to people: one unit and one number of decimals for all.
class ColumnFormat {
 public:
  ColumnFormat(const Table& table, std::size_t column, std::optional<TimeUnit> time_unit);

  // The column's title with its unit, "total (ms)", unless the table's title has it.
  std::string Title() const;
  // A value in that unit; "-" for unknown. Text is made safe for a terminal.
  std::string Show(const Cell& cell) const;
  bool AtRightEdge() const;

 private:
  const TableColumn& column_;
  bool unit_in_title_;
  TimeUnit time_unit_ = TimeUnit::kNs;
  ByteUnit byte_unit_ = ByteUnit::kB;
  int decimals_ = 0;
};

// The table's title; where many times share a unit, with that.
std::string TitleWithUnit(const Table& table, std::optional<TimeUnit> time_unit);

inline constexpr std::size_t kBarWidth = 12;

}  // namespace xsp
