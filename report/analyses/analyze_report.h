#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hierarchy/analyses/catalog.h"
#include "hierarchy/analyses/runs.h"
#include "hierarchy/steps/counted_steps.h"
#include "model/names/kernel_names.h"
#include "report/tables/report.h"

namespace xsp {

struct AnalyzeReportOptions {
  std::vector<AnalysisId> analyses;  // Empty: the short screen of the most useful ones.
  std::optional<std::size_t> top;    // Rows of a table; 0: all. None: what suits the screen.
  NameForm names = NameForm::kShort;
  Statistic statistic = Statistic::kTrimmed;
  std::optional<double> latency_target_ns;
};

// XSP's analyses, for people and for scripts. `batches` come ascending by batch size, at least one;
// `steps` are those of the first trace.
Report MakeAnalyzeReport(const std::vector<BatchProfile>& batches,
                         const AnalyzeReportOptions& options,
                         const std::vector<TraceSource>& sources, const std::string& gpus,
                         const Window& window, const CountedSteps& steps);

}  // namespace xsp
