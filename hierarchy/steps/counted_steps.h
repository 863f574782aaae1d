#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hierarchy/steps/steps.h"

namespace xsp {

// Of what figures of "a step" are means, and what became of the other steps: what every command
// says in its first line and scripts find as `step_set`. Steps are told by index, ascending.
struct CountedSteps {
  std::string kind;         // Of these steps; empty where frameworks tell none, or for several.
  std::uint32_t found = 0;  // Steps of that kind.
  std::uint32_t all = 0;    // Steps of any kind.
  std::vector<std::uint32_t> counted;
  std::vector<std::uint32_t> cold;
  std::vector<std::uint32_t> outliers;
  std::vector<std::pair<std::uint32_t, LeftOut>> left_out;
  std::vector<std::uint32_t> late_one_time;  // Counted, though longer by 2 % for one-time costs.
  bool two_speeds = false;

  DurationNs typical = 0;    // Mean of the counted ones.
  DurationNs warm_mean = 0;  // Mean of these and the outliers.
  double spread = 0;         // Standard deviation of the counted ones, as a share of their mean.
  DurationNs cold_ns = 0;    // What these took together, and
  DurationNs outlier_ns = 0;
  DurationNs one_time = 0;  // Of `typical`, one-time costs while no device worked.

  // What lies between steps and belongs to none (a validation, a checkpoint), for one step: a mean
  // over the time from the first to the last of the counted ones. What the host does there.
  DurationNs between = 0;
  std::string between_what;
  // Device work within the steps' times that none of them waits for.
  std::vector<WorkBeside> beside;
  DurationNs gpu_ns = 0;  // Of all device work there.

  bool empty() const { return counted.empty(); }
  // A step and what lies between it and the next: what decides how many there are in an hour.
  DurationNs WithBetween() const { return typical + between; }
  // The mean with outliers tells another story.
  bool OutliersMatter() const;
};

// By the roles that steps have, of a kind, by default of the main one; or of these steps, as they
// are: others were not asked for.
CountedSteps CountSteps(const Steps& steps);
CountedSteps CountSteps(const Steps& steps, const std::string& kind);
CountedSteps CountSteps(const Steps& steps, const std::vector<std::uint32_t>& chosen);

// "10 steps, 9 of them 841.0 ms (±0.03 %), step 1 is cold: 865.6 ms"; "3 steps of 26.3 ms (±2.7
// %)".
std::string WordsOf(const CountedSteps& set);

// What there is to say of the time around steps, a sentence each: what lies between them, what runs
// beside them. Mostly nothing.
std::vector<std::string> NotesOn(const CountedSteps& set);

// "step 3", "steps 1,3-5"; a long list is not written out: "187 steps from 3 to 212".
std::string StepNumbers(const std::vector<std::uint32_t>& list);
// "1,3-5", whatever its length: for scripts.
std::string AllStepNumbers(const std::vector<std::uint32_t>& list);

}  // namespace xsp
