#include "report/exports/export_report.h"

#include "report/tables/json.h"
#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {

Report MakeExportReport(const ExportOutcome& outcome, const TraceSource& source,
                        const std::string& gpus, const Window& window) {
  Report report("export", source, gpus, window);
  report.fields["format"] = outcome.format;
  report.fields["written"] = TextsJson(outcome.written);
  report.fields["bytes"] = outcome.bytes;
  Table table("", {{"count", "count", ColumnKind::kInt, kAlways},
                   {"what", "what", ColumnKind::kText, kAlways}});
  std::string inside;
  for (const auto& [what, count] : outcome.counts) {
    table.AddRow({count, what});
    inside += (inside.empty() ? "" : ", ") + FormatCount(count) + " " + what;
  }
  report.Show("wrote " + SafeText(outcome.written.front()) +
              (outcome.written.size() > 1
                   ? " and " + std::to_string(outcome.written.size() - 1) + " more"
                   : "") +
              ": " + FormatBytes(outcome.bytes) + (inside.empty() ? "" : ": " + inside));
  report.AddForScripts("contents", std::move(table));
  for (const std::string& note : outcome.notes) report.Show(note);
  return report;
}

}  // namespace xsp
