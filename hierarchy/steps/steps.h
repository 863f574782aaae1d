#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hierarchy/names/name_table.h"
#include "hierarchy/placing/host_ranges.h"
#include "hierarchy/steps/one_time_costs.h"
#include "model/names/framework_names.h"
#include "model/names/kernel_class.h"
#include "model/names/kernel_rules.h"
#include "model/trace.h"

namespace xsp {

// From what steps were found.
enum class StepSource : std::uint8_t {
  kNone,        // Nothing repeats: the trace is one piece.
  kRange,       // Ranges that the user named so, or that come again and again.
  kRepetition,  // The same sequence of kernels comes again and again.
};
std::string_view NameOf(StepSource source);  // "none", "range", "repetition".

// What becomes of a step when figures of "a step" are made. Every step has exactly one role, the
// same for every command (step_roles.h says which).
enum class StepRole : std::uint8_t {
  kCounted,  // Figures are means over these.
  kCold,     // One of the first, and longer for what happens only once.
  kOutlier,  // Warm, but far from the others.
  kLeftOut,  // Says nothing about the program; LeftOut tells why.
};

enum class LeftOut : std::uint8_t {
  kNo,
  kUnfinished,     // The recording ended within its range.
  kCut,            // The recording ended before all of its work was launched.
  kProfiler,       // The profiler itself was at work.
  kBeyondPeriods,  // Does not make up a whole period with its neighbours.
  kRamp,           // The batch was still growing, or was running out.
  kNotAskedFor,    // Others were asked for.
};
std::string_view NameOf(LeftOut reason);  // "unfinished", "cut", ..., as scripts read it.

// One step of the program, the same for all its processes.
struct Step {
  std::string name;  // As the user named it; "step 3" where nobody did.
  // From the moment at which its host part has begun in every process and all device work launched
  // earlier by the steps' own threads has finished, to the same moment of the next step (or of its
  // own end, where something else comes in between). Steps do not overlap.
  TimeRange time;
  StepRole role = StepRole::kCounted;
  LeftOut left_out = LeftOut::kNo;
  DurationNs one_time = 0;  // Host time of what happens only once (one_time_costs.h).
  // What it works on, as its framework says. Steps of several kinds are never averaged.
  StepContent content = {};

  const std::string& kind() const { return content.kind; }
};

// The host's part of a step in one process: what is launched in it belongs to the step.
struct HostStep {
  TimeRange host;
  EventId range;   // The user's range, if there is one.
  TrackId thread;  // Where its ranges lie; none where it was found from kernels.
  StepContent content = {};
};

// One kind of steps.
struct StepKindFacts {
  std::string name;         // "decode".
  std::uint32_t count = 0;  // Steps of this kind, whatever their role.
  DurationNs time = 0;      // Of all of them.
  bool two_speeds = false;  // As in Steps.
};

// Device work that ran while the steps did and that none of them waits for.
struct WorkBeside {
  ProcessId process;
  TrackId thread;    // That launched it; none: all of a process that nothing joins with the steps'.
  std::string name;  // "stream 9 (thread 4711)", "process 4712 (python)".
  std::vector<TrackId> streams;  // Ascending.
  DurationNs gpu_ns = 0;         // Within the steps' times; what runs at once counts twice.
  bool has_steps = false;        // It has steps of its own.
};

// Fewer counted steps than this are no measure of one: the whole GPU span is spoken of instead.
inline constexpr std::size_t kStepsForUnit = 3;

// The steps of a trace, in order of time. Time before, between and after them is outside of steps.
class Steps {
 public:
  static constexpr std::uint32_t kOutside = 0xffffffff;

  StepSource source = StepSource::kNone;
  std::vector<Step> steps;
  // By process, then by step: as long as `steps`, or empty for a process that has no part in them.
  std::vector<std::vector<HostStep>> of_process;
  // After how many steps the same device work comes again: 4 for an optimizer that runs in every
  // fourth. Figures of a step are means over whole periods.
  std::uint32_t period = 1;
  // What ran beside them, by process and thread; what all work within their times took.
  std::vector<WorkBeside> beside;
  DurationNs gpu_ns = 0;
  // What the host does in the pauses between steps that belong to none, by the range that takes
  // most of them: "validation". Empty: nothing that has a name, or there are none.
  std::string between;
  // What came again and again are layers, one after the other, and no steps: "16 blocks
  // (blocks.#)". Empty: that is not so.
  std::string only_layers;
  // More than a fifth of the warm steps lie far from the others: none is called an outlier.
  bool two_speeds = false;
  // What happens only once, in steps and outside of them: also where no steps were found.
  OneTimeCosts one_time;
  // By the names that frameworks give them, those that took most time first; none where no
  // framework tells. Roles are given within a kind.
  std::vector<StepKindFacts> kinds;
  // The kind that is spoken of where none was asked for: of those with enough counted steps for a
  // unit the one that took most time, else the one that took most. Empty where there are none.
  std::string main_kind;

  std::size_t size() const { return steps.size(); }

  const StepKindFacts* FindKind(std::string_view name) const;

  // The step in whose host part a moment of a process lies. A process without a part of its own
  // goes by the steps' times.
  std::uint32_t StepAt(ProcessId process, TimeNs launch) const;

  // Whether no step waits for what this thread launches.
  bool IsBeside(TrackId thread) const;
  // How much of the devices' work ran beside the steps.
  double BesideShare() const;

  // Those that figures are means over, by index, ascending: of a kind, by default the main one.
  std::vector<std::uint32_t> Counted() const { return Counted(main_kind); }
  std::vector<std::uint32_t> Counted(std::string_view kind) const {
    return With(StepRole::kCounted, kind);
  }
  std::vector<std::uint32_t> With(StepRole role) const;  // Of all kinds.
  std::vector<std::uint32_t> With(StepRole role, std::string_view kind) const;
};

// Finds steps: by the user's step ranges, else by outermost ranges that repeat, else by the
// repeated sequence of kernels; never by wishful thinking.
Steps FindSteps(const Trace& trace, const KernelRules& rules = KernelRules::BuiltIn());
// The same for a caller that has these already.
Steps FindSteps(const Trace& trace, const HostRanges& ranges, const NameTable& names,
                const KernelKinds& kinds);

}  // namespace xsp
