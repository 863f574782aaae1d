#include "stats/stats_table.h"

namespace xsp {

std::string FullName(const StatsColumn& column, std::string_view time_unit) {
  switch (column.kind) {
    case StatsKind::kText:
    case StatsKind::kInteger:
    case StatsKind::kId:
    case StatsKind::kReal:
      return column.name;
    case StatsKind::kPercent:
      return column.name + " (%)";
    case StatsKind::kTime:
    case StatsKind::kTimeReal:
      return column.name + " (" + std::string(time_unit) + ")";
    case StatsKind::kMegabytes:
      return column.name + " (MB)";
    case StatsKind::kMegabytesPerS:
      return column.name + " (MB/s)";
  }
  return column.name;
}

StatsTable::StatsTable(std::string name, std::string title, std::vector<StatsColumn> columns)
    : name_(std::move(name)),
      title_(std::move(title)),
      columns_(std::move(columns)),
      values_(columns_.size()) {}

void StatsTable::Put(std::size_t column, std::nullopt_t) {
  const StatsKind kind = columns_[column].kind;
  if (kind == StatsKind::kText) {
    values_[column].texts.emplace_back();
  } else if (IsInteger(kind)) {
    values_[column].integers.push_back(kMissing<std::int64_t>);
  } else {
    values_[column].reals.push_back(std::nan(""));
  }
}

void StatsTable::AppendGroup(std::optional<std::string_view> label, StatsTable&& rows) {
  assert(rows.columns_.size() + 1 == columns_.size());
  // Texts stay where they are when a deque is moved, so views into them hold.
  group_texts_.push_back(std::move(rows.texts_));
  const std::string_view lead = label ? Keep(std::string(*label)) : std::string_view();
  values_[0].texts.insert(values_[0].texts.end(), rows.rows_, lead);
  for (std::size_t c = 0; c < rows.columns_.size(); ++c) {
    Values& to = values_[c + 1];
    const Values& from = rows.values_[c];
    to.texts.insert(to.texts.end(), from.texts.begin(), from.texts.end());
    to.integers.insert(to.integers.end(), from.integers.begin(), from.integers.end());
    to.reals.insert(to.reals.end(), from.reals.begin(), from.reals.end());
  }
  rows_ += rows.rows_;
}

std::optional<std::string_view> StatsTable::Text(std::size_t row, std::size_t column) const {
  const auto& texts = values_[column].texts;
  if (texts.empty() || texts[row].data() == nullptr) return std::nullopt;
  return texts[row];
}

std::optional<std::int64_t> StatsTable::Integer(std::size_t row, std::size_t column) const {
  const auto& integers = values_[column].integers;
  if (integers.empty() || integers[row] == kMissing<std::int64_t>) return std::nullopt;
  return integers[row];
}

std::optional<double> StatsTable::Real(std::size_t row, std::size_t column) const {
  const auto& reals = values_[column].reals;
  if (reals.empty() || std::isnan(reals[row])) return std::nullopt;
  return reals[row];
}

}  // namespace xsp
