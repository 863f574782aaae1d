#include "report/tables/table.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "report/tables/units.h"

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

void Table::Nest(std::string list, Table rows, std::string key) {
  nested_.push_back(
      {std::move(list), std::move(key), std::make_shared<const Table>(std::move(rows))});
}

void Table::ShowFirst(std::size_t rows, std::string_view more) {
  if (rows == 0 || rows >= row_count()) return;
  shown_ = rows;
  AddNote("and " + FormatCount(static_cast<std::int64_t>(row_count() - rows)) + std::string(more));
}

Table Table::Shown() const {
  Table shown(title_, columns_);
  shown.notes_ = notes_;
  shown.header_hidden_ = header_hidden_;
  shown.shares_time_unit_ = shares_time_unit_;
  const std::size_t count = std::min(shown_, row_count());
  for (std::size_t i = 0; i < count; ++i) shown.AddRow(make_row_ ? make_row_(i) : rows_[i]);
  return shown;
}

}  // namespace xsp
