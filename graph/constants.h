#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/time.h"

namespace xsp {

// A latency (or a size) that the trace shows again and again: one number per trace and class, never
// one per event. A replay that used every event's own latency would prove nothing.
struct Constant {
  std::string name;      // "submit.kernel", "stream_gap.kernel.memset".
  DurationNs value = 0;  // What the simulation uses.
  std::uint32_t n = 0;   // How many events showed it.
  DurationNs p10 = 0;    // Spread of what they showed; 0 where n is 0.
  DurationNs p90 = 0;
  bool is_default = false;  // Too few samples: a stated default stands in.

  bool operator==(const Constant&) const = default;
};

// Refers to a Constant of a ConstantTable.
using ConstantId = std::uint16_t;

// What several events showed of one latency.
using Latencies = std::vector<DurationNs>;

// Fewer samples than this are one event's own latency, not a property of the machine.
inline constexpr std::uint32_t kMinSamples = 3;

// All constants of a graph, in the order in which they were added. Entry 0 is "none", which is 0.
class ConstantTable {
 public:
  ConstantTable();

  // Adds what the samples show; `fallback` stands in where there are too few of them. Sorts them.
  ConstantId Learn(std::string name, std::vector<DurationNs>& samples, DurationNs fallback);
  // Adds a number that was found in another way.
  ConstantId Add(Constant constant);

  const Constant& operator[](ConstantId id) const { return constants_[id]; }
  DurationNs value(ConstantId id) const { return constants_[id].value; }
  const std::vector<Constant>& all() const { return constants_; }

 private:
  std::vector<Constant> constants_;
};

// The mean of a sorted list that is not empty, in which the outermost 5 % on either side (at least
// one sample) count as little more than what lies there. True to the sum over calls that are
// repeated thousands of times with a skewed spread, which a median is not; and a one-time outlier
// does not carry it away, as it would a plain mean. Of three samples it is the median.
DurationNs RobustMean(const std::vector<DurationNs>& sorted);

}  // namespace xsp
