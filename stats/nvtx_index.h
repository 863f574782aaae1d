#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/trace.h"
#include "stats/enclosing.h"

namespace xsp {

// An NVTX range that began and ended on one thread.
struct NvtxRange {
  EventId event;
  EventKind kind = EventKind::kNvtxPushPop;
  TrackId thread;
  std::uint32_t parent = kNoInterval;  // The tightest enclosing push/pop range; push/pop only.
  std::uint32_t level = 0;             // 0 for a range without a parent.
  std::uint32_t children = 0;
  DurationNs children_time = 0;
};

// The ranges of a trace by thread, and how push/pop ranges stand in each other. Ranges that ended
// on another thread than they began on are not here: NVIDIA's projections leave them out.
class NvtxIndex {
 public:
  explicit NvtxIndex(const Trace& trace);

  // Thread by thread; within one by begin, then the longer first, then as in the source.
  const std::vector<NvtxRange>& ranges() const { return ranges_; }
  // The ranges of a thread: ranges()[first] up to ranges()[last].
  std::pair<std::uint32_t, std::uint32_t> OfThread(TrackId thread) const {
    return {first_of_track_[thread.value], first_of_track_[thread.value + 1]};
  }

  // The number by which NVIDIA's reports name a range: the row in its table, from 1.
  std::uint32_t RangeId(const NvtxRange& range) const;

  // For each CUDA call (by number, the first call being 0) the tightest range around it, as an
  // index into ranges(); kNoInterval if there is none.
  std::vector<std::uint32_t> InnermostOfCalls() const;

 private:
  void SortRanges();
  void FindParents(std::uint32_t first, std::uint32_t last);

  const Trace& trace_;
  std::vector<NvtxRange> ranges_;
  std::vector<std::uint32_t> first_of_track_;
};

// The call rows of a trace thread by thread, each thread's by begin.
struct CallsByThread {
  std::vector<EventId> calls;
  std::vector<std::uint32_t> first_of_track;

  std::span<const EventId> OfThread(TrackId thread) const {
    return std::span(calls).subspan(first_of_track[thread.value], first_of_track[thread.value + 1] -
                                                                      first_of_track[thread.value]);
  }
};

// `calls` must be sorted by begin.
CallsByThread SortCallsByThread(const Trace& trace, std::span<const EventId> calls);

}  // namespace xsp
