#include "report/leverage_report.h"

#include <algorithm>

#include "report/devices.h"
#include "report/units.h"

namespace xsp {

Report MakeLeverageReport(const TaskGraph& graph, const std::vector<TaskGroup>& groups,
                          const LeverageReport& leverage, const TraceSource& source,
                          std::size_t top) {
  Report report;
  report.command = "leverage";
  report.traces = {source};
  report.about = {GpuWords(*graph.trace)};
  const LeverageUnit& unit = leverage.unit;
  if (unit.is_step) {
    report.window.text = "a mean step, simulated on steps " + std::to_string(unit.first_step + 1) +
                         "-" + std::to_string(unit.first_step + unit.step_count);
  }
  Table table("What would be gained", {{"level", "level"},
                                       {"what", "name", ColumnKind::kName},
                                       {"tasks", "count", ColumnKind::kInt},
                                       {"device time", "device_ns", ColumnKind::kDuration},
                                       {"host time", "host_ns", ColumnKind::kDuration},
                                       {"10 % less", "gain_10_ns", ColumnKind::kDuration},
                                       {"50 % less", "gain_50_ns", ColumnKind::kDuration},
                                       {"for nothing", "gain_free_ns", ColumnKind::kDuration},
                                       {"of the unit", "share", ColumnKind::kShare}});
  Json items = Json::array();
  std::size_t shown = 0;
  for (const Leverage& item : leverage.items) {
    if (item.count == 0) continue;
    const TaskGroup& group = groups[item.group];
    if (top == 0 || shown++ < top) {
      const double share = unit.simulated > 0 ? static_cast<double>(item.gain_free) /
                                                    static_cast<double>(unit.simulated)
                                              : 0.0;
      table.AddRow({group.level, group.name, item.count, item.device, item.host, item.gain_10,
                    item.gain_50, item.gain_free, share});
    }
    items.push_back({{"level", group.level},
                     {"name", JsonText(group.name)},
                     {"count", item.count},
                     {"device_ns", item.device},
                     {"host_ns", item.host},
                     {"gain_10_ns", item.gain_10},
                     {"gain_50_ns", item.gain_50},
                     {"gain_free_ns", item.gain_free}});
  }
  table.AddNote("By simulation: what nobody waits for is worth nothing, however long it takes.");
  report.sections.emplace_back("The unit takes " + FormatDuration(unit.simulated) + " in replay.");
  report.sections.emplace_back(std::move(table));
  report.fields["unit"] = unit.is_step ? "step" : "span";
  report.fields["simulated_ns"] = unit.simulated;
  report.fields["items"] = items;
  return report;
}

}  // namespace xsp
