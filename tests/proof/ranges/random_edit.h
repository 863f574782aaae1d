#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/whatif.h"
#include "tests/proof/ranges/random_program.h"

namespace xsp::proof {

// A change of a program, really made and made to its graph. Whoever makes it to the graph knows
// what the change is, and nothing of the run after it.
struct RandomEdit {
  std::string name;
  std::uint8_t evidence = kStructural;
  std::function<void(samples::Scenario&)> change_program;
  std::function<void(Plan&)> change_graph;
};

// One of each sort that fits the program, drawn at random.
std::vector<RandomEdit> DrawEdits(const RandomProgram& program, Random& random);

// A what-if that makes the edit.
WhatIf AsWhatIf(const RandomEdit& edit);

}  // namespace xsp::proof
