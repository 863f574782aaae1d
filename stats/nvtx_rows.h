#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stats/nvtx_index.h"
#include "stats/report_input.h"

// What the reports about NVTX ranges write into their rows.
namespace xsp {

// The names that make up a range's label.
struct RangeName {
  StringId domain;
  StringId text;
};
RangeName RangeNameOf(const Trace& trace, EventId range, EventKind kind);
std::string LabelOf(const Trace& trace, const NvtxRange& range);

std::string_view StyleOf(EventKind kind);  // "PushPop", "StartEnd".

// The numbers of a range and of those around it, outermost first: ":1:5:6".
class RangeStacks {
 public:
  // `table` keeps the texts.
  RangeStacks(const NvtxIndex& index, StatsTable& table);

  // Throws Error where ranges nest so deeply that their stacks would fill the memory.
  std::string_view Of(std::uint32_t range);
  std::optional<std::uint32_t> ParentId(const NvtxRange& range) const;

 private:
  const NvtxIndex& index_;
  StatsTable& table_;
  std::size_t bytes_left_;
  std::vector<std::string_view> stacks_;  // By range; empty until it is made.
};

// The selected push/pop ranges, as numbers in the index, by begin and then by number of the range.
std::vector<std::uint32_t> SelectedPushPops(const ReportInput& in);

}  // namespace xsp
