#include "report/analyses/analyze_report.h"

#include <algorithm>
#include <array>

#include "report/analyses/analysis_notes.h"
#include "report/analyses/analysis_tables.h"
#include "report/tables/step_set_json.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// The short screen, and how many rows of each table it shows.
constexpr std::array kShortScreen = {AnalysisId::kModelKernels,  AnalysisId::kLayers,
                                     AnalysisId::kLatencyByType, AnalysisId::kKernelsByName,
                                     AnalysisId::kLayerKernels,  AnalysisId::kGpuVsHost};
constexpr std::size_t kShortRows = 5;
// Of these people get the longest rows once already, as layers.
constexpr std::array kForScripts = {AnalysisId::kLayerKernels, AnalysisId::kGpuVsHost};

// The columns in which something is known.
std::vector<std::size_t> FilledColumns(const Table& table) {
  std::vector<bool> is_filled(table.columns().size());
  table.ForEachRow([&](const std::vector<Cell>& row) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (!row[c].empty()) is_filled[c] = true;
    }
  });
  std::vector<std::size_t> filled;
  for (std::size_t c = 0; c < is_filled.size(); ++c) {
    if (is_filled[c]) filled.push_back(c);
  }
  return filled;
}

// For people: only columns in which something is known, only so many rows, and what was cut.
Table Shortened(const Table& full, std::size_t top) {
  const std::vector<std::size_t> kept = FilledColumns(full);
  std::vector<TableColumn> columns;
  for (std::size_t c : kept) columns.push_back(full.columns()[c]);
  Table table(full.title(), std::move(columns));
  full.ForEachRow([&](const std::vector<Cell>& row) {
    std::vector<Cell> cells;
    for (std::size_t c : kept) cells.push_back(row[c]);
    table.AddRow(std::move(cells));
  });
  table.ShowFirst(top);
  return table;
}

// For scripts: so many rows; 0: all.
Table FirstRows(const Table& full, std::size_t rows) {
  Table table(full.title(), full.columns());
  full.ForEachRow([&](const std::vector<Cell>& row) {
    if (rows == 0 || table.row_count() < rows) table.AddRow(row);
  });
  return table;
}

Facts AnalysisFacts(AnalysisId id, const Table& table, const Profile& profile, Rows rows) {
  const AnalysisInfo& info = InfoOf(id);
  Json columns = Json::array();
  for (const TableColumn& column : table.columns()) {
    if (column.ForJson()) columns.push_back(column.key);
  }
  return {{"id", info.number},
          {"name", info.name},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)},
          {"sources", SourcesToJson(id, profile)}};
}

class AnalyzeReport {
 public:
  AnalyzeReport(const std::vector<BatchProfile>& batches, const AnalyzeReportOptions& options)
      : options_(options),
        is_short_(options.analyses.empty()),
        optimal_(FindOptimalBatch(batches, options.latency_target_ns)),
        data_{batches, optimal_, batches[optimal_ ? optimal_->place : 0], options.names},
        profile_(data_.shown.profile) {}

  void Fill(Report& report) {
    std::vector<AnalysisId> analyses = options_.analyses;
    if (is_short_) analyses.assign(kShortScreen.begin(), kShortScreen.end());
    if (is_short_ && data_.batches.size() > 1) analyses.front() = AnalysisId::kModel;
    report.fields["unit"] = profile_.is_step ? "step" : "span";
    report.fields["steps_averaged"] = profile_.is_step ? Json(profile_.steps) : Json(nullptr);
    report.fields["statistic"] = NameOf(options_.statistic);
    report.fields["batch"] = JsonOrNull(data_.shown.batch);
    report.fields["peaks"] = PeaksToJson();
    report.fields["counters"] = CountersToJson();
    std::vector<Facts> all;
    for (AnalysisId id : analyses) all.push_back(Add(id, report));
    report.fields["analyses"] = std::move(all);
    for (std::string& words : Words()) report.Show(std::move(words));
  }

