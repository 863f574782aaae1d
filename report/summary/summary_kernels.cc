#include "report/summary/summary_kernels.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "hierarchy/names/device_number.h"
#include "report/summary/kernel_rates.h"
#include "report/tables/table_writers.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

void Add(SummaryKernel& row, const SummaryKernel& more) {
  row.count += more.count;
  row.total_ns += more.total_ns;
  row.longest_ns = std::max(row.longest_ns, more.longest_ns);
  row.blocks = std::max(row.blocks, more.blocks);
}

std::uint64_t BlocksOf(const Trace& trace, EventId kernel) {
  const Kernels& k = trace.kernels();
  const std::uint32_t row = trace.Row(kernel, EventKind::kKernel);
  return std::uint64_t{k.grid_x[row]} * k.grid_y[row] * k.grid_z[row];
}

// By device and name. Kernels are first put together by the ids of their names: making a name for
// each of millions would take longer than all the rest.
std::vector<SummaryKernel> ByName(const Hierarchy& hierarchy, const std::vector<WorkPiece>& pieces,
                                  NameForm form) {
  const Trace& trace = hierarchy.trace();
  struct Same {
    EventId first;
    SummaryKernel row;
  };
  const EventSpan kernels = trace.OfKind(EventKind::kKernel);
  std::map<std::tuple<std::uint32_t, StringId, StringId>, Same> by_ids;
  for (const WorkPiece& piece : pieces) {
    const EventId e = piece.event;
    if (!kernels.Contains(e) || piece.elsewhere) continue;
    const auto device = DeviceNumber(trace, trace.track(trace.track_of(e))).value_or(0);
    const StringId mangled = trace.kernels().mangled_name[trace.Row(e, EventKind::kKernel)];
    Same& same = by_ids.try_emplace({device, trace.name_of(e), mangled}, Same{e, {}}).first->second;
    Add(same.row, {.device = device,
                   .name = "",
                   .count = piece.begins ? 1u : 0u,
                   .total_ns = piece.ns,
                   .longest_ns = trace.duration(e),
                   .full_name = "",
                   .blocks = BlocksOf(trace, e)});
  }
  const KernelLabels labels(trace, form);
  std::map<std::pair<std::uint32_t, std::string>, SummaryKernel> by_name;
  for (const auto& [ids, same] : by_ids) {
    const std::uint32_t device = std::get<0>(ids);
    SummaryKernel& row = by_name[{device, std::string(labels.Of(same.first))}];
    if (row.full_name.empty()) row.full_name = trace.name(same.first);
    row.kernel_class = hierarchy.kinds().Of(trace, same.first).kernel_class;
    Add(row, same.row);
  }
  std::vector<SummaryKernel> rows;
  for (auto& [key, row] : by_name) {
    std::tie(row.device, row.name) = key;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::map<std::uint32_t, DurationNs> TotalByDevice(const std::vector<SummaryKernel>& rows) {
  std::map<std::uint32_t, DurationNs> totals;
  for (const SummaryKernel& row : rows) totals[row.device] += row.total_ns;
  return totals;
}

}  // namespace

std::vector<SummaryKernel> GroupKernels(const Hierarchy& hierarchy,
                                        const std::vector<WorkPiece>& pieces, NameForm form,
                                        const Unit& unit) {
  std::vector<SummaryKernel> rows = ByName(hierarchy, pieces, form);
  AddFlops(hierarchy, pieces, form, rows);
  UnitMeans means = UnitMeans::OfCounted(unit);
  for (SummaryKernel& row : rows) {
    row.mean_ns = row.total_ns / static_cast<DurationNs>(std::max<std::uint64_t>(1, row.count));
    row.total_ns = means.Next(row.total_ns);
    row.count = means.Count(static_cast<std::uint32_t>(row.count));
    if (row.flops && unit.is_step) *row.flops /= static_cast<double>(unit.counted_size());
  }
  return rows;
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

Table KernelTable(const std::vector<SummaryKernel>& rows, std::size_t top, bool several_devices) {
  std::vector<TableColumn> columns = {
      {"total", "total_ns", ColumnKind::kDuration, kAlways},
      {"", "share", ColumnKind::kShare, 9},
      {"", "bar", ColumnKind::kBar, 1},
      {"count", "count", ColumnKind::kInt, 7},
      {"mean", "mean_ns", ColumnKind::kDuration, 6},
      {"longest", "longest_ns", ColumnKind::kDuration, 3},
      {"rate (of peak)", "rate", ColumnKind::kText, 8, 2, Readers::kPeople},
      {"flops", "flops", ColumnKind::kFloat, 0, 0, Readers::kScripts},
      {"flop rate", "flop_rate", ColumnKind::kFloat, 0, 0, Readers::kScripts},
      {"peak share", "peak_share", ColumnKind::kShare, 0, 2, Readers::kScripts},
      {"device", "device", ColumnKind::kInt, several_devices ? 9 : 0},
      {"kernel", "name", ColumnKind::kName, kAlways}};
  constexpr std::ptrdiff_t kRateColumn = 6;
  const std::size_t shown = top == 0 ? rows.size() : std::min(top, rows.size());
  const bool has_rates =
      std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown),
                  [](const SummaryKernel& row) { return row.flops.has_value(); });
  auto keep = [&](auto& of_columns) {
    if (!several_devices) of_columns.erase(of_columns.end() - 2);
    if (!has_rates) of_columns.erase(of_columns.begin() + kRateColumn);
  };
  keep(columns);
  Table table("Kernels", std::move(columns));
  const auto totals = TotalByDevice(rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const SummaryKernel& row = rows[i];
    const double share = ShareOf(row.total_ns, totals.at(row.device));
    std::vector<Cell> cells = {row.total_ns,   share,           share,          row.count,
                               row.mean_ns,    row.longest_ns,  RateWords(row), row.flops,
                               row.FlopRate(), row.PeakShare(), row.device,     row.name};
    keep(cells);
    table.AddRow(std::move(cells));
  }
  if (rows.empty()) table.AddNote("none in this part of the trace");
  if (shown < rows.size()) {
    table.AddNote("and " + FormatCount(static_cast<std::int64_t>(rows.size() - shown)) +
                  " more: --top 0 shows all");
  }
  return table;
}

// Scripts get names as they are in the trace. Short ones stand for one name each; what else was
// asked for with --names is given as it was asked for.
Json KernelsToJson(const Table& table, const std::vector<SummaryKernel>& rows, NameForm form) {
  Json json = TableRowsToJson(table);
  if (form != NameForm::kShort) return json;
  for (std::size_t i = 0; i < json.size(); ++i) {
    json[i]["name"] = JsonText(rows[i].full_name);
    json[i]["short_name"] = JsonText(rows[i].name);
  }
  return json;
}

}  // namespace xsp
