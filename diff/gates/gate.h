#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xsp {

// What a gate can speak of. Everything is per unit (a step, or the GPU span where there are none).
enum class Subject : std::uint8_t {
  kStep,            // The time of the unit.
  kStepMedian,      // The same by the median of the steps; the interval is that of the mean.
  kDevice,          // Time in which some device worked.
  kIdle,            // Time in which none did.
  kHost,            // Host time on the critical path: calls, untraced time, data loading.
  kLaunch,          // Launch-bound time on the critical path.
  kSync,            // Returns from waits on the critical path.
  kCopies,          // Copies on the critical path.
  kCommunication,   // Exposed communication: collectives on the critical path.
  kKernels,         // Number of kernels.
  kKernelsAdded,    // Kernels that have no counterpart before,
  kKernelsRemoved,  // and after; counted as rows of the comparison, not as launches.
  kKernelsRenamed,  // Kernels that were matched under another name.
  kLaunches,        // Number of calls that issue device work.
  kSyncs,           // Number of calls that wait for the device.
  kMemoryPeak,      // Most device memory allocated at a time.
  kSpan,            // From the first to the last operation of the GPU, once for a run.
  kWall,            // From the first to the last event of the program, once for a run.
  kOneTime,         // What comes only once and holds up the program, once for a run.
  kPlace,           // Time of places of the program, by level and pattern.
};

// By what `kPlace` finds places. Device time counts, of kNvtx the time of the ranges themselves.
enum class PlaceKind : std::uint8_t { kPhase, kLayer, kOp, kRange, kKernel, kClass, kNvtx };
std::string_view NameOf(PlaceKind kind);  // "phase", "layer", ...

enum class LimitUnit : std::uint8_t { kShare, kNanoseconds, kBytes, kCount };

// "step > 3%": the change that is too much. A relative limit is a share of the base's value, an
// absolute one (ns, bytes, a count) a difference.
struct Gate {
  std::string text;     // As the user wrote it, without spaces at the ends.
  std::string subject;  // The part of it before the '>': "layer:*attention*".
  Subject what = Subject::kStep;
  PlaceKind place = PlaceKind::kLayer;  // kPlace:
  std::string pattern;                  // and which of them: a glob with * and ?.
  double limit = 0;
  LimitUnit unit = LimitUnit::kShare;

  bool operator==(const Gate&) const = default;
};

// Reads a gate:
//
//   gate    = subject ">" limit
//   subject = "step" | "step.median" | "device" | ... | level ":" pattern
//   level   = "phase" | "layer" | "op" | "range" | "kernel" | "class" | "nvtx"
//   pattern = any characters, with * and ? as in a shell; in double quotes where it begins or ends
//             with a space. The last ">" outside of quotes is the one that splits the gate.
//   limit   = a quantity (base/quantity.h): "3%", "5ms", "2GB", "512 MiB", "0"
//
// Throws GrammarError that points at what is wrong, also for a limit in a unit that does not fit
// its subject.
Gate ParseGate(std::string_view text);

// Whether it limits the unit of the comparison itself, and no part of it.
inline bool IsOfUnit(const Gate& gate) {
  return gate.what == Subject::kStep || gate.what == Subject::kStepMedian;
}

// The limit as a reader of a report should see it: "3 %", "5 ms", "0".
std::string LimitWords(const Gate& gate);

// The unit in which a subject counts where its limit is no share.
LimitUnit AbsoluteUnitOf(Subject subject);

// The subjects that have a fixed name, for suggestions and documentation, in order.
std::vector<std::string> SubjectNames();

}  // namespace xsp
