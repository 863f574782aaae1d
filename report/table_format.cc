#include "report/table_format.h"

#include <algorithm>
#include <cmath>

#include "report/text.h"

namespace xsp {
namespace {

double LargestOf(const Table& table, std::size_t column) {
  double largest = 0;
  for (const auto& row : table.rows())
    largest = std::max(largest, std::abs(row[column].AsDouble()));
  return largest;
}

}  // namespace

ColumnFormat::ColumnFormat(const Table& table, std::size_t column,
                           std::optional<TimeUnit> time_unit)
    : column_(table.columns()[column]) {
  const double largest = LargestOf(table, column);
  switch (column_.kind) {
    case ColumnKind::kDuration:
      time_unit_ = time_unit.value_or(FittingTimeUnit(static_cast<DurationNs>(largest)));
      decimals_ = FittingDecimals(largest / static_cast<double>(NanosecondsPer(time_unit_)));
      break;
    case ColumnKind::kBytes:
      byte_unit_ = FittingByteUnit(largest);
      decimals_ = 2;
      break;
    case ColumnKind::kFloat:
      decimals_ = column_.decimals;
      break;
    default:
      break;
  }
}

std::string ColumnFormat::Title() const {
  switch (column_.kind) {
    case ColumnKind::kDuration:
      return column_.title + " (" + std::string(NameOf(time_unit_)) + ")";
    case ColumnKind::kBytes:
      return column_.title + " (" + std::string(NameOf(byte_unit_)) + ")";
    case ColumnKind::kShare:
      return column_.title.empty() ? "%" : column_.title + " (%)";
    default:
      return column_.title;
  }
}

std::string ColumnFormat::Show(const Cell& cell) const {
  if (cell.empty()) return column_.kind == ColumnKind::kBar ? "" : "-";
  if (const std::string* text = cell.text()) return SafeText(*text);
  switch (column_.kind) {
    case ColumnKind::kDuration:
      return cell.integer() ? FormatIn(*cell.integer(), time_unit_, decimals_)
                            : FormatIn(std::llround(cell.AsDouble()), time_unit_, decimals_);
    case ColumnKind::kBytes:
      return FormatIn(cell.AsDouble(), byte_unit_, decimals_);
    case ColumnKind::kShare:
      return FormatNumber(100 * cell.AsDouble(), 1);
    case ColumnKind::kBar:
      return Bar(cell.AsDouble(), kBarWidth);
    case ColumnKind::kFloat:
      return FormatNumber(cell.AsDouble(), decimals_);
    default:
      return cell.integer() ? FormatCount(*cell.integer()) : FormatNumber(cell.AsDouble(), 2);
  }
}

bool ColumnFormat::AtRightEdge() const {
  switch (column_.kind) {
    case ColumnKind::kText:
    case ColumnKind::kName:
    case ColumnKind::kBar:
      return false;
    default:
      return true;
  }
}

}  // namespace xsp
