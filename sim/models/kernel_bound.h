#pragma once

#include "sim/models/machine_facts.h"

namespace xsp {

// What a kernel's time hangs on: memory (1), computing (0), or both.
struct BoundBy {
  double memory = 0.5;
  double unsure = 0.25;  // By how much the share may well be off.
};

// Products, convolutions, attention.
bool MultipliesMatrices(KernelClass of);

// By what it reached: where sizes are known, the share of the GPU's peak rate and of its bandwidth
// that its time stands for; of a product whose tile and grid alone are known, whether it had the
// time to stream as much as it would have to, were memory its limit. Else by its class.
BoundBy BoundOf(const TaskGraph& graph, const WorkFacts& facts, const MachineFacts& machine,
                TaskId op);

}  // namespace xsp