 private:
  // Shows an analysis; the result is for scripts.
  Facts Add(AnalysisId id, Report& report) {
    shows_parts_ |= id != AnalysisId::kModel && id != AnalysisId::kModelKernels;
    const AnalysisRowOrder order =
        is_short_ ? AnalysisRowOrder::kLargest : AnalysisRowOrder::kAsDefined;
    const Table table = AnalysisTable(id, data_, order);
    Rows rows = report.AddBesideForScripts(std::string(InfoOf(id).name),
                                           FirstRows(table, options_.top.value_or(0)));
    Facts facts = AnalysisFacts(id, table, profile_, std::move(rows));
    const bool says_something = Lacks(id, profile_, true).empty() && table.row_count() > 0;
    const bool repeats = std::find(kForScripts.begin(), kForScripts.end(), id) != kForScripts.end();
    if ((!says_something || repeats) && is_short_) return facts;
    const std::size_t top = options_.top.value_or(is_short_ ? kShortRows : 0);
    Table shown = says_something ? Shortened(table, top) : Table(table.title(), {});
    for (AnalysisNeed need : Lacks(id, profile_, false)) {
      if (!is_short_) shown.AddNote(WordsFor(need, profile_));
    }
    for (const std::string& note : NotesOf(id)) {
      if (!note.empty() && says_something) shown.AddNote(note);
    }
    report.Show(std::move(shown));
    return facts;
  }

  // What belongs right below one table.
  std::vector<std::string> NotesOf(AnalysisId id) const {
    std::vector<std::string> notes;
    if (profile_.ranks.empty()) return notes;
    if (id == AnalysisId::kModel && optimal_) {
      notes.push_back(OptimalWords(data_.batches, *optimal_, options_.latency_target_ns));
    }
    if (id == AnalysisId::kModel && !data_.shown.batch) {
      notes.emplace_back("for throughput give the batch size: --batch N");
    }
    for (const RankProfile& rank : profile_.ranks) {
      const std::string who = profile_.ranks.size() > 1 ? rank.name + ": " : "";
      const auto add = [&](const std::string& words) {
        if (!words.empty()) notes.push_back(who + words);
      };
      if (id == AnalysisId::kLayers) add(LayerSumWords(rank, profile_));
      if (id == AnalysisId::kLayers || id == AnalysisId::kStages) add(StageWords(rank));
    }
    return notes;
  }

  // What is said once for all tables.
  std::vector<std::string> Words() const {
    std::vector<std::string> words;
    if (data_.batches.size() > 1 && shows_parts_) {
      words.push_back("Layers and kernels are those of batch " +
                      std::to_string(*data_.shown.batch));
    }
    words.push_back(JoinWords(profile_));
    GpuFigures all;
    for (const RankProfile& rank : profile_.ranks) all.Add(rank.gpu);
    if (all.Flops() || all.ReadBytes()) {
      words.push_back(PeakWords(profile_.ranks.front().peaks));
    }
    if ((all.bytes_source & kFromShapes) != 0) {
      words.emplace_back(
          "Bytes by shapes: each operand read and each result written once, the "
          "least that is possible");
    }
    if (!is_short_) return words;
    std::vector<AnalysisNeed> told;
    for (const AnalysisInfo& info : AllAnalyses()) {
      for (AnalysisNeed need : Lacks(info.id, profile_, false)) {
        if (std::find(told.begin(), told.end(), need) != told.end()) continue;
        told.push_back(need);
        words.push_back(WordsFor(need, profile_));
      }
    }
    words.push_back(AnswersWords(profile_));
    return words;
  }

  Json CountersToJson() const {
    if (!profile_.has_counters) return nullptr;
    const CounterJoin& join = profile_.join;
    return {{"calls", join.calls},
            {"joined_calls", join.joined_calls},
            {"time_ns", join.time},
            {"joined_time_ns", join.joined_time}};
  }

  Json PeaksToJson() const {
    Json peaks = Json::array();
    for (const RankProfile& rank : profile_.ranks) {
      peaks.push_back({{"rank", JsonText(rank.name)},
                       {"flops_per_s", JsonOrNull(rank.peaks.fp32)},
                       {"bytes_per_s", JsonOrNull(rank.peaks.bytes_per_s)},
                       {"ideal_arithmetic_intensity", JsonOrNull(rank.peaks.IdealIntensity())}});
    }
    return peaks;
  }

  const AnalyzeReportOptions& options_;
  bool is_short_;
  std::optional<OptimalBatch> optimal_;
  AnalysisData data_;
  const Profile& profile_;
  bool shows_parts_ = false;  // Something that only one of several batch sizes can show.
};

}  // namespace

Report MakeAnalyzeReport(const std::vector<BatchProfile>& batches,
                         const AnalyzeReportOptions& options,
                         const std::vector<TraceSource>& sources, const std::string& gpus,
                         const Window& window, const CountedSteps& steps) {
  Report report;
  report.command = "analyze";
  report.traces = sources;
  if (!gpus.empty()) report.about = {gpus};
  report.window = window;
  report.fields["step_set"] = StepSetToJson(steps);
  AnalyzeReport(batches, options).Fill(report);
  return report;
}

}  // namespace xsp
