#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs/open_trace.h"
#include "cli/options/common_options.h"
#include "graph/unit/trace_graph.h"
#include "report/forecasts/whatif_report.h"
#include "sim/forecast.h"
#include "sim/plan/user_whatif.h"

namespace xsp {

// --peaks, --step-time: what a user knows better than the trace.
struct MachineOptions {
  std::string peaks;
  std::string step_time;

  void AddTo(OptionSet& options);
  // Throws Error for what cannot be read.
  WorkbenchOptions Read() const;
};

// The what-ifs of a command line, in the order in which they were given: one
// flag for each named one, and --file for a user's own.
class WhatIfChoice {
 public:
  void AddTo(OptionSet& options);
  const std::vector<ChosenWhatIf>& chosen() const { return chosen_; }
  // Reads "--amp --ddp=4", as a manifest of pairs has it. Throws Error.
  void Read(const std::string& text);

 private:
  void Add(const WhatIf& whatif, const std::string& value);
  void AddFile(const std::string& file);

  std::vector<ChosenWhatIf> chosen_;
  std::vector<std::unique_ptr<UserWhatIf>> own_;
};

// A trace with all that forecasts need of it. Parts refer to each other: it
// cannot be moved.
class OpenedWorkbench {
 public:
  struct Options {
    Selection selection;
    WorkbenchOptions machine;
    // Speak of the GPU span even where there are steps: the other side of a
    // pair has none.
    bool as_span = false;
    std::uint32_t ignored_rules = 0;  // Bits 1 << Rule (without_option.h).
  };
  OpenedWorkbench(const std::string& path, const Options& options, const KernelRules& rules,
                  bool quiet, Progress* progress);
  OpenedWorkbench(const OpenedWorkbench&) = delete;
  OpenedWorkbench& operator=(const OpenedWorkbench&) = delete;

  const Workbench& bench() const { return *bench_; }
  const ForecastHead& head() const { return head_; }
  const Trace& trace() const { return run_->trace(); }
  const TraceGraph& run() const { return *run_; }

  // Where there are several kinds of steps: the same what-ifs for each of them.
  std::vector<KindForecast> ForKinds(std::span<const ChosenWhatIf> whatifs) const;

 private:
  WorkbenchOptions machine_;
  std::optional<const TraceGraph> run_;
  std::optional<const Workbench> bench_;
  ForecastHead head_;
};

}  // namespace xsp
