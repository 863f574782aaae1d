#include "cli/command.h"
#include "cli/inputs/open_trace.h"
#include "cli/inputs/rules_version.h"
#include "cli/inputs/throughput_inputs.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "model/names/framework_names.h"
#include "report/summary/summary_report.h"
#include "report/tables/stored_report.h"
#include "store/checksum.h"
#include "store/kept_result.h"

namespace xsp {
namespace {

// As a shell wants it.
std::string Quoted(const std::string& path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
  if (!path.empty() && path.find_first_not_of(kPlain) == std::string::npos) return path;
  std::string quoted = "'";
  for (char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

class SummaryAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    AddTraceArgument(options, path_);
    steps_.AddTo(options);
    window_.AddTo(options);
    throughput_.AddTo(options);
    names_.AddTo(options);
    rows_.top = 5;
    rows_.AddTopTo(options);
    rows_.AddSortTo(options, {"total", "mean", "longest", "count", "name"});
    output_.AddTimeUnitTo(options);
    output_.AddTo(
        options, {"kernels", "device_time", "step_kinds", "host_calls", "host_ranges", "host_mpi"});
  }

  ExitCode Run() override {
    output_.whole_names = names_.IsWhole();
    Output output(output_);
    ProgressBar progress(output_.quiet);
    Report report = MakeReport(progress);
    throughput_.AddSection(path_, ReadSelection(window_, steps_), output_.quiet, report);
    WarnOfJournal(path_, report);
    progress.Clear();
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  // What is asked for again and again, and never changes, is kept beside a stored trace.
  Report MakeReport(ProgressBar& progress) const {
    const Selection selection = ReadSelection(window_, steps_);
    const std::optional<StoredPlace> stored = IsUsual(selection) ? FindStored(path_) : std::nullopt;
    std::optional<KeptResult> kept;
    if (stored) {
      kept.emplace(stored->folder, "first_look", QuestionOf(stored->source));
      const std::optional<std::string> text = kept->Read();
      if (auto report = text ? ReportFromText(*text) : std::nullopt) {
        report->traces = {stored->source};
        return *std::move(report);
      }
    }
    OpenedTrace opened = OpenTrace(path_, &progress, Notes(output_.quiet));
    Report report =
        MakeSummaryReport(Summarize(std::move(opened.trace), selection, names_.form), opened.source,
                          {rows_.top, rows_.sort, names_.form, Quoted(opened.source.path),
                           throughput_.Read(path_).tokens.has_value()});
    if (kept && opened.from_store) {
      if (const auto text = TextOf(report)) kept->Write(*text);
    }
    return report;
  }

  // What is kept answers one question: whoever asks another one, or by other rules, keeps theirs
  // in its place. (Formats and units are a matter of writing.)
  std::string QuestionOf(const TraceSource& source) const {
    const bool has_tokens = throughput_.Read(path_).tokens.has_value();
    const std::string asked = std::to_string(rows_.top) + " " + rows_.sort +
                              (has_tokens ? " tokens " : " ") + source.path;
    return std::string(RulesVersion()) + " " + Sha256Of(asked);
  }

  bool IsUsual(const Selection& selection) const {
    return selection.HasNoFilter() && selection.steps.Empty() && !selection.steps.says_all &&
           names_.form == NameForm::kShort &&
           &FrameworkNames::InUse() == &FrameworkNames::BuiltIn();
  }

  std::string path_;
  StepOptions steps_;
  WindowOptions window_;
  ThroughputOptions throughput_;
  NameOptions names_;
  RowOptions rows_;
  OutputOptions output_;
};

}  // namespace

extern const Command kSummaryCommand;
const Command kSummaryCommand = {
    "summary",
    "Traces",
    "the first look: a verdict, device time, top kernels (also: xsp TRACE)",
    "One screen: what decides how long it takes, the step, what each device was busy with and why\n"
    "it was idle, which kernels took the time, and what to do next. By default of the counted "
    "steps\n"
    "that the first line names, as idle, critical-path and leverage do. This is what 'xsp TRACE'\n"
    "does without a command.",
    {{{"xsp train.sqlite", "the first look at a trace"},
      {"xsp train.sqlite --time 1.2s-3.4s --top 20", "of a part of it, with more kernels"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<SummaryAction>(); }};

}  // namespace xsp
