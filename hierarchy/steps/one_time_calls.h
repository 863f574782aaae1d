#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/time.h"
#include "model/trace.h"

namespace xsp {

// Why a cost comes only once.
enum class OneTimeReason : std::uint8_t {
  kFirstLaunch,  // Of a kernel in its process: its module is loaded, or its code is made.
  kLoading,      // Of modules and libraries, linking and compiling.
  kMemory,       // Memory that the process did not have before; graphs that are instantiated.
  kSetup,        // The first call of its kind: a context, a pool, a stream is created behind it.
};
inline constexpr std::size_t kOneTimeReasonCount =
    static_cast<std::size_t>(OneTimeReason::kSetup) + 1;

// A call, or the part of one, that a warm program would not make.
struct OneTimeCall {
  EventId call;
  DurationNs ns = 0;
  OneTimeReason reason = OneTimeReason::kFirstLaunch;
};

// By the names of calls and by what they launched (OneTimeCosts says what counts). By call,
// ascending; calls within calls have rows of their own, and nothing is said of what is hidden or
// recurs.
std::vector<OneTimeCall> FindOneTimeCalls(const Trace& trace);

}  // namespace xsp
