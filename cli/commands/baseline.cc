#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/inputs/access_as.h"
#include "cli/inputs/baseline_folder.h"
#include "cli/inputs/open_trace.h"
#include "cli/inputs/source_stamp.h"
#include "cli/options/common_options.h"
#include "cli/options/output.h"
#include "cli/terminal/console.h"
#include "cli/terminal/progress_bar.h"
#include "report/screens/baseline_report.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

const std::vector<std::string> kVerbs = {"save", "list", "show", "rm"};
constexpr std::size_t kTracesFrom = 2;  // Behind the verb and the name.

BaselineRow RowOf(const Baseline& baseline) {
  BaselineRow row;
  row.name = baseline.name;
  row.runs = baseline.runs.size();
  row.damaged = baseline.damaged.size();
  if (!baseline.runs.empty()) row.created = baseline.runs.back().Created();
  std::vector<RunFacts> runs;
  for (const BaselineRun& run : baseline.runs) {
    runs.push_back(run.facts);
    row.steps += run.facts.steps;
    if (row.gpu.find(run.facts.gpu) == row.gpu.npos) {
      row.gpu += (row.gpu.empty() ? "" : ", ") + run.facts.gpu;
    }
  }
  // Of their steps, where they have some: what comparisons speak of.
  const BaselineNoise fresh = NoiseOf(runs);
  const bool by_step = row.steps > 0;
  const ScatterOfRuns& here = by_step ? fresh.step : fresh.span;
  const ScatterOfRuns& before = by_step ? baseline.noise.step : baseline.noise.span;
  const double degrees = here.degrees + before.degrees;
  if (degrees > 0) row.noise = std::sqrt((here.squares + before.squares) / degrees);
  return row;
}

class BaselineAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    options.Add("WHAT", words_, "save NAME TRACE..., list, show NAME, or rm NAME")
        .Required()
        .Value("")
        .Words(kVerbs);
    AddRankOption(options, words_, kTracesFrom);
    options.Flag("--replace", replace_, "save: the runs that were there before go")
        .Group("Baselines");
    folder_.AddTo(options);
    output_.AddTo(options, {"baselines", "runs"});
  }

  ExitCode Run() override {
    const UnfinishedWork store;
    const std::string verb = kVerbs[IndexOfWord("baseline", words_.front(), kVerbs)];
    if (replace_ && verb != "save") throw Error("--replace is for 'xsp baseline save'");
    if (verb == "save") return Save();
    if (verb == "rm") return Remove();
    Output output(output_);
    output.Write(verb == "show" ? Show() : List());
    return ExitCode::kOk;
  }

 private:
  // The name that follows the verb, with nothing after it.
  const std::string& OnlyName() const {
    if (words_.size() != 2) {
      throw Error("'xsp baseline " + words_.front() + "' takes one NAME",
                  "xsp baseline list shows them");
    }
    return words_[1];
  }

  ExitCode Save() {
    if (words_.size() <= kTracesFrom) {
      throw Error("'xsp baseline save' takes a NAME and at least one TRACE",
                  "as in: xsp baseline save main train.sqlite");
    }
    const std::filesystem::path folder = folder_.Folder();
    const std::string& name = words_[1];
    Output output(output_);
    ProgressBar progress(output_.quiet);
    BaselineWriter writer(folder, name);
    for (std::size_t i = kTracesFrom; i < words_.size(); ++i) {
      const OpenedTrace opened = OpenTrace(words_[i], &progress, Notes(output_.quiet));
      const AccessAs access({words_[i]});
      writer.Add(opened.trace, SourceOf(words_[i], opened), DescribeForBaseline(opened.trace),
                 &progress);
    }
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const BaselineWriter::Result result =
        writer.Commit(replace_, std::chrono::duration_cast<std::chrono::seconds>(now).count());
    progress.Clear();
    SayWhatWasSaved(name, result);
    // Others may have taken it away by now.
    const auto saved = FindBaseline(folder, name, DescribeForBaseline);
    output.Write(ShowOne(folder, saved.value_or(Baseline{name, {}})));
    return ExitCode::kOk;
  }

  // Where a stored trace came from, it knows itself.
  static SourceStamp SourceOf(const std::string& path, const OpenedTrace& opened) {
    if (IsStoredTrace(path)) return ReadManifest(path).source;
    SourceStamp stamp = StampOf(path);
    stamp.sha256 = opened.source.source_sha256.value_or("");
    return stamp;
  }

  void SayWhatWasSaved(const std::string& name, const BaselineWriter::Result& result) const {
    if (output_.quiet) return;
    std::string words = "baseline '" + name + "': " + std::to_string(result.added) + " added";
    if (result.known > 0) words += ", " + std::to_string(result.known) + " already there";
    if (result.removed > 0) words += ", " + std::to_string(result.removed) + " replaced";
    SayNote(words);
  }

  ExitCode Remove() {
    const std::filesystem::path folder = folder_.Folder();
    const std::string name = AnyBaselineCalled(folder, OnlyName()).name;
    RemoveBaseline(folder, name);
    if (!output_.quiet) SayNote("baseline '" + name + "' removed");
    Output output(output_);
    output.Write(List());
    return ExitCode::kOk;
  }

  static Report ShowOne(const std::filesystem::path& folder, const Baseline& baseline) {
    std::vector<BaselineRunRow> runs;
    for (const BaselineRun& run : baseline.runs) {
      runs.push_back(
          {run.id, run.source, run.facts.gpu, run.Created(), run.facts.steps, run.folder.string()});
    }
    return MakeBaselineReport(folder.string(), RowOf(baseline), runs);
  }

  Report Show() const {
    const std::filesystem::path folder = folder_.Folder();
    return ShowOne(folder, BaselineCalled(folder, OnlyName()));
  }

  Report List() const {
    if (words_.front() == "list" && words_.size() > 1) {
      throw Error("'xsp baseline list' takes no '" + words_[1] + "'",
                  "xsp baseline show " + words_[1] + " shows one");
    }
    std::vector<BaselineRow> rows;
    for (const Baseline& baseline : ListBaselines(folder_.Folder(), DescribeForBaseline)) {
      rows.push_back(RowOf(baseline));
    }
    return MakeBaselineReport(folder_.Folder().string(), rows);
  }

  std::vector<std::string> words_;
  bool replace_ = false;
  BaselineFolderOption folder_;
  OutputOptions output_;
};

}  // namespace

extern const Command kBaselineCommand;
const Command kBaselineCommand = {
    "baseline",
    "Comparisons",
    "named runs that later ones are compared with",
    "A baseline is a name for one or more runs, kept as stored traces in a folder that can be the\n"
    "cache of a CI system. Saving adds runs: several of them tell noise between runs from noise\n"
    "within. The same run saved twice is one. Jobs may save at the same time.\n"
    "\n"
    "  xsp baseline save NAME TRACE...   adds runs; --replace: instead of those that are there\n"
    "  xsp baseline list                 all baselines\n"
    "  xsp baseline show NAME            the runs of one\n"
    "  xsp baseline rm NAME              removes one",
    {{{"xsp baseline save main run1.sqlite run2.sqlite", "what main does, in two runs"},
      {"xsp diff --baseline main new.sqlite --fail-on 'step > 3%'",
       "whether a change made it slower"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<BaselineAction>(); }};

}  // namespace xsp
