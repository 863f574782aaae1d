#pragma once

#include <string>

#include "cli/options/common_options.h"
#include "hierarchy/selection/selection.h"
#include "report/tables/report.h"
#include "sim/diagnosis/advise.h"
#include "sim/models/throughput.h"

namespace xsp {

class OpenedWorkbench;

// --tokens, --params, --price: what makes tokens per second, MFU and money of times. Where none was
// given, a file beside the trace may have them: train.run.json beside train.sqlite, with the keys
// tokens, params and price.
struct ThroughputOptions {
  std::string tokens, params, price;

  void AddTo(OptionSet& options);
  // What was said; empty where nothing was. Throws Error for what cannot be read.
  StatedRun Read(const std::string& trace) const;

  // Adds the section to a report on a trace, where anything was said; with an advice, also what it
  // would save.
  void AddSection(const std::string& trace, const OpenedWorkbench& opened,
                  const AdviceReport* advice, Report& report) const;
  // The same for commands that have no workbench: it is made.
  void AddSection(const std::string& trace, const Selection& selection, bool quiet,
                  Report& report) const;
};

}  // namespace xsp
