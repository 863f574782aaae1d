#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "live/decode/process_context.h"
#include "live/decode/rows.h"
#include "live/spool/record_view.h"

namespace xsp::live {

// Ranges, marks and graphs of one process, from the events that its threads wrote down.
class HostEventReader {
 public:
  HostEventReader(ProcessContext& context, RecordingRows& rows);

  // Reads the events of all threads, each in its order.
  void Read(SpoolReader& spool);

 private:
  void BeginThread(std::uint32_t thread);
  void Take(const HostEventView& event);
  void TakePop(const HostEventView& event);
  void TakeGraphObject(const HostEventView& event);
  void CutAtSwitches(std::uint64_t time);
  void CloseStacks(TimeNs end);
  std::size_t AddRange(Rows<Nvtx>& rows, const HostEventView& event);
  void MatchStartsAndEnds();
  StringId MessageOf(const HostEventView& event);

  struct RangeEnd {
    TimeNs time;
    TrackId thread;
  };

  ProcessContext& context_;
  RecordingRows& rows_;
  TrackId thread_;
  std::size_t next_switch_ = 0;
  std::map<std::uint32_t, std::vector<std::size_t>> stacks_;  // Open pushes by domain.
  std::unordered_map<std::uint64_t, std::size_t> starts_;     // Range -> row of start_end.
  std::map<std::uint64_t, RangeEnd> ends_;
  std::unordered_map<std::uint64_t, StringId> strings_;
};

// Ranges that never ended last until the latest time of all ranges and marks. Returns how many.
std::uint64_t CloseOpenRanges(RecordingRows& rows);

}  // namespace xsp::live
