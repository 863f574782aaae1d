#include "report/screens/import_report.h"

#include <algorithm>
#include <utility>

#include "report/screens/cells.h"
#include "report/screens/log_report.h"
#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

Json CountsOf(const std::map<EventKind, std::uint32_t>& counts) {
  Json json = Json::object();
  for (const auto& [kind, count] : counts) json[std::string(NameOf(kind))] = count;
  return json;
}

// "trace.xsp: 1.20 MiB, 31 % of the source, in 0.4 s".
std::string Outcome(const ImportedFile& file) {
  const std::string stored = SafeText(file.stored);
  switch (file.outcome) {
    case ImportOutcome::kUpToDate:
      return stored + " was made from " +
             (file.sources.size() > 1 ? "these very files" : "this very file") + ": nothing to do";
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

// How the recordings were put on one clock.
Table ClocksTable(const std::vector<JoinedSource>& joined) {
  Table table("Recordings", {{"recording", "file", ColumnKind::kName, kAlways},
                             {"joined by", "joined_by", ColumnKind::kText, kAlways},
                             {"of", "moments", ColumnKind::kInt, kAlways},
                             {"found", "matched", ColumnKind::kInt, kAlways},
                             {"clock moved by", "clock_offset_ns", ColumnKind::kDuration, kAlways},
                             {"residual", "residual_ns", ColumnKind::kDuration, kAlways},
                             {"95 % within", "within_95_ns", ColumnKind::kDuration, kAlways},
                             {"", "taken", ColumnKind::kInt, 0, 0, Readers::kJson},
                             {"", "left_out", ColumnKind::kInt, 0, 0, Readers::kJson}});
  for (const JoinedSource& source : joined) {
    table.AddRow({source.file, source.by, source.moments, source.matched, source.clock_offset,
                  source.residual, source.within_95, JsonCell(CountsOf(source.taken)),
                  JsonCell(CountsOf(source.left_out))});
  }
  return table;
}

Facts FieldsOf(const ImportedFile& file) {
  Json rows = Json::object();
  for (EventKind kind : AllEventKinds()) {
    rows[std::string(NameOf(kind))] = file.kind_counts[IndexOf(kind)];
  }
  Facts fields = {{"stored", JsonText(file.stored)},
                  {"outcome", NameOf(file.outcome)},
                  {"stored_bytes", JsonOrNull(file.stored_bytes)},
                  {"rows", std::move(rows)},
                  {"log", LogFacts(file.log)}};
  if (!file.joined.empty()) fields["merge"] = RowsOf(ClocksTable(file.joined));
  fields["graph_names"] = nullptr;
  if (const auto& names = file.graph_names) {
    fields["graph_names"] = {
        {"file", JsonText(names->file)}, {"replayed", names->replayed}, {"named", names->named}};
  }
  return fields;
}

// What of each recording is in the trace.
Table TakenTable(const std::vector<JoinedSource>& joined) {
  Table table("What was taken", {{"recording", "file", ColumnKind::kName, kAlways},
                                 {"kind", "kind", ColumnKind::kText, kAlways},
                                 {"taken", "taken", ColumnKind::kInt, kAlways},
                                 {"left out", "left_out", ColumnKind::kInt, kAlways}});
  auto count = [](const std::map<EventKind, std::uint32_t>& counts, EventKind kind) {
    const auto it = counts.find(kind);
    return it == counts.end() ? 0 : it->second;
  };
  bool is_any_left = false;
  for (const JoinedSource& source : joined) {
    is_any_left |= !source.left_out.empty();
    for (EventKind kind : AllEventKinds()) {
      const std::uint32_t taken = count(source.taken, kind);
      const std::uint32_t left = count(source.left_out, kind);
      if (taken + left > 0) table.AddRow({source.file, NameOf(kind), taken, left});
    }
  }
  if (is_any_left) table.AddNote("Left out: " + joined.front().file + " has them already.");
  return table;
}

// A table of every file as one, for scripts: whose row it is stands in front.
template <class Make>
Table OfAllFiles(const std::vector<ImportedFile>& files, Make make) {
  std::vector<TableColumn> columns = make(ImportedFile()).columns();
  columns.insert(columns.begin(), {"stored in", "stored", ColumnKind::kName});
  Table all("", std::move(columns));
  for (const ImportedFile& file : files) {
    make(file).ForEachRow([&](std::vector<Cell> row) {
      row.insert(row.begin(), Cell(file.stored));
      all.AddRow(std::move(row));
    });
  }
  return all;
}

void AddTables(const std::vector<ImportedFile>& files, Report& report) {
  report.AddBesideForScripts("events", OfAllFiles(files, RowsTable));
  report.AddBesideForScripts("log_reasons", OfAllFiles(files, [](const ImportedFile& file) {
                               return OddRowsTable(file.log);
                             }));
  report.AddBesideForScripts("recordings", OfAllFiles(files, [](const ImportedFile& file) {
                               return ClocksTable(file.joined);
                             }));
  report.AddBesideForScripts(
      "taken", OfAllFiles(files, [](const ImportedFile& file) { return TakenTable(file.joined); }));
}

void AddMerge(const ImportedFile& file, Report& report) {
  if (file.joined.empty()) return;
  report.Show(ClocksTable(file.joined));
  std::string words;
  for (const std::string& note : file.notes) words += (words.empty() ? "" : "\n") + SafeText(note);
  report.Show(words);
  report.Show(TakenTable(file.joined));
}

void AddSections(const ImportedFile& file, Report& report) {
  report.Show(Outcome(file));
  if (file.outcome == ImportOutcome::kUpToDate) return;
  AddMerge(file, report);
  if (const auto& names = file.graph_names) {
    report.Show(FormatCount(static_cast<std::int64_t>(names->named)) + " of " +
                FormatCount(static_cast<std::int64_t>(names->replayed)) +
                " kernels that CUDA graphs replay got their layers from " + SafeText(names->file) +
                ".");
  }
  report.Show(RowsTable(file));
  if (file.log.issues().empty()) {
    report.Show("Import: " + LogWords(file.log));
  } else {
    Table odd = OddRowsTable(file.log);
    odd.AddNote(LogWords(file.log));
    report.Show(std::move(odd));
  }
}

// "62 written, 1 up to date, 1 failed".
std::string OutcomeWords(const std::vector<ImportedRank>& ranks) {
  std::map<std::string, std::size_t> counts;
  std::size_t failed = 0;
  for (const ImportedRank& rank : ranks) {
    if (!rank.trouble.empty()) ++failed;
    if (rank.trouble.empty()) ++counts[WordOf(rank.outcome)];
  }
  std::string words;
  for (const auto& [outcome, count] : counts) {
    words += (words.empty() ? "" : ", ") + std::to_string(count) + " " + outcome;
  }
  if (failed > 0) words += (words.empty() ? "" : ", ") + std::to_string(failed) + " failed";
  return words;
}

}  // namespace

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

std::string WordOf(ImportOutcome outcome) {
  std::string words(NameOf(outcome));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

Report MakeImportReport(const std::vector<ImportedFile>& files) {
  Report report;
  report.command = "import";
  for (const ImportedFile& file : files) {
    for (const TraceSource& source : file.sources) report.traces.push_back(source);
    AddSections(file, report);
  }
  AddTables(files, report);
  if (files.size() == 1) {
    report.fields = FieldsOf(files.front());
  } else {
    std::vector<Facts> imports;
    for (const ImportedFile& file : files) imports.push_back(FieldsOf(file));
    report.fields["imports"] = std::move(imports);
  }
  return report;
}

Report MakeDatasetImportReport(const std::string& dataset, const std::string& run,
                               std::vector<ImportedRank> ranks) {
  std::stable_sort(ranks.begin(), ranks.end(), [](const ImportedRank& a, const ImportedRank& b) {
    return std::pair(a.trouble.empty(), a.rank) < std::pair(b.trouble.empty(), b.rank);
  });
  Report report;
  report.command = "import";
  report.window.text = "run " + SafeText(run) + " in " + SafeText(dataset);
  report.fields["dataset"] = JsonText(dataset);
  report.fields["run"] = JsonText(run);
  Table table("Ranks", {{"rank", "rank", ColumnKind::kId, kAlways},
                        {"outcome", "outcome", ColumnKind::kText, kAlways},
                        {"file", "file", ColumnKind::kName, kAlways},
                        {"known by", "rank_source", ColumnKind::kText},
                        {"events", "events", ColumnKind::kInt},
                        {"stored", "stored_bytes", ColumnKind::kBytes},
                        {"stored in", "stored", ColumnKind::kName, 1, 0, Readers::kScripts},
                        {"", "trouble", ColumnKind::kName, 1, 0, Readers::kScripts}});
  for (const ImportedRank& rank : ranks) {
    const std::string outcome = rank.trouble.empty() ? WordOf(rank.outcome) : "failed";
    table.AddRow({rank.rank, outcome, rank.file, TextOrNothing(rank.rank_source), rank.events,
                  rank.stored_bytes, TextOrNothing(rank.stored), TextOrNothing(rank.trouble)});
  }
  table.AddNote(OutcomeWords(ranks));
  constexpr std::size_t kMostShown = 20;
  table.ShowFirst(kMostShown, " more");
  report.Add("ranks", std::move(table));
  return report;
}

Report MakeRunsReport(const std::string& dataset, const std::vector<RunRow>& runs) {
  Report report;
  report.command = "runs";
  report.window.text = "runs in " + SafeText(dataset);
  report.fields["dataset"] = JsonText(dataset);
  Table table("Runs", {{"run", "run", ColumnKind::kName, kAlways},
                       {"ranks", "ranks", ColumnKind::kInt, kAlways},
                       {"of", "world_size", ColumnKind::kInt},
                       {"hosts", "hosts", ColumnKind::kInt},
                       {"GPU", "gpu", ColumnKind::kName},
                       {"counted steps", "steps", ColumnKind::kInt},
                       {"step", "step_ns", ColumnKind::kDuration},
                       {"recorded", "created", ColumnKind::kText},
                       {"size", "stored_bytes", ColumnKind::kBytes},
                       {"", "folder", ColumnKind::kName, 1, 0, Readers::kScripts}});
  Table odd("Oddities", {{"run", "run", ColumnKind::kName, kAlways},
                         {"what", "what", ColumnKind::kName, kAlways}});
  for (const RunRow& row : runs) {
    const std::string created = row.started_ns ? FormatUtc(*row.started_ns) : std::string();
    table.AddRow({row.run, row.ranks, row.world_size, row.hosts, TextOrNothing(row.gpu), row.steps,
                  row.step_ns, TextOrNothing(created), row.bytes, row.folder});
    for (const std::string& what : row.oddities) odd.AddRow({row.run, what});
  }
  report.Add("runs", std::move(table));
  if (runs.empty()) {
    report.Show("none yet: xsp import FILES --dataset " + SafeText(dataset) + " --run NAME");
  }
  report.Add("oddities", std::move(odd));
  return report;
}

}  // namespace xsp
