#include "report/tables/table_format.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "base/quantile.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

double LargestOf(const Table& table, std::size_t column) {
  double largest = 0;
  table.ForEachRow([&](const std::vector<Cell>& row) {
    largest = std::max(largest, std::abs(row[column].AsDouble()));
  });
  return largest;
}

// The middle one of the column's values other than 0; 0 if there are none.
double MiddleOf(const Table& table, std::size_t column) {
  std::vector<double> sizes;
  table.ForEachRow([&](const std::vector<Cell>& row) {
    const double size = std::abs(row[column].AsDouble());
    if (size > 0) sizes.push_back(size);
  });
  return UpperMedian(sizes);
}

// A unit with its decimals in which the largest value is short, and most values are not 0.000: one
// long total above many short parts would hide them.
std::pair<TimeUnit, int> FitDurations(double largest, double middle) {
  constexpr double kShown = 10;         // Two digits of a value.
  constexpr double kLongest = 100'000;  // Before the decimal point.
  TimeUnit unit = FittingTimeUnit(static_cast<DurationNs>(largest));
  auto in_unit = [&](double ns) { return ns / static_cast<double>(NanosecondsPer(unit)); };
  int decimals = FittingDecimals(in_unit(largest));
  auto hides = [&] { return middle > 0 && in_unit(middle) * std::pow(10, decimals) < kShown; };
  while (unit > TimeUnit::kUs && hides() && in_unit(largest) * 1'000 < kLongest) {
    unit = static_cast<TimeUnit>(static_cast<int>(unit) - 1);
    decimals = FittingDecimals(in_unit(largest));
    while (hides() && decimals < 3) ++decimals;
  }
  return {unit, decimals};
}

// A table of many times in one unit names it once, in its title: as part of each head it would cost
// narrow screens their columns.
bool NamesUnitInTitle(const Table& table) {
  constexpr std::ptrdiff_t kMany = 5;
  const auto times =
      std::count_if(table.columns().begin(), table.columns().end(), [](const TableColumn& column) {
        return column.ForPeople() && column.kind == ColumnKind::kDuration;
      });
  return table.shares_time_unit() && !table.title().empty() && times >= kMany;
}

// The unit of the largest time of the table.
TimeUnit SharedUnit(const Table& table) {
  double largest = 0;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    if (table.columns()[i].kind != ColumnKind::kDuration) continue;
    largest = std::max(largest, LargestOf(table, i));
  }
  return FittingTimeUnit(static_cast<DurationNs>(largest));
}

}  // namespace

ColumnFormat::ColumnFormat(const Table& table, std::size_t column,
                           std::optional<TimeUnit> time_unit)
    : column_(table.columns()[column]), unit_in_title_(NamesUnitInTitle(table)) {
  switch (column_.kind) {
    case ColumnKind::kDuration: {
      const double largest = LargestOf(table, column);
      if (!time_unit && table.shares_time_unit()) time_unit = SharedUnit(table);
      if (time_unit) {
        time_unit_ = *time_unit;
        decimals_ = FittingDecimals(largest / static_cast<double>(NanosecondsPer(time_unit_)));
      } else {
        std::tie(time_unit_, decimals_) = FitDurations(largest, MiddleOf(table, column));
      }
      break;
    }
    case ColumnKind::kBytes:
      byte_unit_ = FittingByteUnit(LargestOf(table, column));
      decimals_ = 2;
      break;
    case ColumnKind::kFloat:
      decimals_ = column_.decimals;
      break;
    default:
      break;
  }
}

std::string TitleWithUnit(const Table& table, std::optional<TimeUnit> time_unit) {
  if (!NamesUnitInTitle(table)) return table.title();
  return table.title() + " (" + std::string(NameOf(time_unit.value_or(SharedUnit(table)))) + ")";
}

std::string ColumnFormat::Title() const {
  switch (column_.kind) {
    case ColumnKind::kDuration:
      if (unit_in_title_) return column_.title;
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
  if (const bool* flag = cell.flag()) return *flag ? "yes" : "no";
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
      return FormatLargeNumber(cell.AsDouble(), decimals_);
    case ColumnKind::kId:
      return cell.integer() ? std::to_string(*cell.integer()) : FormatNumber(cell.AsDouble(), 0);
    default:
      return cell.integer() ? FormatCount(*cell.integer()) : FormatNumber(cell.AsDouble(), 2);
  }
}

bool ColumnFormat::AtRightEdge() const {
  switch (column_.kind) {
    case ColumnKind::kText:
    case ColumnKind::kSentence:
    case ColumnKind::kName:
    case ColumnKind::kBar:
      return false;
    default:
      return true;
  }
}

}  // namespace xsp
