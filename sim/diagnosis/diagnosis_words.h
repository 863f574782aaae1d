#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/diagnosis/diagnosis.h"

namespace xsp {

// What the words of a diagnosis are made from, besides its figures.
struct DiagnosisFacts {
  std::vector<PathPart> parts;  // Of the critical path, for one unit.
  // What decides among what recurs, whatever the diagnosis is.
  Resource recurring = Resource::kUnknown;
  TaskId unexplained;  // kUnknown: the call that takes longer than anything tells.
  std::optional<std::uint32_t> late_device;  // That others wait for most.
  bool begins_in_the_middle = false;
};

// The diagnosis in a word: "GPU-bound", "Host-bound".
std::string_view LabelOf(Resource what);

// The largest part of a resource, without its kind: "gemm", "cudaMalloc"; empty where it has none.
std::string MostOf(const DiagnosisFacts& facts, Resource what);

// "Host-bound: 45 % of the step waits for the program between CUDA calls; the GPU works 14.4 of
// 26.3 ms.", with a sentence on one-time costs where these are more than a hundredth.
std::string TextOf(const TaskGraph& graph, const Unit& unit, const DiagnosisFacts& facts,
                   const Diagnosis& diagnosis);

}  // namespace xsp
