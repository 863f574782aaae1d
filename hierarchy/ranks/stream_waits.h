#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "hierarchy/ranks/rank_work.h"
#include "model/trace.h"

namespace xsp {

// Which work of a process the streams of the process were made to wait for (cudaStreamWaitEvent).
class StreamWaits {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // `events` must outlive it.
  StreamWaits(const Trace& trace, const RankEvents& events);

  // Whether any wait was recorded with the event that it waits for.
  bool known() const { return known_; }

  // Of what a stream was made to wait for by calls within (after, until]: what ended last, as a
  // place in the work; kNone.
  std::uint32_t LastEnding(TrackId stream, TimeNs after, TimeNs until) const;

 private:
  struct Wait {
    TimeNs call = 0;
    std::uint32_t work = kNone;
  };

  const std::vector<RankWork>& work_;
  std::map<TrackId, std::vector<Wait>> waits_;  // By the stream that waits, by call.
  bool known_ = false;
};

}  // namespace xsp
