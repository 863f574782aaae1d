#include "report/forecasts/leverage_report.h"

#include <algorithm>

#include "hierarchy/names/device_number.h"
#include "report/graph/trust_words.h"
#include "report/tables/step_set_json.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// Where the simulated steps are not the typical one.
std::string SimulatedWords(const Unit& unit) {
  if (unit.OtherSteps() == 0) return "";
  return " (those simulated " + FormatDuration(unit.run_measured) + ")";
}

// How long it takes, and how far that can be trusted.
std::string UnitSentence(const LeverageReport& leverage) {
  const Unit& unit = leverage.unit;
  const std::string text = std::string(unit.is_step ? "A step" : "The GPU span") + " took " +
                           FormatDuration(unit.measured) + SimulatedWords(unit) + " and takes " +
                           FormatDuration(leverage.simulated) + " in replay.";
  return text + " " + TrustSentence(leverage.trust);
}

// Of a collective only the transfer can be made faster: what it waited for is the other ranks.
// Tells how much of the recorded time that is; nothing where there are no collectives.
std::string CollectiveWords(const TaskGraph& graph) {
  DurationNs recorded = 0, transfer = 0;
  for (TaskId op : graph.ops()) {
    if (!graph.HasPeers(op) || graph.IsNew(op)) continue;
    recorded += graph.measured(op);
    transfer += std::min(graph.own[op], graph.measured(op));
  }
  if (recorded == 0) return "";
  return "Collectives count with their transfer only, " +
         FormatPercent(ShareOf(transfer, recorded)) +
         " of their recorded time; the rest is waiting for other ranks.";
}

// What was counted over several steps, for one of them.
std::int64_t PerUnit(std::uint32_t count, const Unit& unit) {
  return UnitMeans::OfRun(unit).Count(count);
}

Table GainsTable(const std::vector<TaskGroup>& groups, const LeverageReport& leverage,
                 std::size_t top) {
  Table table("Gained if it took 10 % less time, half of it, or none",
              {{"level", "level", ColumnKind::kText, kAlways},
               {"what", "name", ColumnKind::kName, kAlways},
               {"tasks", "count", ColumnKind::kInt, 2},
               {"on devices", "device_ns", ColumnKind::kDuration, 4},
               {"on the host", "host_ns", ColumnKind::kDuration, 3},
               {"if −10 %", "gain_10_ns", ColumnKind::kDuration},
               {"if half", "gain_50_ns", ColumnKind::kDuration, kAlways},
               {"if none", "gain_free_ns", ColumnKind::kDuration},
               {"at most", "share", ColumnKind::kShare}});
  const DurationNs unit = leverage.simulated;
  for (const Leverage& item : leverage.items) {
    if (item.count == 0) continue;
    const TaskGroup& group = groups[item.group];
    const double share = ShareOf(item.gain_free, unit);
    table.AddRow({group.level, group.name, PerUnit(item.count, leverage.unit), item.device,
                  item.host, item.gain_10, item.gain_50, item.gain_free, share});
  }
  table.ShowFirst(top);
  table.AddNote(
      "By simulation: what nobody waits for is worth nothing, however long it takes. range: device "
      "work launched in it; host_range: the host's own time in it.");
  return table;
}

}  // namespace

Report MakeLeverageReport(const TaskGraph& graph, const std::vector<TaskGroup>& groups,
                          const LeverageReport& leverage, const TraceSource& source,
                          const Window& window, std::size_t top) {
  Report report("leverage", source, GpuWords(*graph.trace), window);
  const Unit& unit = leverage.unit;
  report.Show(UnitSentence(leverage));
  report.Show(CollectiveWords(graph));
  if (HasUnknownProducer(graph)) {
    report.Show(
        "Gains hold if the data loader keeps up: it was hardly ever waited for, so how fast it can "
        "be is not known.");
  }
  AddUnitFields(unit, report.fields);
  report.fields["measured_ns"] = unit.measured;
  report.fields["simulated_ns"] = leverage.simulated;
  report.fields["trust"] = TrustJson(leverage.trust);
  report.Add("items", GainsTable(groups, leverage, top));
  return report;
}

}  // namespace xsp
