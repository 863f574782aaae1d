#include "report/summary_kernels.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "hierarchy/device_number.h"
#include "report/table_writers.h"
#include "report/units.h"

namespace xsp {
namespace {

void Add(SummaryKernel& row, const SummaryKernel& more) {
  row.count += more.count;
  row.total_ns += more.total_ns;
  row.longest_ns = std::max(row.longest_ns, more.longest_ns);
}

// By device and name. Kernels are first put together by the ids of their names: making a name for
// each of millions would take longer than all the rest.
std::vector<SummaryKernel> ByName(const Trace& trace, const std::vector<WorkPiece>& pieces,
                                  NameForm form) {
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
    Add(same.row, {device, "", piece.begins ? 1u : 0u, piece.ns, trace.duration(e), ""});
  }
  const KernelLabels labels(trace, form);
  std::map<std::pair<std::uint32_t, std::string>, SummaryKernel> by_name;
  for (const auto& [ids, same] : by_ids) {
    const std::uint32_t device = std::get<0>(ids);
    SummaryKernel& row = by_name[{device, std::string(labels.Of(same.first))}];
    if (row.full_name.empty()) row.full_name = trace.name(same.first);
    Add(row, same.row);
  }
  std::vector<SummaryKernel> rows;
  for (auto& [key, row] : by_name) {
    std::tie(row.device, row.name) = key;
    rows.push_back(std::move(row));
  }
  return rows;
}

DurationNs MeanOf(const SummaryKernel& row) {
  return row.total_ns / static_cast<DurationNs>(std::max<std::uint64_t>(1, row.count));
}

// The rows come by device and name, which breaks ties.
void SortRows(std::vector<SummaryKernel>& rows, const std::string& key) {
  auto by = [&](auto value) {
    std::stable_sort(rows.begin(), rows.end(), [&](const SummaryKernel& a, const SummaryKernel& b) {
      return value(a) > value(b);
    });
  };
  if (key == "mean") return by(MeanOf);
  if (key == "longest") return by([](const SummaryKernel& row) { return row.longest_ns; });
  if (key == "count") return by([](const SummaryKernel& row) { return row.count; });
  if (key == "total") return by([](const SummaryKernel& row) { return row.total_ns; });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const SummaryKernel& a, const SummaryKernel& b) { return a.name < b.name; });
}

std::map<std::uint32_t, DurationNs> TotalByDevice(const std::vector<SummaryKernel>& rows) {
  std::map<std::uint32_t, DurationNs> totals;
  for (const SummaryKernel& row : rows) totals[row.device] += row.total_ns;
  return totals;
}

}  // namespace

std::vector<SummaryKernel> GroupKernels(const Trace& trace, const std::vector<WorkPiece>& pieces,
                                        NameForm form, const Unit& unit, const std::string& sort) {
  std::vector<SummaryKernel> rows = ByName(trace, pieces, form);
  UnitMeans means(unit);
  for (SummaryKernel& row : rows) {
    row.total_ns = means.Next(row.total_ns);
    row.count = means.Count(static_cast<std::uint32_t>(row.count));
  }
  SortRows(rows, sort);
  return rows;
}

Table KernelTable(const std::vector<SummaryKernel>& rows, std::size_t top, bool several_devices) {
  std::vector<TableColumn> columns = {
      {"total", "total_ns", ColumnKind::kDuration, kAlways},
      {"", "share", ColumnKind::kShare, 9},
      {"", "bar", ColumnKind::kBar, 1},
      {"count", "count", ColumnKind::kInt, 8},
      {"mean", "mean_ns", ColumnKind::kDuration, 7},
      {"longest", "longest_ns", ColumnKind::kDuration, 3},
      {"device", "device", ColumnKind::kInt, several_devices ? 9 : 0},
      {"kernel", "name", ColumnKind::kName, kAlways}};
  if (!several_devices) columns.erase(columns.end() - 2);
  Table table("Kernels", std::move(columns));
  const auto totals = TotalByDevice(rows);
  const std::size_t shown = top == 0 ? rows.size() : std::min(top, rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const SummaryKernel& row = rows[i];
    const double share = ShareOf(row.total_ns, totals.at(row.device));
    std::vector<Cell> cells = {row.total_ns, share,          share,      row.count,
                               MeanOf(row),  row.longest_ns, row.device, row.name};
    if (!several_devices) cells.erase(cells.end() - 2);
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
