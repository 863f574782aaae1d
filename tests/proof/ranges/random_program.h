#pragma once

#include <string>
#include <vector>

#include "sample_traces/scenarios.h"
#include "tests/proof/ranges/random.h"

namespace xsp::proof {

// A program drawn at random from those of one structure.
struct RandomProgram {
  samples::Scenario scenario;
  std::vector<std::string> kernels;  // Parts of names: what a change can be about.
  std::vector<std::string> syncs;    // Calls that wait, and go with kGroupSync; may be empty.
  bool reads_results = false;        // Copies to the host go with these, too.
  std::uint32_t set_up_syncs = 0;    // Calls of these names before the first step.
};

struct Structure {
  std::string name;
  RandomProgram (*draw)(Random& random);
};

// Those that the width of ranges was calibrated on, and others, which it was not.
const std::vector<Structure>& CalibrationStructures();
const std::vector<Structure>& HeldOutStructures();

// What a machine is like differs from machine to machine,
void DrawMachine(samples::Scenario& scenario, Random& random);
// and from run to run: clocks of host and device, and all noise.
void DrawRun(samples::Scenario& scenario, Random& random);

}  // namespace xsp::proof
