#include "report/summary/summary_work.h"

#include <algorithm>
#include <optional>

#include "report/summary/verdict.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

constexpr std::size_t kDevices = 4;   // Side by side.
constexpr double kHardlyAny = 0.001;  // A smaller share goes to the others.

// How fast bytes were moved; of a few that hardly took time it says nothing.
std::string Rate(const WorkRow& row, double share) {
  constexpr double kWorthARate = 0.01;
  if (row.bytes == 0 || row.ns == 0 || share < kWorthARate) return "";
  constexpr double kMost = 1e18;
  const double per_s =
      std::min(kMost, static_cast<double>(row.bytes) * 1e9 / static_cast<double>(row.ns));
  return FormatBandwidth(static_cast<std::uint64_t>(per_s));
}

// How many of the first rows are shown by themselves; the others are one row more.
std::size_t RowsShown(const std::vector<WorkRow>& rows, DurationNs sum, std::size_t most) {
  std::size_t shown = rows.size() <= most + 1 ? rows.size() : most;
  const auto small = std::find_if(rows.begin(), rows.end(), [&](const WorkRow& row) {
    return ShareOf(row.ns, sum) < kHardlyAny;
  });
  const auto large = static_cast<std::size_t>(small - rows.begin());
  if (large + 1 < rows.size()) shown = std::min(shown, std::max<std::size_t>(1, large));
  return shown;
}

std::vector<WorkRow> Folded(std::vector<WorkRow> rows, DurationNs sum, std::size_t most) {
  const std::size_t shown = RowsShown(rows, sum, most);
  if (shown == rows.size()) return rows;
  WorkRow rest;
  rest.what = FormatCount(static_cast<std::int64_t>(rows.size() - shown)) + " others";
  for (std::size_t i = shown; i < rows.size(); ++i) {
    rest.ns += rows[i].ns;
    rest.count += rows[i].count;
  }
  rows.resize(shown);
  rows.push_back(rest);
  return rows;
}

Table OneDeviceTable(const DeviceWork& device, DurationNs busy, std::size_t most) {
  Table table("Device time", {{"time", "ns", ColumnKind::kDuration, kAlways},
                              {"", "share", ColumnKind::kShare, 9},
                              {"", "bar", ColumnKind::kBar, 3},
                              {"count", "count", ColumnKind::kInt, 6},
                              {"what", "what", ColumnKind::kText, kAlways},
                              {"rate", "rate", ColumnKind::kText, 5}});
  const DurationNs sum = device.Sum();
  for (const WorkRow& row : Folded(device.rows, sum, most)) {
    const double share = ShareOf(row.ns, sum);
    table.AddRow({row.ns, share, share, row.count, row.what, Rate(row, share)});
  }
  if (sum > busy + busy / 50) {
    table.AddNote("at the same time in part: together " + FormatDuration(sum) + " in " +
                  FormatDuration(busy) + " of busy time");
  }
  return table;
}

// What a device spent on one kind of work; none where it did nothing of it.
std::optional<DurationNs> TimeOf(const DeviceWork& device, const std::string& what) {
  for (const WorkRow& row : device.rows) {
    if (row.what == what) return row.ns;
  }
  return std::nullopt;
}

// Rows of all devices, one column each.
Table ManyDevicesTable(const std::vector<DeviceWork>& work, const std::vector<std::string>& labels,
                       const FirstLook& look, std::size_t most) {
  std::vector<TableColumn> columns(1, {"what", "what", ColumnKind::kText, kAlways});
  const std::size_t shown = std::min(work.size(), kDevices);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string number = std::to_string(work[i].number);
    columns.push_back(
        {labels[i], "gpu_" + number, ColumnKind::kDuration, static_cast<int>(20 - i)});
  }
  Table table("Device time", std::move(columns));
  const std::size_t rows = std::min(look.work.size(), most);
  std::vector<DurationNs> rest(shown);
  for (std::size_t i = 0; i < shown; ++i) rest[i] = work[i].Sum();
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<Cell> cells(1 + shown);
    cells[0] = Cell(look.work[r].what);
    for (std::size_t i = 0; i < shown; ++i) {
      const std::optional<DurationNs> ns = TimeOf(work[i], look.work[r].what);
      cells[1 + i] = Cell(ns);
      rest[i] -= ns.value_or(0);
    }
    table.AddRow(std::move(cells));
  }
  if (rows < look.work.size()) {
    std::vector<Cell> cells(1 + shown);
    cells[0] = Cell(std::to_string(look.work.size() - rows) + " others");
    for (std::size_t i = 0; i < shown; ++i) cells[1 + i] = Cell(rest[i]);
    table.AddRow(std::move(cells));
  }
  if (shown < work.size()) {
    table.AddNote("and " + std::to_string(work.size() - shown) + " more devices: --format json");
  }
  return table;
}

