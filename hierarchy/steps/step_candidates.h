#pragma once

#include <cstdint>
#include <vector>

#include "hierarchy/names/name_table.h"
#include "hierarchy/placing/host_ranges.h"
#include "hierarchy/steps/repetition.h"
#include "hierarchy/steps/steps.h"
#include "model/names/kernel_class.h"
#include "model/trace.h"

// The ways to find the host part of steps in one process. Each gives steps in order of time, none
// overlapping, or nothing.
namespace xsp {

// A process's device work in the order of its launches.
struct LaunchedWork {
  std::vector<EventId> work;   // By launch, then by begin. Migrations are left out: none launched.
  std::vector<TimeNs> launch;  // Begin of the call; of the work itself where no call is known.
};
std::vector<LaunchedWork> LaunchOrder(const Trace& trace);  // By process.

// Steps that a framework is known to put ranges around, with what it says of them. Several ranges
// that stand around the same step (two engines' names) are one: the outermost.
struct FrameworkSteps {
  std::vector<HostStep> steps;
  // Threads that have steps of another engine or model, at the same time: what they launch is no
  // part of these. Sorted.
  std::vector<TrackId> others;
};
// The steps of the thread that keeps devices busiest, and of those whose steps lie between them: a
// draft model's, a thread that only prefills. A thread with the same texts is a rank of the same
// program; one that launches nothing in its steps only speaks of them.
FrameworkSteps StepsFromFrameworks(const Trace& trace, const HostRanges& ranges,
                                   const NameTable& names, const LaunchedWork& launched,
                                   ProcessId process);

// Processes that take their steps together say the same of them, as tensor- and pipeline-parallel
// ranks do, or each speaks of a batch of its own. Drops steps at the begin of those that recorded
// more of them there than others, told by the texts. By list: whether its batches are its own.
std::vector<std::uint8_t> AlignRanks(const Trace& trace,
                                     const std::vector<std::vector<HostStep>*>& ranks);
// A batch of another rank runs in the same step.
void AddBatchOfRank(const StepContent& more, StepContent& content);

// Ranges whose names speak of steps.
std::vector<HostStep> StepsFromNames(const Trace& trace, const HostRanges& ranges,
                                     const NameTable& names, ProcessId process);

// Outermost ranges of the main thread whose names come again in the same order.
std::vector<HostStep> StepsFromRepeatedRanges(const Trace& trace, const HostRanges& ranges,
                                              const NameTable& names, ProcessId process);

// A short pause between two steps is part of the first (bookkeeping, the next batch); in a long one
// something else happens (an evaluation, a checkpoint). What a framework's own range holds need not
// be all of a step: engines sample behind it. What follows closely is the step's.
void JoinNeighbours(const Trace& trace, const LaunchedWork& launched, std::vector<HostStep>& steps);

// What repeats in the sequence of a process's kernels, and whether its rounds are steps.
struct KernelRounds {
  enum class Verdict : std::uint8_t {
    kSteps,
    kNoKernels,
    kNothing,      // Nothing comes three times.
    kOneKernel,    // One kernel over and over.
    kLikeLayers,   // The host meets the device in few rounds, and no part repeats in a round.
    kSmallerPart,  // Less than half of the kernels' time.
  };
  Verdict verdict = Verdict::kNothing;
  LaunchedWork kernels;  // Whole graphs among them.
  Repetition rounds;     // Of `kernels`; empty for kNoKernels and kNothing.
};
KernelRounds FindKernelRounds(const Trace& trace, const KernelKinds& kinds,
                              const LaunchedWork& launched, ProcessId process);

// The same kernels, by what they do and their launch shape, come again in the same order.
std::vector<HostStep> StepsFromRepeatedKernels(const Trace& trace, const KernelKinds& kinds,
                                               const LaunchedWork& launched, ProcessId process);

// Where a module whose number counts up ("blocks.3", "blocks.4") lies in each of these rounds, they
// are its layers, one after the other, and no steps: "blocks.#". Empty: they are not.
std::string LayersCountedIn(const Trace& trace, const HostRanges& ranges, const NameTable& names,
                            ProcessId process, const std::vector<HostStep>& rounds);

}  // namespace xsp
