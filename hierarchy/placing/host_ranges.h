#pragma once

#include <cstdint>
#include <vector>

#include "model/trace.h"

namespace xsp {

// What the host had open, and where each call was made: NVTX push/pop and start/end ranges, cuDNN,
// cuBLAS and MPI calls, OpenACC and OpenMP regions of all threads, put together.
//
// The parent of a range or call is the innermost range of its thread that holds it whole. Where its
// thread has none open, the innermost range that the process's main thread has open: told by time,
// not by cause, and marked so.
class HostRanges {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // Where a call, a range or a graph node was made.
  struct Place {
    std::uint32_t range = kNone;
    bool temporal = false;
  };

  explicit HostRanges(const Trace& trace);

  // Ranges in order of begin; of equal begin the longer one first.
  std::size_t size() const { return events_.size(); }
  EventId event(std::uint32_t range) const { return events_[range]; }
  Place parent(std::uint32_t range) const { return Unpack(parent_[range]); }

  // The place of a range in this order; kNone for other events.
  std::uint32_t IndexOf(const Trace& trace, EventId event) const;

  // For CUDA calls.
  Place OfCall(EventId call) const { return Unpack(of_call_[call.value - first_call_]); }
  // For graph objects: what was open when the node was made.
  Place OfGraphObject(EventId object) const {
    return Unpack(of_graph_object_[object.value - first_graph_object_]);
  }

  // The thread whose ranges speak for a process's other threads; none where it has no ranges.
  TrackId MainThread(ProcessId process) const { return main_thread_[process.value]; }

 private:
  static constexpr std::uint32_t kTemporalBit = 0x80000000;

  static Place Unpack(std::uint32_t packed) {
    if (packed == kNone) return {};
    return {packed & ~kTemporalBit, (packed & kTemporalBit) != 0};
  }

  void MergeRanges(const Trace& trace);
  void FindMainThreads(const Trace& trace);
  void Sweep(const Trace& trace);

  std::vector<EventId> events_;
  std::vector<std::uint32_t> parent_;
  std::vector<std::uint32_t> of_call_;
  std::vector<std::uint32_t> of_graph_object_;
  std::vector<TrackId> main_thread_;  // By process.
  std::uint32_t first_call_ = 0;
  std::uint32_t first_graph_object_ = 0;
};

}  // namespace xsp
