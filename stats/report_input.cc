#include "stats/report_input.h"

namespace xsp {

const NvtxIndex& TraceIndexes::nvtx() {
  if (!nvtx_) nvtx_ = std::make_unique<NvtxIndex>(trace_);
  return *nvtx_;
}

const CallIndex& TraceIndexes::calls() {
  if (!calls_) calls_ = std::make_unique<CallIndex>(trace_);
  return *calls_;
}

const std::vector<std::uint32_t>& TraceIndexes::innermost_of_calls() {
  if (!innermost_) innermost_ = nvtx().InnermostOfCalls();
  return *innermost_;
}

const KernelKinds& TraceIndexes::kinds() {
  if (!kinds_) kinds_.emplace(trace_, rules_);
  return *kinds_;
}

KernelTitle TitleOf(const ReportInput& in, EventId kernel) {
  KernelTitle title = {StringId(), KernelName(in.trace, kernel, in.options.names)};
  const EventId call = in.trace.call_of(kernel);
  if (!in.options.nvtx_name || !call.valid()) return title;
  const std::uint32_t first_call = in.trace.OfKind(EventKind::kApi).first;
  const std::uint32_t range = in.indexes.innermost_of_calls()[call.value - first_call];
  if (range != kNoInterval) title.range = in.trace.name_of(in.indexes.nvtx().ranges()[range].event);
  return title;
}

std::string_view Show(const ReportInput& in, KernelTitle title, StatsTable& table) {
  const std::string_view name = in.trace.strings().Get(title.name);
  if (!title.range.valid()) return name;
  return table.Keep(std::string(in.trace.strings().Get(title.range)) + "/" + std::string(name));
}

}  // namespace xsp
