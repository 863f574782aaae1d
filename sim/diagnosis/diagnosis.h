#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/readings/path_parts.h"
#include "graph/time_kinds.h"
#include "graph/unit/unit.h"
#include "hierarchy/hierarchy.h"

namespace xsp {

// What a unit may wait for.
enum class Resource : std::uint8_t {
  kGpu = 0,        // Kernels, memsets, graphs, and the gaps between operations that are queued.
  kHost,           // The program between its calls, and calls that do none of what follows.
  kLaunches,       // Launching calls, and the way from there to the device.
  kCommunication,  // Collectives.
  kInput,          // Data that is loaded.
  kCopies,         // Copies, and the return of those that block.
  kAllocation,     // Allocation and release of memory.
  kOtherRank,      // Another rank, which comes to collectives later.
  kOneTime,        // What happens only once: nothing that recurs decides.
  kUnknown,        // What no simulation of the graph explains.
};
inline constexpr std::size_t kResourceCount = static_cast<std::size_t>(Resource::kUnknown) + 1;
std::string_view NameOf(Resource resource);   // For scripts: "gpu", "launches", "other_rank".
std::string_view WordsOf(Resource resource);  // For people: "kernels", "launches".

// Whom a piece of a critical path waits for.
Resource ResourceOf(PathKind kind);

// What a resource has to do with how long a unit takes.
struct ResourceTime {
  Resource what = Resource::kUnknown;
  DurationNs ns = 0;  // On the critical path.
  // How much sooner the unit would be over if it cost nothing; none where that was not simulated:
  // it cannot be more than it has on the path.
  std::optional<DurationNs> gain;
};

// What decides how long a unit takes: the one answer of all commands. The resource that has most of
// the critical path, unless a simulation in which it costs nothing shows that another one gains
// more than twice as much; what happens only once decides nothing, unless it is more than half of
// the time. In a unit of more than 100,000 tasks the path alone decides.
struct Diagnosis {
  Resource what = Resource::kUnknown;
  DurationNs unit = 0;  // How long it took as measured.
  DurationNs ns = 0;    // Of that, what it waited for `what`,
  double share = 0;     // and the same as a share.
  DurationNs busy = 0;  // How long a device was at work; of several the mean.
  std::size_t devices = 1;
  std::uint64_t operations = 0;  // Of all devices, in a unit.
  bool is_step = false;
  std::vector<ResourceTime> resources;  // The longest first; with `kUnknown` they sum to `unit`.
  std::string mostly;  // The largest part of `what`: a kernel's class, a call, a direction.
  std::string text;    // One to three sentences.
};

// `graph` is that of the hierarchy's trace, and `unit` one of it.
Diagnosis Diagnose(const TaskGraph& graph, const Hierarchy& hierarchy, const Unit& unit);

// Above this nothing but the path is looked at, here and for habits: a first look has no time.
inline constexpr std::uint64_t kMostTasksAtFirstLook = 100'000;
// How many tasks a forecast of the unit simulates: those of its steps, or all.
std::uint64_t TasksOf(const TaskGraph& graph, const Steps& steps, const Unit& unit);

}  // namespace xsp
