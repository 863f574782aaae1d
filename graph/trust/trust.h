#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/simulation/scheduler.h"
#include "graph/trust/path_doubts.h"
#include "graph/unit/unit_bench.h"
#include "hierarchy/steps/steps.h"

namespace xsp {

// How far forecasts from a graph can be trusted. What each word stands for is measured:
// docs/accuracy.md lists what forecasts on graphs of each are off by.
enum class TrustLevel : std::uint8_t { kHigh, kFair, kLow };
std::string_view NameOf(TrustLevel level);  // "high", "fair", "low".

// What speaks against a graph. Each is a share, mostly of the unit's time.
enum class Doubt : std::uint8_t {
  kReplay = 0,     // What the unchanged simulation is off by.
  kIdle,           // Idle time of devices that the graph does not explain.
  kLongCalls,      // On the path: in calls far longer than such calls are, and nothing says why.
  kViolated,       // Operations that really began long before the graph lets them.
  kWaits,          // On the path: the host slept or waited for somebody that no rule names.
  kPolling,        // On the path: the host asked again and again whether something is over.
  kSilence,        // On the path: long silences of the host of which nothing was recorded.
  kUnseenRanks,    // On the path: collectives whose other ranks were not recorded.
  kUnseenThreads,  // Threads of the program of which nothing was recorded; 0 or 1.
  kBeside,         // Device work, of all that ran meanwhile, of programs that have no such steps.
  kScatter,        // How much steps differ.
  kOutliers,       // What steps far from the others, that are left out, would add to the mean.
  kFewOperations,  // Too few to tell: a replay may be right by chance.
  // Of a forecast, by the path after the change (sim/forecast_trust.h):
  kExposed,       // Host time that was hidden before, and may be a wait for what got faster.
  kGone,          // Waits told by silences alone that it does without.
  kLagging,       // Threads that no longer keep pace with the steps, which may have to wait.
  kMissesBeats,   // Steps come too late for the timer that they wait for.
  kTimedWaits,    // Waits with a time-out: how many of them run out changes.
  kOtherCompany,  // Kernels have other company on the device than any that was measured.
  kRanksApart,    // Ranks that no longer go at one pace.
  kOrder,         // Streams keep an order that syncs gave them, and may need none.
  kWideRange,     // Half the width of the likely range.
  kCount,
};
inline constexpr std::size_t kDoubtCount = static_cast<std::size_t>(Doubt::kCount);

// A doubt with where it begins to matter: trust is fair from `fair` on, low from `low` on.
struct DoubtRow {
  Doubt doubt;
  std::string_view name;  // In JSON: "long_calls".
  double fair;
  double low;
  bool is_of_forecast = false;
};
std::span<const DoubtRow> AllDoubts();  // In the order of the enumeration.
const DoubtRow& RowOf(Doubt doubt);

struct TrustReason {
  Doubt doubt = Doubt::kReplay;
  TrustLevel level = TrustLevel::kHigh;
  double share = 0;
};

// The word is the worst of all doubts.
struct Trust {
  TrustLevel level = TrustLevel::kHigh;
  std::vector<TrustReason> reasons;  // What makes it less than high, the worst first.
  std::array<double, kDoubtCount> shares{};
  std::array<bool, kDoubtCount> fair_at_most{};  // Matters, but for that nobody distrusts all.
  double replay_error = 0;                       // Above 0: the simulation is too slow.
  double idle_explained = 1;                     // Share of the idle time.
  std::uint32_t operations = 0;
  PathDoubts path;                          // Of the unchanged program.
  std::vector<std::string> unseen_threads;  // Their names.
  std::string lagging_thread;               // Of a forecast: the one that needs longest.

  double Of(Doubt doubt) const { return shares[static_cast<std::size_t>(doubt)]; }
  void Set(Doubt doubt, double share) { shares[static_cast<std::size_t>(doubt)] = share; }
  // Level and reasons of what was set.
  void Conclude();
};

// What SimulateGuided gives.
struct GuidedReplay {
  Answers answers;
  Schedule schedule;
};

// What steps far from the others, which are not counted, add to the mean of all where they recur: 0
// where they do not.
DurationNs RecurringOutliers(const CountedSteps& set);

// Judges the part of a graph that a bench simulates; `replay` is an unchanged simulation of it.
// `guided`, of the same, where there is one already.
Trust JudgeTrust(const UnitBench& bench, const Steps& steps, const Schedule& replay,
                 const GuidedReplay* guided = nullptr);
// The same, with its own simulation; `ignored_rules`: bits 1 << Rule that it does without.
Trust JudgeTrust(const UnitBench& bench, const Steps& steps, std::uint32_t ignored_rules = 0);

}  // namespace xsp
