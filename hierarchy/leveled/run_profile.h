#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hierarchy/hierarchy.h"
#include "hierarchy/level.h"
#include "model/names/kernel_names.h"

namespace xsp {

// The levels at which a profiler recorded something.
using LevelSet = std::bitset<kLevelCount>;
std::string NamesOf(const LevelSet& levels);  // "step, layer, device".

// What a run says of one place of the program: a recorded range, or device work below one. Ranges
// of the same path are one; values are means over the chosen steps.
struct RunNode {
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t parent = kNone;  // kNone: directly in the step.
  Level level = Level::kTrace;
  std::string name;
  std::string path;         // The names from below the step down to here, as PathText has them.
  std::string shown_path;   // The same for people: kernels as --names asks for.
  std::uint64_t count = 0;  // Occurrences in one step, rounded; 0: in fewer than half of the steps.
  double host_ns = 0;       // Time of the host in it; device work: its duration.
  // The same with the device: from the moment at which its host part has begun and the work
  // launched earlier has finished to the same moment for its end. What steps go by, too.
  double device_ns = 0;
};

// One run of a program, reduced to what leveled experimentation compares. Only what was recorded
// counts: phases, layers and steps that the hierarchy inferred are no level that somebody profiled.
struct RunProfile {
  std::string run;  // How the user calls it.
  LevelSet levels;
  StepSource unit = StepSource::kNone;
  std::size_t steps = 0;         // That the means are taken over.
  double step_ns = 0;            // The time of a step; 0 where there are none.
  double ranges_ns = 0;          // From the first range to the end of the last; 0: no range.
  double gpu_ns = 0;             // From the first device operation to the end of the last.
  double device_operations = 0;  // In a step.
  std::string gpus;              // Names of those that did something; may be empty.
  std::vector<RunNode> nodes;    // Parents first, else in order of first appearance.

  bool HasDeviceWork() const { return levels[static_cast<std::size_t>(Level::kDevice)]; }
};

// The mean over these steps; over the whole trace where it has no steps. Throws Error for a run
// with neither steps nor ranges nor device work.
RunProfile ProfileOf(const Hierarchy& hierarchy, const std::vector<std::uint32_t>& steps,
                     std::string run, NameForm names = NameForm::kShort);

}  // namespace xsp
