#include "report/table.h"

#include <cassert>
#include <utility>

namespace xsp {

double Cell::AsDouble() const {
  if (const auto* number = std::get_if<double>(&value_)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*number);
  return 0;
}

void Table::AddRow(std::vector<Cell> cells) {
  assert(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::SetRows(std::size_t count, MakeRow make) {
  assert(rows_.empty());
  made_count_ = count;
  make_row_ = std::move(make);
}

}  // namespace xsp
