#include "cli/inputs/forecast_inputs.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/quantity.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/options/option_set.h"
#include "cli/terminal/console.h"
#include "cli/terminal/result_file.h"
#include "hierarchy/names/device_number.h"

namespace xsp {
namespace {

constexpr char kWhatIfGroup[] = "What-ifs";

void ReadPeak(const std::string& part, PeakOverrides& peaks) {
  const std::size_t equals = part.find('=');
  const std::string name = part.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
  const std::pair<std::string_view, std::optional<double>*> rates[] = {{"fp32", &peaks.fp32},
                                                                       {"tf32", &peaks.tf32},
                                                                       {"fp16", &peaks.fp16},
                                                                       {"bf16", &peaks.bf16},
                                                                       {"fp8", &peaks.fp8}};
  for (const auto& [known, rate] : rates) {
    if (name != known) continue;
    *rate = ReadFlops(value);
    if (!*rate) throw Error("--peaks " + part + ": not a rate", "write it as " + name + "=312T");
    return;
  }
  if (name != "bandwidth") {
    throw Error("--peaks " + part + ": there is no such peak",
                "there are fp32, tf32, fp16, bf16, fp8 and bandwidth: "
                "fp32=19.5T,bandwidth=1555GB");
  }
  peaks.bytes_per_s = ReadBandwidth(value);
  if (!peaks.bytes_per_s) {
    throw Error("--peaks " + part + ": not a bandwidth", "write it as bandwidth=1555GB");
  }
}

}  // namespace

void MachineOptions::AddTo(OptionSet& options) {
  options
      .Add("--peaks", peaks, "What the GPU reaches at most: fp32=19.5T,bf16=312T,bandwidth=1.5TB")
      .Value("LIST");
  options
      .Add("--step-time", step_time,
           "How long a step takes without the profiler; the host's times are "
           "scaled to it")
      .Value("TIME");
}

WorkbenchOptions MachineOptions::Read() const {
  WorkbenchOptions result;
  for (const std::string_view part : Split(peaks, ',')) {
    if (!part.empty()) ReadPeak(std::string(part), result.peaks);
  }
  if (!step_time.empty()) {
    const auto time = ParseDuration(step_time);
    if (!time || *time <= 0) {
      throw Error("--step-time " + step_time + ": not a duration", "write it as --step-time=20ms");
    }
    result.unprofiled = *time;
  }
  return result;
}

void WhatIfChoice::AddTo(OptionSet& options) {
  for (const WhatIf* whatif : AllWhatIfs()) {
    options
        .FlagWithValue(
            "--" + std::string(whatif->name),
            [this, whatif](const std::string& value) { Add(*whatif, value); },
            std::string(whatif->help))
        .Group(kWhatIfGroup);
  }
  options
      .Each(
          "--file", [this](const std::string& file) { AddFile(file); },
          "A what-if of your own, as JSON: docs/whatif.md")
      .Value("FILE")
      .Group(kWhatIfGroup);
}

void WhatIfChoice::Add(const WhatIf& whatif, const std::string& value) {
  chosen_.push_back({&whatif, WhatIfValues(whatif.name, whatif.options, value)});
  for (const WhatIfOption& option : whatif.options) {
    const std::string& text = chosen_.back().values.Text(option.name);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(text, ignored)) ProtectInput(text);
  }
}

void WhatIfChoice::AddFile(const std::string& file) {
  ProtectInput(file);
  own_.push_back(UserWhatIf::Load(file));
  chosen_.push_back({&own_.back()->whatif(), WhatIfValues()});
}

void WhatIfChoice::Read(const std::string& text) {
  for (const std::string_view part : Split(text, ' ')) {
    if (part.empty()) continue;
    const std::string word(part);
    if (!word.starts_with("--")) throw Error("'" + word + "' is no what-if", "write it as --amp");
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
    const std::string value = equals == word.npos ? "" : word.substr(equals + 1);
    if (name == "file") {
      AddFile(value);
      continue;
    }
    const WhatIf* whatif = FindWhatIf(name);
    if (whatif == nullptr) {
      throw Error("there is no what-if --" + name, "xsp whatif --list shows all");
    }
    Add(*whatif, value);
  }
}

OpenedWorkbench::OpenedWorkbench(const std::string& path, const Options& options,
                                 const KernelRules& rules, bool quiet, Progress* progress) {
  OpenedTrace opened = OpenTrace(path, progress, Notes(quiet));
  run_.emplace(std::move(opened.trace), options.selection,
               TraceGraphOptions{rules, options.ignored_rules, options.as_span});
  machine_ = options.machine;
  bench_.emplace(run_->graph(), run_->hierarchy(), run_->unit(), options.machine);
  head_ = {std::move(opened.source), GpuWords(run_->trace()), run_->window(),
           Diagnose(run_->graph(), run_->hierarchy(), run_->unit())};
}

std::vector<KindForecast> OpenedWorkbench::ForKinds(std::span<const ChosenWhatIf> whatifs) const {
  const Steps& steps = run_->steps();
  std::vector<KindForecast> forecasts;
  if (steps.kinds.size() < 2) return forecasts;
  for (const StepKindFacts& kind : steps.kinds) {
    KindForecast& added =
        forecasts.emplace_back(KindForecast{kind.name, kind.count, kind.time, {}});
    const Unit unit = ChooseUnit(run_->graph(), steps, {.kind = kind.name});
    if (!unit.is_step) continue;
    added.forecast = Workbench(run_->graph(), run_->hierarchy(), unit, machine_).Run(whatifs);
  }
  return forecasts;
}

}  // namespace xsp
