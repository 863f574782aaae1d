#include "report/diff/diff_report.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/diff/diff_documents.h"
#include "report/diff/diff_kinds.h"
#include "report/diff/diff_tables.h"
#include "report/diff/diff_words.h"
#include "report/diff/one_time_words.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

Look LookOf(Outcome outcome, Verdict verdict) {
  if (outcome == Outcome::kFailed) return Look::kError;
  const bool is_good = verdict == Verdict::kSame || verdict == Verdict::kImprovement;
  return outcome != Outcome::kHolds || !is_good ? Look::kWarning : Look::kTitle;
}

// What is to be read first: why not to trust the rest.
void AddWarnings(const Comparison& c, Report& report) {
  std::string lines;
  for (const std::string& reason : c.reasons) {
    lines += (lines.empty() ? "" : "\n") + ("not comparable: " + SafeText(reason));
  }
  for (const std::string& warning : c.warnings) {
    lines += (lines.empty() ? "" : "\n") + ("warning: " + SafeText(warning));
  }
  report.Show(lines);
}

void AddSections(const Comparison& c, const DiffReportOptions& options, Report& report) {
  AddWarnings(c, report);
  const Outcome outcome = OutcomeOf(c, options.outcome);
  report.Show(Headline{SafeText(HeadlineWords(c)), LookOf(outcome, c.verdict)});
  report.Show(OneTimeWords(c));
  report.Show(SafeText(Joined(CertaintyWords(c), " · ")));
  report.Show(AdviceWords(c));
  if (!c.gates.empty()) report.Show(ShownGates(c, options.top));
  const std::vector<ContributionGroup> groups = GroupContributions(c);
  if (!c.unit.identical) {
    report.Show(KindTable(c));
    report.Show(ShownTable(c, ShownRows(c, groups, options.top)));
  }
  if (!c.kernel_times.empty()) report.Show(KernelTimeTable(c, options.top));
  if (!c.changes.empty()) report.Show(ShownChanges(c, options.top));
  report.Show("Kernels: " + KernelWords(c) + ".");
}

std::vector<TraceSource> WithSteps(std::vector<TraceSource> sources, const Side& side) {
  for (std::size_t i = 0; i < sources.size() && i < side.runs().size(); ++i) {
    sources[i].steps = side.runs()[i].steps;
  }
  return sources;
}

std::string DocumentIn(OutputFormat format, const Comparison& c, const DiffReportOptions& options) {
  switch (format) {
    case OutputFormat::kMarkdown:
      return DiffMarkdown(c, options);
    case OutputFormat::kJunit:
      return DiffJunit(c, options.outcome);
    case OutputFormat::kSarif:
      return DiffSarif(c, options);
    case OutputFormat::kGithub:
      return DiffAnnotations(c);
    default:
      return "";
  }
}

std::string TroubleIn(OutputFormat format, const std::string& message) {
  switch (format) {
    case OutputFormat::kJunit:
      return TroubleJunit(message);
    case OutputFormat::kSarif:
      return TroubleSarif(message);
    case OutputFormat::kGithub:
      return TroubleAnnotation(message);
    default:
      return TroubleMarkdown(message);
  }
}

Json SideJson(const Side& side) {
  const StepCounts steps = side.steps();
  Json one_time_by = Json::object();
  const OneTimeSums sums = side.OneTimeBy();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    one_time_by[std::string(NameOf(static_cast<OneTimeReason>(i)))] = sums[i];
  }
  Json runs = Json::array();
  for (const Run& run : side.runs()) {
    runs.push_back({{"path", JsonText(run.name)},
                    {"samples_ns", run.unit_ns},
                    {"counted", run.steps.counted.size()},
                    {"found", run.steps.found}});
  }
  return {{"steps",
           {{"found", steps.found},
            {"counted", steps.counted},
            {"cold", steps.cold},
            {"outliers", steps.outliers},
            {"left_out", steps.left_out}}},
          {"warm_mean_ns", std::llround(side.WarmMean())},
          {"one_time_ns", std::llround(side.OneTime().Mean())},
          {"one_time_by", std::move(one_time_by)},
          {"runs", std::move(runs)}};
}

