#pragma once

#include <cstdint>
#include <string_view>

#include "model/ids.h"
#include "model/time.h"

namespace xsp {

// What the stages behind the model know of one device operation: what scripts would otherwise have
// to find out again. Texts live as long as what made the fact.
struct OperationFact {
  EventId event;          // As in the stored trace's `events`.
  std::uint32_t pid = 0;  // Of the process that launched it.
  std::uint32_t device = 0, stream = 0;
  std::string_view kind;        // "kernel", "memcpy".
  std::string_view name;        // In full.
  std::string_view class_name;  // "gemm"; of copies their direction.
  TimeNs begin = 0, end = 0;
  std::uint32_t step = 0;                // From 1; 0: outside of steps.
  std::string_view step_role;            // "counted"; empty outside of steps.
  std::string_view phase, layer, range;  // Empty: none.
  DurationNs own = 0;                    // What it takes if it waits for nobody,
  DurationNs waiting = 0;                // and what it waited for others while it ran.
  DurationNs queued = 0;                 // From the begin of its call to its own.
  DurationNs idle_before = 0;            // That its device was idle before it,
  std::string_view idle_cause;           // and mostly why; empty where it was not.
  std::string_view held_by;              // The rule that decided when it began: "stream_order".
};

}  // namespace xsp
