#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/models/communication.h"
#include "sim/plan/plan.h"
#include "sim/plan/whatif_options.h"

namespace xsp {

// A kernel that makes gradients, and how many bytes of them.
struct Gradient {
  TaskId kernel;
  double bytes = 0;
};
using Gradients = std::map<std::uint32_t, std::vector<Gradient>>;  // By step, as launched.

// Products that make gradients of weights, with the size of their results; scaled so that they make
// up all parameters of `bytes_each`. Where none are known, every backward kernel has its share, and
// the plan cautions. Empty: no parameters, or no backward pass.
Gradients FindGradients(Plan& plan, double parameters, double bytes_each);

// The option `parameters`, else what the trace tells; 0: nothing does.
double ParametersAsked(const Plan& plan, const WhatIfValues& values);

// By the options gpus, per-machine, link and network; what is not given is usual for the GPU.
// `whatif` names the source of a link that was given.
Links LinksAsked(const Plan& plan, const WhatIfValues& values, std::string_view whatif);

// All collectives of the part of the trace, in the order of their launches.
std::vector<TaskId> CollectivesOf(const Plan& plan);

}  // namespace xsp