Json StatisticsJson(const Estimate& e) {
  return {{"confidence", 0.95},
          {"base_median_ns", std::llround(e.base_median)},
          {"new_median_ns", std::llround(e.now_median)},
          {"rank_test_p", JsonOrNull(e.rank_p)},
          {"noise_base", JsonOrNull(e.base_noise)},
          {"noise_new", JsonOrNull(e.now_noise)},
          {"noise_between_runs", JsonOrNull(e.run_noise)},
          {"floor", e.floor},
          {"resolution", e.resolution},
          {"samples_wanted", e.wanted > 0 ? Json(e.wanted) : Json(nullptr)}};
}

// As docs/diff.schema.json describes them.
void AddFields(const Comparison& c, const Rows& contributions, const Rows& changes,
               const Rows& kernel_times, const Rows& gates, Facts& fields) {
  fields["comparable"] = c.comparable;
  fields["reasons"] = TextsJson(c.reasons);
  fields["warnings"] = TextsJson(c.warnings);
  fields["verdict"] = NameOf(c.verdict);
  fields["unit"] = c.is_step ? "step" : "span";
  fields["base_ns"] = c.base_ns();
  fields["new_ns"] = c.now_ns();
  fields["ratio"] = JsonOrNull(c.unit.ratio);
  fields["base_one_time_ns"] = std::llround(c.base->OneTime().Mean());
  fields["new_one_time_ns"] = std::llround(c.now->OneTime().Mean());
  fields["ratio_low"] = c.unit.interval ? Json(c.unit.interval->low) : Json(nullptr);
  fields["ratio_high"] = c.unit.interval ? Json(c.unit.interval->high) : Json(nullptr);
  fields["statistics"] = StatisticsJson(c.unit);
  fields["base_side"] = SideJson(*c.base);
  fields["new_side"] = SideJson(*c.now);
  fields["contributions"] = contributions;
  fields["matched"] = c.kernels.matched;
  fields["added"] = c.kernels.added;
  fields["removed"] = c.kernels.removed;
  fields["renamed"] = c.kernels.renamed;
  fields["moved"] = c.kernels.moved;
  fields["device_sum"] = {{"matched_base_ns", std::llround(c.accounting.matched_base)},
                          {"matched_new_ns", std::llround(c.accounting.matched_now)},
                          {"removed_ns", std::llround(c.accounting.removed)},
                          {"added_ns", std::llround(c.accounting.added)}};
  fields["changes"] = changes;
  fields["changes_found"] = c.changes.size();
  fields["kernel_times"] = kernel_times;
  fields["gates"] = gates;
}

}  // namespace

Report MakeDiffReport(const Comparison& c, const DiffReportOptions& options) {
  Report report;
  report.command = "diff";
  report.bases = WithSteps(options.base, *c.base);
  report.traces = WithSteps(options.now, *c.now);
  report.window.text = c.is_step ? "mean of the counted steps" : "GPU span";
  AddSections(c, options, report);
  const Rows contributions = report.AddBesideForScripts("contributions", ContributionTable(c));
  const Rows changes = report.AddBesideForScripts("changes", ChangeTable(c));
  const Rows times = report.AddBesideForScripts("kernel_times", KernelTimeTable(c, 0));
  const Rows gates = report.AddBesideForScripts("gates", GateTable(c));
  report.AddBesideForScripts("gate_places", GatePlaceTable(c));
  AddFields(c, contributions, changes, times, gates, report.fields);
  for (OutputFormat format : options.formats) {
    if (std::string text = DocumentIn(format, c, options); !text.empty()) {
      report.documents.emplace_back(format, std::move(text));
    }
  }
  return report;
}

std::vector<std::string> DiffTableNames() {
  return {"contributions", "changes", "kernel_times", "gates", "gate_places"};
}

Report MakeDiffTroubleReport(const std::string& message, const std::vector<OutputFormat>& formats) {
  Report report;
  report.command = "diff";
  report.window.text = "nothing compared";
  report.Show(Headline{"could not be checked: " + SafeText(message), Look::kError});
  report.fields["error"] = JsonText(message);
  Table table("", {{"", "error", ColumnKind::kText}});
  table.AddRow({message});
  for (const std::string& name : DiffTableNames()) report.AddBesideForScripts(name, table);
  for (OutputFormat format : formats) {
    report.documents.emplace_back(format, TroubleIn(format, message));
  }
  return report;
}

}  // namespace xsp
