#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/names/kernel_rules.h"
#include "model/trace.h"
#include "stats/call_index.h"
#include "stats/names.h"
#include "stats/nvtx_index.h"
#include "stats/selection.h"
#include "stats/stats_table.h"

namespace xsp {

// What a user may add to the name of a report.
struct ReportOptions {
  KernelNames names = KernelNames::kDemangled;  // ":base", ":mangled".
  bool nvtx_name = false;  // ":nvtx-name": the innermost range before the name.
  std::size_t rows = 10;   // ":rows=N", um_sum only.
};

// Look-ups over a whole trace that several reports share; each is made when it is first asked for.
class TraceIndexes {
 public:
  // `rules` tell what kernels are.
  explicit TraceIndexes(const Trace& trace, const KernelRules& rules = KernelRules::BuiltIn())
      : trace_(trace), rules_(rules) {}

  const NvtxIndex& nvtx();
  const CallIndex& calls();
  // See NvtxIndex::InnermostOfCalls.
  const std::vector<std::uint32_t>& innermost_of_calls();
  const KernelKinds& kinds();

 private:
  const Trace& trace_;
  const KernelRules& rules_;
  std::unique_ptr<NvtxIndex> nvtx_;
  std::unique_ptr<CallIndex> calls_;
  std::optional<std::vector<std::uint32_t>> innermost_;
  std::optional<KernelKinds> kinds_;
};

// All that a report is made from.
struct ReportInput {
  const Trace& trace;
  const EventSelection& events;
  const ReportOptions& options;
  TraceIndexes& indexes;
};

// A kernel's name as the report's options want it: the NVTX range before it, if any, and the name.
struct KernelTitle {
  StringId range;  // Text of the innermost range; not valid: none, or not asked for.
  StringId name;
};
KernelTitle TitleOf(const ReportInput& in, EventId kernel);

// "range/name", or the name alone. What the trace does not hold is kept by the table.
std::string_view Show(const ReportInput& in, KernelTitle title, StatsTable& table);

}  // namespace xsp
