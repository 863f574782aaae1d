#pragma once

#include <string_view>
#include <vector>

#include "sim/plan/plan.h"

// What several what-ifs do to kernels.
namespace xsp {

// Whether `text` holds one of the parts.
bool HoldsAny(std::string_view text, std::initializer_list<std::string_view> parts);

// Whether a kernel is a ReLU or its gradient: by its own name or by its operation's.
bool IsRelu(const WorkFacts& facts, TaskId op);

// One kernel in the place of several, which go with the host time of their operations. The new one
// is issued where the first of them was: by a launch of its own, or, where one call issued several
// kernels (a CUDA graph), by that call. `ops`: in the order of their launches, at least one.
TaskId ReplaceKernels(Plan& plan, const std::vector<TaskId>& ops, const NewKernel& kernel,
                      ChangeId change);

// Bytes of what a kernel writes, by the recorded sizes of its operation, its tile or its grid; 0
// where nothing tells. A convolution whose operands alone were recorded writes as much as it reads.
double ResultBytes(const Plan& plan, TaskId op);

// The same of several, in the order of their launches: of the kernels of one operation the last one
// counts, the others are 0.
std::vector<double> ResultBytes(const Plan& plan, const std::vector<TaskId>& ops);

}  // namespace xsp