// Busy and idle time of a device with the causes of the latter.
Table IdleTable(const DeviceIdle& device, DurationNs length, std::size_t most) {
  Table table("Busy and idle", {{"time", "ns", ColumnKind::kDuration, kAlways},
                                {"", "share", ColumnKind::kShare, 9},
                                {"", "bar", ColumnKind::kBar, 3},
                                {"what", "what", ColumnKind::kText, kAlways}});
  auto add = [&](DurationNs ns, const std::string& what) {
    const double share = ShareOf(ns, length);
    table.AddRow({ns, share, share, what});
  };
  add(device.busy, "busy");
  IdleReport alone;
  alone.devices = {device};
  const auto causes = CausesOf(alone);
  constexpr double kNoticed = 0.005;  // A smaller share of the time goes to the others.
  DurationNs rest = device.idle;
  for (std::size_t c = 0; c < causes.size() && c < most; ++c) {
    if (c > 0 && ShareOf(causes[c].second, length) < kNoticed) break;
    add(causes[c].second, "idle: " + std::string(Meaning(causes[c].first)));
    rest -= causes[c].second;
  }
  if (rest > 0) add(rest, "idle: other causes");
  return table;
}

}  // namespace

void AddWorkSections(const DeviceWork& work, const IdleReport& idle, std::size_t work_rows,
                     std::size_t cause_rows, Report& report) {
  report.Show(OneDeviceTable(work, idle.devices.front().busy, work_rows));
  report.Show(IdleTable(idle.devices.front(), idle.length, cause_rows));
}

Table WorkByDevice(const std::vector<DeviceWork>& work, const IdleReport& idle,
                   const std::vector<std::string>& labels, std::size_t rows) {
  return ManyDevicesTable(work, labels, LookAt(idle, work), rows);
}

Table WorkTable(const std::vector<DeviceWork>& work) {
  Table table("Work", {{"device", "device", ColumnKind::kInt, kAlways},
                       {"what", "what", ColumnKind::kText, kAlways},
                       {"time", "ns", ColumnKind::kDuration, kAlways},
                       {"share", "share", ColumnKind::kShare, kAlways, 0, Readers::kAllButJson},
                       {"count", "count", ColumnKind::kInt, kAlways},
                       {"bytes", "bytes", ColumnKind::kBytes, kAlways}});
  for (const DeviceWork& device : work) {
    for (const WorkRow& row : device.rows) {
      table.AddRow({device.number, row.what, row.ns, ShareOf(row.ns, device.Sum()), row.count,
                    row.bytes > 0 ? Cell(row.bytes) : Cell()});
    }
  }
  return table;
}

Table DevicesTable(const std::vector<DeviceWork>& work, const IdleReport& idle) {
  Table table("Devices", {{"device", "device", ColumnKind::kInt},
                          {"name", "name", ColumnKind::kName},
                          {"busy", "busy_ns", ColumnKind::kDuration},
                          {"idle", "idle_ns", ColumnKind::kDuration},
                          {"busy", "busy_share", ColumnKind::kShare}});
  for (std::size_t i = 0; i < work.size(); ++i) {
    const DeviceIdle& device = idle.devices[i];
    table.AddRow({work[i].number, work[i].name.empty() ? Cell() : Cell(work[i].name), device.busy,
                  device.idle, ShareOf(device.busy, idle.length)});
  }
  table.Nest("work", WorkTable(work), "device");
  return table;
}

}  // namespace xsp
