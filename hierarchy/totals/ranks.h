#pragma once

#include <cstdint>
#include <vector>

#include "hierarchy/hierarchy.h"
#include "model/trace.h"

namespace xsp {

// What totals are taken over: one process on one device, so that no busy time mixes devices.
struct Rank {
  static constexpr std::uint32_t kAnyDevice = kMissing<std::uint32_t>;

  ProcessId process;
  std::uint32_t device = kAnyDevice;  // The process's number for it; kAnyDevice: all it has.
  bool speaks_for_process = false;    // The first of its process: gets what has no device work.
};

enum class RankSplit : std::uint8_t {
  kDevice,   // A rank per process and device with work, and one for a process without any.
  kProcess,  // A rank per process.
};

// The ranks of a trace, by process, then by device: the same program gives the same order in every
// run, while process ids differ. Processes that did nothing that the hierarchy shows have none.
class Ranks {
 public:
  Ranks(const Hierarchy& hierarchy, RankSplit split);

  std::size_t size() const { return ranks_.size(); }
  const Rank& operator[](std::size_t i) const { return ranks_[i]; }
  auto begin() const { return ranks_.begin(); }
  auto end() const { return ranks_.end(); }

  // The rank that did a piece of device work.
  std::uint32_t OfWork(EventId work) const { return of_track_[trace_->track_of(work).value]; }

 private:
  const Trace* trace_;
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> of_track_;  // By track of device work.
};

}  // namespace xsp
