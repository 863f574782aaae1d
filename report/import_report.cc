#include "report/import_report.h"

#include "report/log_report.h"
#include "report/text.h"
#include "report/units.h"

namespace xsp {
namespace {

std::string_view NameOf(ImportOutcome outcome) {
  switch (outcome) {
    case ImportOutcome::kWritten:
      return "written";
    case ImportOutcome::kReplaced:
      return "replaced";
    case ImportOutcome::kUpToDate:
      return "up_to_date";
    case ImportOutcome::kWouldWrite:
      return "would_write";
  }
  return "";
}

Json FieldsOf(const ImportedFile& file) {
  Json rows = Json::object();
  for (EventKind kind : AllEventKinds()) {
    rows[std::string(NameOf(kind))] = file.kind_counts[IndexOf(kind)];
  }
  return {{"stored", JsonText(file.stored)},
          {"outcome", NameOf(file.outcome)},
          {"stored_bytes", JsonOrNull(file.stored_bytes)},
          {"rows", std::move(rows)},
          {"log", LogToJson(file.log)}};
}

// "trace.xsp: 1.20 MiB, 31 % of the source, in 0.4 s".
std::string Outcome(const ImportedFile& file) {
  const std::string stored = SafeText(file.stored);
  switch (file.outcome) {
    case ImportOutcome::kUpToDate:
      return stored + " was made from this very file: nothing to do";
    case ImportOutcome::kWouldWrite:
      return "would write " + stored + " (dry run: nothing was written)";
    default:
      break;
  }
  std::string line = (file.outcome == ImportOutcome::kReplaced ? "replaced " : "wrote ") + stored;
  if (file.stored_bytes) {
    line += ": " + FormatBytes(*file.stored_bytes);
    if (file.source_bytes > 0) {
      line += ", " +
              FormatPercent(static_cast<double>(*file.stored_bytes) /
                            static_cast<double>(file.source_bytes)) +
              " of the source";
    }
  }
  return line + ", in " + FormatNumber(static_cast<double>(file.elapsed.count()) / 1000, 1) + " s";
}

Table RowsTable(const ImportedFile& file) {
  Table table("Events", {{"kind", "kind", ColumnKind::kText, kAlways},
                         {"count", "count", ColumnKind::kInt, kAlways}});
  for (EventKind kind : AllEventKinds()) {
    const std::uint32_t count = file.kind_counts[IndexOf(kind)];
    if (count > 0) table.AddRow({NameOf(kind), count});
  }
  if (table.row_count() == 0) table.AddNote("none");
  return table;
}

void AddSections(const ImportedFile& file, Report& report) {
  report.sections.emplace_back(Outcome(file));
  if (file.outcome == ImportOutcome::kUpToDate) return;
  report.sections.emplace_back(RowsTable(file));
  if (file.log.issues().empty()) {
    report.sections.emplace_back("Import: " + LogWords(file.log));
  } else {
    Table odd = OddRowsTable(file.log);
    odd.AddNote(LogWords(file.log));
    report.sections.emplace_back(std::move(odd));
  }
}

}  // namespace

Report MakeImportReport(const std::vector<ImportedFile>& files) {
  Report report;
  report.command = "import";
  for (const ImportedFile& file : files) {
    report.traces.push_back(file.source);
    AddSections(file, report);
  }
  if (files.size() == 1) {
    report.fields = FieldsOf(files.front());
  } else {
    report.fields["imports"] = Json::array();
    for (const ImportedFile& file : files) report.fields["imports"].push_back(FieldsOf(file));
  }
  return report;
}

}  // namespace xsp
