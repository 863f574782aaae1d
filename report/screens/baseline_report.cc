#include "report/screens/baseline_report.h"

#include "report/screens/cells.h"
#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

Table BaselineTable(const std::vector<BaselineRow>& baselines) {
  Table table("Baselines", {{"name", "name", ColumnKind::kName, kAlways},
                            {"runs", "runs", ColumnKind::kInt},
                            {"counted steps", "steps", ColumnKind::kInt},
                            {"noise between runs", "noise_between_runs", ColumnKind::kShare},
                            {"GPU", "gpu", ColumnKind::kName},
                            {"newest run", "created", ColumnKind::kText}});
  for (const BaselineRow& row : baselines) {
    table.AddRow({row.name, row.runs, row.steps, row.noise, TextOrNothing(row.gpu), row.created});
  }
  return table;
}

Report ReportOn(const std::string& folder) {
  Report report;
  report.command = "baseline";
  report.window.text = "baselines in " + folder;
  report.fields["folder"] = JsonText(folder);
  report.fields["baselines"] = Json::array();
  return report;
}

}  // namespace

Report MakeBaselineReport(const std::string& folder, const std::vector<BaselineRow>& baselines) {
  Report report = ReportOn(folder);
  report.Add("baselines", BaselineTable(baselines));
  if (baselines.empty()) {
    report.Show("none yet: xsp baseline save NAME TRACE makes one");
  }
  for (const BaselineRow& row : baselines) {
    if (row.damaged == 0) continue;
    report.Show(SafeText(row.name) + ": " + FormatCount(static_cast<std::int64_t>(row.damaged)) +
                " of its runs damaged: xsp baseline save --replace makes it anew");
  }
  return report;
}

Report MakeBaselineReport(const std::string& folder, const BaselineRow& baseline,
                          const std::vector<BaselineRunRow>& runs) {
  Report report = ReportOn(folder);
  Table table("Runs of " + SafeText(baseline.name),
              {{"run", "run", ColumnKind::kText, kAlways},
               {"saved", "created", ColumnKind::kText},
               {"from", "source", ColumnKind::kName},
               {"counted steps", "steps", ColumnKind::kInt},
               {"GPU", "gpu", ColumnKind::kName},
               {"stored in", "folder", ColumnKind::kName, 2}});
  for (const BaselineRunRow& run : runs) {
    table.AddRow({run.id, run.created, run.source, run.steps, TextOrNothing(run.gpu), run.folder});
  }
  report.Add("runs", std::move(table));
  report.AddForScripts("baselines", BaselineTable({baseline}));
  return report;
}

}  // namespace xsp
