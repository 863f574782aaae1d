#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/command.h"
#include "cli/inputs/forecast_inputs.h"
#include "cli/options/common_options.h"
#include "cli/options/option_set.h"
#include "cli/options/output.h"
#include "cli/options/read_selection.h"
#include "cli/options/without_option.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/result_file.h"
#include "report/forecasts/whatif_report.h"
#include "report/timelines/whatif_timeline.h"
#include "sim/diagnosis/advise.h"

namespace xsp {
namespace {

// --sweep ddp.gpus=1,2,4: what is swept, and its values.
struct Sweep {
  std::string whatif, option;
  std::vector<std::string> values;
};

Sweep ReadSweep(const std::string& text) {
  const std::size_t dot = text.find('.');
  const std::size_t equals = text.find('=');
  if (dot == text.npos || equals == text.npos || equals < dot || equals + 1 == text.size()) {
    throw Error("--sweep " + text + ": not WHATIF.OPTION=VALUES",
                "write it as --sweep ddp.gpus=1,2,4,8");
  }
  Sweep sweep{text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), {""}};
  for (const char c : text.substr(equals + 1)) {
    if (c == ',') {
      sweep.values.emplace_back();
    } else {
      sweep.values.back() += c;
    }
  }
  return sweep;
}

// "ddp.gpus=" and the like.
std::vector<std::string> SweepWords() {
  std::vector<std::string> words;
  for (const WhatIf* whatif : AllWhatIfs()) {
    for (const WhatIfOption& option : whatif->options) {
      words.push_back(std::string(whatif->name) + "." + std::string(option.name) + "=");
    }
  }
  return words;
}

class WhatIfAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    options.Add("TRACE", path_, "A .sqlite export or a stored .xsp trace");
    AddRankOption(options, path_);
    AddFrameworkNamesTo(options);
    choice_.AddTo(options);
    options.Flag("--list", list_, "What can be asked, what it rests on and what it needs");
    options.Add("--sweep", sweep_, "One option through several values: ddp.gpus=1,2,4,8")
        .Value("WHATIF.OPTION=VALUES")
        .Words(SweepWords());
    options.Flag("--classic", classic_,
                 "Beside it: the Daydream paper's rule on the paper's graph, "
                 "where it has one");
    options.Add("--timeline", timeline_, "Before and after, for Perfetto").Value("FILE");
    machine_.AddTo(options);
    steps_.AddTo(options);
    window_.AddTo(options);
    without_.AddTo(options);
    rules_.AddTo(options);
    output_.AddTo(options, {"times", "changes", "waits", "limits", "points", "items", "others",
                            "available", "options", "kinds"});
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    Output output(output_);
    if (list_) {
      output.Write(MakeWhatIfList());
      return ExitCode::kOk;
    }
    if (path_.empty()) throw Error("no trace was given", "xsp whatif --amp TRACE");
    std::optional<ResultFile> timeline;
    if (!timeline_.empty()) timeline.emplace(timeline_);
    ProgressBar progress(output_.quiet);
    const OpenedWorkbench opened(
        path_, {ReadSelection(window_, steps_), machine_.Read(), false, without_.IgnoredRules()},
        rules_.Rules(), output_.quiet, &progress);
    Report report = Answer(opened, timeline ? &*timeline : nullptr);
    without_.SayIn(report);
    progress.Clear();
    output.Write(report);
    return ExitCode::kOk;
  }

 private:
  Report Answer(const OpenedWorkbench& opened, ResultFile* timeline) const {
    const Workbench& bench = opened.bench();
    if (!sweep_.empty()) return Swept(opened);
    if (choice_.chosen().empty()) {
      return MakeAdviceReport(bench, Advise(bench), opened.head(), path_);
    }
    Workbench::Simulated after;
    Forecast forecast = bench.Run(choice_.chosen(), timeline != nullptr ? &after : nullptr);
    if (classic_) forecast.classic = bench.RunClassic(choice_.chosen());
    if (timeline != nullptr) {
      timeline->Commit(WhatIfTimeline(bench.Unchanged(), after));
    }
    // One kind, or some steps, were asked for; else all of them are told.
    const Selection selection = ReadSelection(window_, steps_);
    const bool is_whole = selection.HasNoFilter() && selection.steps.Empty();
    return MakeWhatIfReport(
        bench, forecast, opened.head(),
        is_whole ? opened.ForKinds(choice_.chosen()) : std::vector<KindForecast>());
  }

  // The graph is built once; every value is a simulation.
  Report Swept(const OpenedWorkbench& opened) const {
    const Sweep sweep = ReadSweep(sweep_);
    std::vector<ChosenWhatIf> chosen = choice_.chosen();
    auto it = std::find_if(chosen.begin(), chosen.end(), [&](const ChosenWhatIf& one) {
      return one.whatif->name == sweep.whatif;
    });
    if (it == chosen.end()) {
      const WhatIf* whatif = FindWhatIf(sweep.whatif);
      if (whatif == nullptr) {
        throw Error("--sweep: there is no what-if '" + sweep.whatif + "'",
                    "xsp whatif --list shows all");
      }
      chosen.push_back({whatif, WhatIfValues(whatif->name, whatif->options, "")});
      it = chosen.end() - 1;
    }
    std::vector<std::pair<std::string, Forecast>> points;
    for (const std::string& value : sweep.values) {
      it->values.Set(sweep.option, value);
      points.emplace_back(value, opened.bench().Run(chosen));
    }
    return MakeSweepReport(opened.bench(), sweep.whatif + "." + sweep.option, points,
                           opened.head());
  }

  std::string path_;
  WhatIfChoice choice_;
  bool list_ = false, classic_ = false;
  std::string sweep_, timeline_;
  MachineOptions machine_;
  StepOptions steps_;
  WindowOptions window_;
  WithoutOption without_;
  RuleOptions rules_;
  OutputOptions output_;
};

}  // namespace

extern const Command kWhatIfCommand;
const Command kWhatIfCommand = {
    "whatif",
    "What if",
    "what a step would take if something were changed",
    "Forecasts a change without making it: the change is applied to the graph "
    "of who waits for\n"
    "whom, and the graph is simulated again. Tells what was measured, how far "
    "the replay of the\n"
    "unchanged program is off, the forecast with its range, the best that such "
    "a change could do,\n"
    "what changes, and what the step waits for before and after.\n"
    "\n"
    "What-ifs take values only with '='. Several combine, each in its turn "
    "whatever their order here.\n"
    "Without one, those that apply are ranked, as xsp advise does. One that "
    "does not apply says why.",
    {{{"xsp whatif --amp train.sqlite", "mixed precision: what would a step gain?"},
      {"xsp whatif --amp --cuda-graphs train.sqlite", "and with CUDA graphs on top of it?"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<WhatIfAction>(); }};

}  // namespace xsp
