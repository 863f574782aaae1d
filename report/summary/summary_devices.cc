#include "report/summary/summary_devices.h"

#include <algorithm>
#include <map>
#include <optional>

#include "report/tables/json.h"
#include "report/tables/units.h"
#include "sim/diagnosis/first_look.h"

namespace xsp {
namespace {

constexpr std::size_t kMostDevices = 8;  // That have a line.
constexpr std::size_t kMostColumns = 4;  // That have a column.

bool Communicates(const std::vector<DeviceTimes>& devices) {
  return std::any_of(devices.begin(), devices.end(), [](const DeviceTimes& device) {
    return device.transfer + device.waiting + device.either > 0;
  });
}

// The cause that a device is idle for longest.
std::string MostlyIdle(const DeviceIdle& device) {
  IdleReport alone;
  alone.devices = {device};
  const auto causes = CausesOf(alone);
  return causes.empty() || causes.front().second == 0 ? ""
                                                      : std::string(Meaning(causes.front().first));
}

Table LinesTable(const Summary& summary) {
  const bool communicates = Communicates(summary.devices);
  const bool is_split =
      std::any_of(summary.devices.begin(), summary.devices.end(),
                  [](const DeviceTimes& device) { return device.transfer + device.waiting > 0; });
  std::vector<TableColumn> columns = {{"device", "", ColumnKind::kText, kAlways},
                                      {"compute", "", ColumnKind::kDuration, kAlways}};
  auto add = [&](bool is_there, TableColumn column) {
    if (is_there) columns.push_back(std::move(column));
  };
  add(communicates, {is_split ? "transfer" : "communication", "", ColumnKind::kDuration, 20});
  add(is_split, {"waiting", "", ColumnKind::kDuration, 19});
  add(communicates, {"exposed", "", ColumnKind::kDuration, 18});
  add(true, {"idle", "", ColumnKind::kDuration, kAlways});
  add(true, {"", "", ColumnKind::kText, 5});
  Table table("Devices", std::move(columns));
  table.ShareTimeUnit();
  const std::size_t shown = std::min(summary.devices.size(), kMostDevices);
  for (std::size_t i = 0; i < shown; ++i) {
    const DeviceTimes& device = summary.devices[i];
    std::vector<Cell> cells = {device.label, device.compute};
    if (communicates) cells.emplace_back(device.transfer + device.either);
    if (is_split) cells.emplace_back(device.waiting);
    if (communicates) cells.emplace_back(device.exposed);
    cells.emplace_back(device.idle);
    const std::string idle = MostlyIdle(summary.idle.devices[i]);
    cells.emplace_back(device.is_late ? "late: the others wait for it"
                       : idle.empty() ? ""
                                      : "idle mostly: " + idle);
    table.AddRow(std::move(cells));
  }
  if (shown < summary.devices.size()) {
    table.AddNote("and " + std::to_string(summary.devices.size() - shown) +
                  " more devices: --format json");
  }
  return table;
}

Table CollectiveTable(const std::vector<CollectiveSum>& collectives, std::size_t most) {
  const bool has_bytes = std::any_of(collectives.begin(), collectives.end(),
                                     [](const CollectiveSum& row) { return row.bytes > 0; });
  std::vector<TableColumn> columns = {{"count", "", ColumnKind::kInt, 8},
                                      {"each", "", ColumnKind::kDuration, kAlways}};
  if (has_bytes) {
    columns.push_back({"bytes", "", ColumnKind::kBytes, 20});
    columns.push_back({"bus bandwidth", "", ColumnKind::kText, 19});
  }
  columns.push_back({"collective", "", ColumnKind::kText, kAlways});
  Table table("Collectives", std::move(columns));
  const std::size_t shown = std::min(collectives.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    const CollectiveSum& row = collectives[i];
    std::vector<Cell> cells = {row.count, row.ns};
    if (has_bytes) {
      cells.emplace_back(row.bytes > 0 ? Cell(row.bytes) : Cell());
      cells.emplace_back(row.bus_bandwidth > 0
                             ? Cell(FormatBandwidth(static_cast<std::uint64_t>(row.bus_bandwidth)))
                             : Cell());
    }
    cells.emplace_back(row.operation);
    table.AddRow(std::move(cells));
  }
  if (shown < collectives.size()) {
    table.AddNote("and " + std::to_string(collectives.size() - shown) + " more: --format json");
  }
  return table;
}

}  // namespace

void AddDeviceLines(const Summary& summary, std::size_t collectives, Report& report) {
  if (summary.devices.size() > 1) report.Show(LinesTable(summary));
  if (!summary.collectives.empty() && collectives > 0) {
    report.Show(CollectiveTable(summary.collectives, collectives));
  }
}

Table KernelsByDevice(const std::vector<SummaryKernel>& kernels,
                      const std::vector<DeviceTimes>& devices, std::size_t top) {
  const std::size_t shown_devices = std::min(devices.size(), kMostColumns);
  std::vector<TableColumn> columns;
  for (std::size_t i = 0; i < shown_devices; ++i) {
    columns.push_back({devices[i].label, "", ColumnKind::kDuration, static_cast<int>(20 - i)});
  }
  columns.push_back({"count", "", ColumnKind::kInt, 7});
  columns.push_back({"kernel", "", ColumnKind::kName, kAlways});
  struct Row {
    std::vector<std::optional<DurationNs>> ns;
    std::uint64_t count = 0;  // On the device that has most of them.
    const std::string* name = nullptr;
  };
  // In the order in which names come first: rows are sorted already.
  std::vector<Row> rows;
  std::map<std::string, std::size_t> place;
  for (const SummaryKernel& kernel : kernels) {
    const auto [it, is_new] = place.try_emplace(kernel.full_name, rows.size());
    if (is_new) rows.push_back({std::vector<std::optional<DurationNs>>(shown_devices), 0, nullptr});
    Row& row = rows[it->second];
    row.name = &kernel.name;
    row.count = std::max(row.count, kernel.count);
    if (kernel.place < shown_devices) row.ns[kernel.place] = kernel.total_ns;
  }
  Table table("Kernels", std::move(columns));
  table.ShareTimeUnit();
  const std::size_t shown = top == 0 ? rows.size() : std::min(top, rows.size());
  for (std::size_t r = 0; r < shown; ++r) {
    std::vector<Cell> cells;
    for (const std::optional<DurationNs>& ns : rows[r].ns) cells.emplace_back(ns);
    cells.emplace_back(rows[r].count);
    cells.emplace_back(*rows[r].name);
    table.AddRow(std::move(cells));
  }
  if (shown < rows.size()) {
    table.AddNote("and " + FormatCount(static_cast<std::int64_t>(rows.size() - shown)) +
                  " more: --top 0 shows all");
  }
  return table;
}

Json CollectivesToJson(const std::vector<CollectiveSum>& collectives) {
  Json json = Json::array();
  for (const CollectiveSum& row : collectives) {
    json.push_back(
        {{"operation", row.operation},
         {"bytes", row.bytes > 0 ? Json(row.bytes) : Json(nullptr)},
         {"count", row.count},
         {"ns", row.ns},
         {"bus_bandwidth", row.bus_bandwidth > 0 ? Json(row.bus_bandwidth) : Json(nullptr)}});
  }
  return json;
}

}  // namespace xsp
