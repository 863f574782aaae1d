#include "report/diff/diff_report.h"

#include <algorithm>

#include "base/text.h"
#include "report/diff/diff_documents.h"
#include "report/diff/diff_json.h"
#include "report/diff/diff_kinds.h"
#include "report/diff/diff_tables.h"
#include "report/diff/diff_words.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

Look LookOf(Outcome outcome, Verdict verdict) {
  if (outcome == Outcome::kFailed) return Look::kError;
  const bool is_good = verdict == Verdict::kSame || verdict == Verdict::kImprovement;
  return outcome == Outcome::kTrouble || !is_good ? Look::kWarning : Look::kTitle;
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
  if (!lines.empty()) report.sections.emplace_back(lines);
}

void AddSections(const Comparison& c, const DiffReportOptions& options, Report& report) {
  AddWarnings(c, report);
  const Outcome outcome = OutcomeOf(c, options.outcome);
  report.sections.emplace_back(Headline{SafeText(HeadlineWords(c)), LookOf(outcome, c.verdict)});
  report.sections.emplace_back(SafeText(Joined(CertaintyWords(c), " · ")));
  if (std::string advice = AdviceWords(c); !advice.empty()) report.sections.emplace_back(advice);
  if (!c.gates.empty()) report.sections.emplace_back(GateTable(c));
  const std::vector<ContributionGroup> groups = GroupContributions(c);
  if (!c.unit.identical) {
    report.sections.emplace_back(KindTable(c));
    report.sections.emplace_back(ShownTable(c, ShownRows(c, groups, options.top)));
  }
  if (!c.changes.empty()) report.sections.emplace_back(ShownChanges(c, options.top));
  report.sections.emplace_back("Kernels: " + KernelWords(c) + ".");
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
      return DiffJunit(c, options);
    case OutputFormat::kSarif:
      return DiffSarif(c, options);
    case OutputFormat::kGithub:
      return DiffAnnotations(c, options);
    default:
      return "";
  }
}

}  // namespace

Report MakeDiffReport(const Comparison& c, const DiffReportOptions& options) {
  Report report;
  report.command = "diff";
  report.bases = WithSteps(options.base, *c.base);
  report.traces = WithSteps(options.now, *c.now);
  report.window.text = c.is_step ? "mean of the counted steps" : "GPU span";
  AddSections(c, options, report);
  report.AddForScripts("contributions", ContributionTable(c));
  report.AddForScripts("changes", ChangeTable(c));
  report.AddForScripts("gates", GateTable(c));
  report.fields = DiffJson(c);
  for (OutputFormat format : options.formats) {
    if (std::string text = DocumentIn(format, c, options); !text.empty()) {
      report.documents.emplace_back(format, std::move(text));
    }
  }
  return report;
}

}  // namespace xsp
