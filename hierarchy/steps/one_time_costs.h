#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hierarchy/steps/one_time_calls.h"
#include "model/time.h"
#include "model/trace.h"

namespace xsp {

class Steps;

std::string_view NameOf(OneTimeReason reason);  // In words: "first launches", "loading code".

// What a program spends on the host for things that happen only once. The one definition for steps
// (which of them are cold), critical paths, idle time, what-ifs and comparisons:
//
// - the first launch of each kernel in its process, as far as it takes longer than such launches
//   do when they are warm; where none is, than the shortest;
// - loading modules and libraries, linking, creating contexts: all of it;
// - memory beyond what the process ever held at once, by the number of its allocations: a program
//   that allocates and frees in a loop grows only the first time. From a pool, what it takes
//   longer than usual; else all of it;
// - the first call of its name in a process, where it takes more than ten times the usual, or the
//   process' very first call; but not calls that can wait for a device that is at work;
// - what the profiler says was loading or compiling within a call.
//
// Where steps go on loading or growing, what they usually do is not one-time.
class OneTimeCosts {
 public:
  OneTimeCosts() = default;
  OneTimeCosts(const Trace& trace, const Steps& steps);

  // By call, ascending; the outermost ones, where calls are made within calls.
  const std::vector<OneTimeCall>& calls() const { return calls_; }
  // What a call spent so; 0 for nearly all.
  DurationNs Of(EventId call) const;

  // How much of some times, which follow each other, passed in such costs while no device of the
  // process was at work: what these times would have been shorter by. The rest was hidden.
  DurationNs In(const std::vector<TimeRange>& times) const;
  DurationNs In(TimeRange time) const { return In(std::vector<TimeRange>{time}); }
  // The same by reason, in the order of the enumeration; sums to the other.
  std::array<DurationNs, kOneTimeReasonCount> ByReason(const std::vector<TimeRange>& times) const;

 private:
  struct Exposed {
    TimeRange time;
    OneTimeReason reason;
  };
  void FindExposed(const Trace& trace);

  std::vector<OneTimeCall> calls_;
  std::vector<Exposed> exposed_;  // By time; they do not overlap.
};

}  // namespace xsp
