#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/names/kernel_class.h"
#include "model/trace.h"

namespace xsp {

// What a device is at work with, as bits.
enum class Activity : std::uint8_t { kCompute = 1, kCopy = 2, kCommunication = 4 };

// How long each mix of activities lasted, by its bits; 0: idle.
inline constexpr std::size_t kActivityMixes = 8;
using ActivityMix = std::array<DurationNs, kActivityMixes>;
std::string_view NameOfMix(std::size_t mix);  // "compute + copy", "communication alone".

// Kernels by their class; memsets count as copies, whole graphs as compute.
Activity ActivityOf(const Trace& trace, const KernelKinds& kinds, EventId work);

// The work of one device, to be told apart by what ran at the same time.
class DeviceActivity {
 public:
  void Add(TimeRange when, Activity activity);
  bool Empty() const { return changes_.empty(); }

  // From the first begin to the last end, which the mixes sum to.
  ActivityMix Mix();

 private:
  // An activity begins or ends.
  struct Change {
    TimeNs time;
    Activity activity;
    bool begins;
  };

  std::vector<Change> changes_;
};

}  // namespace xsp
