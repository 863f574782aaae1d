#include "report/summary/summary_kernels.h"

#include <algorithm>
#include <map>

#include "report/tables/units.h"

namespace xsp {
namespace {

std::map<std::uint32_t, DurationNs> TotalByDevice(const std::vector<SummaryKernel>& rows) {
  std::map<std::uint32_t, DurationNs> totals;
  for (const SummaryKernel& row : rows) totals[row.device] += row.total_ns;
  return totals;
}

}  // namespace

std::string RateWords(const SummaryKernel& row) {
  const std::optional<double> rate = row.FlopRate();
  if (!rate) return "";
  const bool is_large = *rate >= 1e12;
  std::string words =
      FormatNumber(*rate / (is_large ? 1e12 : 1e9), 1) + (is_large ? " TFLOP/s" : " GFLOP/s");
  if (const auto share = row.PeakShare()) {
    words +=
        " (" + FormatNumber(100 * *share, 0) + " % " + std::string(NameOf(row.precision)) + ")";
  }
  return words;
}

void SortKernels(std::vector<SummaryKernel>& rows, const std::string& key) {
  auto by = [&](auto value) {
    std::stable_sort(rows.begin(), rows.end(), [&](const SummaryKernel& a, const SummaryKernel& b) {
      return value(a) > value(b);
    });
  };
  if (key == "mean") return by([](const SummaryKernel& row) { return row.mean_ns; });
  if (key == "longest") return by([](const SummaryKernel& row) { return row.longest_ns; });
  if (key == "count") return by([](const SummaryKernel& row) { return row.count; });
  if (key == "total") return by([](const SummaryKernel& row) { return row.total_ns; });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const SummaryKernel& a, const SummaryKernel& b) { return a.name < b.name; });
}

// Scripts get names as they are in the trace. Short ones stand for one name each; what else was
// asked for with --names is given as it was asked for.
Table KernelTable(const std::vector<SummaryKernel>& rows, std::size_t top, bool several_devices,
                  NameForm form) {
  const std::size_t shown = top == 0 ? rows.size() : std::min(top, rows.size());
  const bool has_rates =
      std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown),
                  [](const SummaryKernel& row) { return row.flops.has_value(); });
  const bool is_short = form == NameForm::kShort;
  std::vector<TableColumn> columns = {{"total", "total_ns", ColumnKind::kDuration, kAlways},
                                      {"", "share", ColumnKind::kShare, 9},
                                      {"", "bar", ColumnKind::kBar, 1},
                                      {"count", "count", ColumnKind::kInt, 7},
                                      {"mean", "mean_ns", ColumnKind::kDuration, 6},
                                      {"longest", "longest_ns", ColumnKind::kDuration, 3}};
  auto add = [&](bool is_there, TableColumn column) {
    if (is_there) columns.push_back(std::move(column));
  };
  add(has_rates, {"rate (of peak)", "rate", ColumnKind::kText, 8, 2, Readers::kPeople});
  add(true, {"flops", "flops", ColumnKind::kFloat, 0, 0, Readers::kScripts});
  add(true, {"flop rate", "flop_rate", ColumnKind::kFloat, 0, 0, Readers::kScripts});
  add(true, {"peak share", "peak_share", ColumnKind::kShare, 0, 2, Readers::kScripts});
  add(several_devices, {"device", "device", ColumnKind::kInt, 9});
  add(true, {"kernel", "name", ColumnKind::kName, kAlways, 0,
             is_short ? Readers::kAllButJson : Readers::kAll});
  add(is_short, {"", "name", ColumnKind::kName, 0, 0, Readers::kJson});
  add(is_short, {"", "short_name", ColumnKind::kName, 0, 0, Readers::kJson});
  Table table("Kernels", std::move(columns));
  const auto totals = TotalByDevice(rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const SummaryKernel& row = rows[i];
    const double share = ShareOf(row.total_ns, totals.at(row.device));
    std::vector<Cell> cells = {row.total_ns, share, share, row.count, row.mean_ns, row.longest_ns};
    if (has_rates) cells.emplace_back(RateWords(row));
    cells.insert(cells.end(), {row.flops, row.FlopRate(), row.PeakShare()});
    if (several_devices) cells.emplace_back(row.device);
    cells.emplace_back(row.name);
    if (is_short) cells.insert(cells.end(), {row.full_name, row.name});
    table.AddRow(std::move(cells));
  }
  if (rows.empty()) table.AddNote("none in this part of the trace");
  if (shown < rows.size()) {
    table.AddNote("and " + FormatCount(static_cast<std::int64_t>(rows.size() - shown)) +
                  " more: --top 0 shows all");
  }
  return table;
}

}  // namespace xsp
