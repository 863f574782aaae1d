#include "stats/nvtx_rows.h"

#include <algorithm>

#include "base/error.h"

namespace xsp {

RangeName RangeNameOf(const Trace& trace, EventId range, EventKind kind) {
  const DomainId domain = trace.nvtx().domain[trace.Row(range, kind)];
  return {domain.valid() ? trace.domain(domain).name : StringId(), trace.name_of(range)};
}

std::string LabelOf(const Trace& trace, const NvtxRange& range) {
  const RangeName name = RangeNameOf(trace, range.event, range.kind);
  return NvtxLabel(trace, name.domain, name.text);
}

std::string_view StyleOf(EventKind kind) {
  return kind == EventKind::kNvtxPushPop ? "PushPop" : "StartEnd";
}

// A stack of 50 ranges has 400 bytes; deeper ones are no program's structure but a range that is
// never popped, and all stacks together grow with the square of the depth.
constexpr std::size_t kFreeBytes = 64 << 20, kBytesPerRange = 512;

RangeStacks::RangeStacks(const NvtxIndex& index, StatsTable& table)
    : index_(index),
      table_(table),
      bytes_left_(kFreeBytes + kBytesPerRange * index.ranges().size()),
      stacks_(index.ranges().size()) {}

std::string_view RangeStacks::Of(std::uint32_t range) {
  // Upwards to the first stack that is known, then down again: no recursion, ranges nest deeply.
  std::vector<std::uint32_t> unknown;
  std::uint32_t at = range;
  for (; at != kNoInterval && stacks_[at].empty(); at = index_.ranges()[at].parent) {
    unknown.push_back(at);
  }
  std::string stack(at == kNoInterval ? std::string_view() : stacks_[at]);
  for (auto it = unknown.rbegin(); it != unknown.rend(); ++it) {
    stack += ':' + std::to_string(index_.RangeId(index_.ranges()[*it]));
    if (stack.size() > bytes_left_) {
      throw Error("NVTX ranges are nested so deeply (" +
                      std::to_string(index_.ranges()[*it].level) +
                      " levels) that their stacks cannot be listed",
                  "nvtx_gpu_proj_sum and nvtx_sum have the same ranges without their stacks");
    }
    bytes_left_ -= stack.size();
    stacks_[*it] = table_.Keep(stack);
  }
  return stacks_[range];
}

std::optional<std::uint32_t> RangeStacks::ParentId(const NvtxRange& range) const {
  if (range.parent == kNoInterval) return std::nullopt;
  return index_.RangeId(index_.ranges()[range.parent]);
}

std::vector<std::uint32_t> SelectedPushPops(const ReportInput& in) {
  const NvtxIndex& index = in.indexes.nvtx();
  std::vector<bool> selected(in.trace.event_count());
  in.events.ForEach(EventKind::kNvtxPushPop, [&](EventId e) { selected[e.value] = true; });
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < index.ranges().size(); ++i) {
    if (selected[index.ranges()[i].event.value]) result.push_back(i);
  }
  // Events of a kind are sorted by begin, ties as in the source.
  std::sort(result.begin(), result.end(), [&](std::uint32_t a, std::uint32_t b) {
    return index.ranges()[a].event < index.ranges()[b].event;
  });
  return result;
}

}  // namespace xsp
