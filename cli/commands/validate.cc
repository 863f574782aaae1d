#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/quantity.h"
#include "base/whole_file.h"
#include "cli/command.h"
#include "cli/inputs/forecast_inputs.h"
#include "cli/options/common_options.h"
#include "cli/options/option_set.h"
#include "cli/options/output.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/result_file.h"
#include "report/forecasts/whatif_report.h"

namespace xsp {
namespace {

// A pair to be looked at: two traces and the what-ifs that lead from one to the
// other.
struct Pair {
  std::string before, after, whatifs;
};

// Lines of BEFORE, AFTER and what-ifs, separated by tabs; '#' begins a comment.
// Relative paths start at the manifest's folder.
std::vector<Pair> ReadManifest(const std::string& file) {
  if (!std::filesystem::exists(file)) {
    throw Error("cannot read " + file, "give a file of pairs: BEFORE, AFTER, what-ifs");
  }
  ProtectInput(file);
  std::istringstream in(ReadWholeFile(file));
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::vector<Pair> pairs;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream fields(line);
    Pair pair;
    const bool whole = std::getline(fields, pair.before, '\t') &&
                       std::getline(fields, pair.after, '\t') &&
                       std::getline(fields, pair.whatifs, '\t');
    if (!whole) {
      throw Error(file + ":" + std::to_string(number) + ": not BEFORE, AFTER and what-ifs",
                  "separate the three by tabs");
    }
    for (std::string* path : {&pair.before, &pair.after}) {
      if (std::filesystem::path(*path).is_relative()) *path = (folder / *path).string();
    }
    pairs.push_back(pair);
  }
  return pairs;
}

class ValidateAction final : public Action {
 public:
  void AddOptions(OptionSet& options) override {
    options.Add("TRACE", paths_, "The run before and the run after; none with --pairs").Value("");
    AddRankOption(options, paths_);
    AddFrameworkNamesTo(options);
    choice_.AddTo(options);
    options.Add("--pairs", manifest_, "Pairs from a file: BEFORE, AFTER, what-ifs, by tabs")
        .Value("FILE");
    options.Add("--max-error", max_error_, "Exit with 1 if a forecast is further off: 10%")
        .Value("SHARE");
    machine_.AddTo(options);
    rules_.AddTo(options);
    output_.AddTo(options, {"pairs", "by_class", "waits"});
    output_.AddTimeUnitTo(options);
  }

  ExitCode Run() override {
    Output output(output_);
    const std::optional<double> limit = Limit();
    std::vector<ValidatedPair> validated;
    bool holds = true;
    if (!manifest_.empty()) {
      for (const Pair& pair : ReadManifest(manifest_)) {
        WhatIfChoice choice;
        choice.Read(pair.whatifs);
        validated.push_back(Compare(pair.before, pair.after, choice.chosen()));
      }
    } else {
      if (paths_.size() != 2) {
        throw Error("two traces are compared: the run before and the run after",
                    "xsp validate --amp BEFORE AFTER");
      }
      validated.push_back(Compare(paths_[0], paths_[1], choice_.chosen()));
    }
    for (const ValidatedPair& pair : validated) {
      holds &= !limit || std::abs(pair.validation.Error()) <= *limit;
    }
    output.Write(MakeValidationReport(validated, limit));
    return holds ? ExitCode::kOk : ExitCode::kGateFailed;
  }

 private:
  std::optional<double> Limit() const {
    if (max_error_.empty()) return std::nullopt;
    const auto limit = ReadShare(max_error_);
    if (!limit) throw Error("--max-error " + max_error_ + ": not a share", "write it as 10%");
    return limit;
  }

  // Both sides speak of steps, or neither.
  ValidatedPair Compare(const std::string& before, const std::string& after,
                        const std::vector<ChosenWhatIf>& whatifs) {
    if (whatifs.empty()) throw Error("no what-if was given", "xsp validate --amp BEFORE AFTER");
    ProgressBar progress(output_.quiet);
    OpenedWorkbench::Options options;
    options.machine = machine_.Read();
    auto open = [&](const std::string& path) {
      return std::make_unique<OpenedWorkbench>(path, options, rules_.Rules(), output_.quiet,
                                               &progress);
    };
    auto base = open(before);
    options.machine.unprofiled.reset();
    auto next = open(after);
    if (base->bench().unit().is_step != next->bench().unit().is_step) {
      options.as_span = true;
      if (next->bench().unit().is_step) next = open(after);
      options.machine = machine_.Read();
      if (base->bench().unit().is_step) base = open(before);
    }
    ValidatedPair pair;
    pair.before = base->head().source;
    pair.after = next->head().source;
    pair.gpu = base->head().gpu;
    for (const ChosenWhatIf& one : whatifs) {
      pair.whatif += (pair.whatif.empty() ? "" : " ") + one.AsOption();
    }
    pair.before_steps = base->bench().unit().steps;
    pair.after_steps = next->bench().unit().steps;
    pair.validation = Validate(base->bench(), whatifs, Measure(next->bench()));
    progress.Clear();
    return pair;
  }

  std::vector<std::string> paths_;
  WhatIfChoice choice_;
  std::string manifest_, max_error_;
  MachineOptions machine_;
  RuleOptions rules_;
  OutputOptions output_;
};

}  // namespace

extern const Command kValidateCommand;
const Command kValidateCommand = {
    "validate",
    "What if",
    "a forecast held against a run in which the change was made",
    "Forecasts a change from the run before it and compares with the run after "
    "it: the step (or the\n"
    "GPU span, where one side has fewer than three counted steps), the device "
    "work, and class by\n"
    "class what the forecast is off. With --max-error it is a gate: exit code "
    "1 if a forecast is\n"
    "further off than that.",
    {{{"xsp validate --amp fp32.sqlite amp.sqlite", "was the forecast right?"},
      {"xsp validate --pairs pairs.tsv --max-error 10%", "all pairs of a list, as a gate"}}},
    []() -> std::unique_ptr<Action> { return std::make_unique<ValidateAction>(); }};

}  // namespace xsp
