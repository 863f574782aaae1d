#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diff/gates/gate.h"
#include "diff/gates/policy.h"
#include "diff/matching/match.h"
#include "diff/runs/run.h"
#include "diff/runs/side.h"
#include "diff/statistics/estimate.h"
#include "model/time.h"

namespace xsp {

// One piece of the change of the unit: how much more time a place takes on the critical path.
struct Contribution {
  static constexpr std::uint32_t kNoPair = 0xffffffff;

  std::uint32_t pair = kNoPair;  // A row of Matching::pairs; kNoPair: of no place (the residual).
  CostKind kind = CostKind::kResidual;
  DurationNs base = 0;  // Means per unit, on the critical path.
  DurationNs now = 0;
  DurationNs delta = 0;  // As many as the rounding of means allows: now - base within 1 ns.
  // Whether it is more than noise, all rows being tested at once.
  bool significant = false;
};

// Something that is not as it was, with the place it concerns.
enum class ChangeKind : std::uint8_t {
  kAdded = 0,
  kRemoved,
  kRenamed,
  kReplaced,  // By another kernel of the same class.
  kMoved,
  kCount,      // Comes more or less often.
  kShape,      // Launched with another grid or block.
  kPrecision,  // Computes in another number format.
};
std::string_view NameOf(ChangeKind kind);  // "added", "renamed", ...

struct Change {
  ChangeKind kind = ChangeKind::kAdded;
  std::uint32_t pair = 0;
};

// Device time of everything that is compared: matched + removed = base, matched + added = now.
struct Accounting {
  double matched_base = 0;
  double matched_now = 0;
  double removed = 0;
  double added = 0;
};

// How many kernels (rows, not launches) have a counterpart, and which have none.
struct KernelCounts {
  std::uint32_t matched = 0;
  std::uint32_t renamed = 0;  // Of the matched ones: under another name, or replaced.
  std::uint32_t moved = 0;    // Of the matched ones.
  std::uint32_t added = 0;
  std::uint32_t removed = 0;
};

// How long one launch of a kernel takes, before and now.
struct KernelTime {
  std::string base;       // Its name, in full,
  std::string now;        // and what it is called in the new runs.
  double base_count = 0;  // Launches in a unit.
  double now_count = 0;
  double base_ns = 0;  // Means of a launch.
  double now_ns = 0;
  std::optional<bool> certain;  // More than noise; none: one value a side does not tell.

  double growth() const { return now_ns / base_ns - 1; }
  // What the change costs in a unit, launched as often as before.
  double cost() const { return (now_ns - base_ns) * base_count; }
};

// What came of a gate, or of one of the places that it speaks of.
enum class GateState : std::uint8_t {
  kHolds,      // The estimate is within the limit, and noise is smaller than the limit.
  kFails,      // The estimate is beyond the limit, and the growth is more than noise.
  kAccepted,   // It would fail, but somebody has accepted as much.
  kUndecided,  // Noise allows both.
  kNoData,     // What it speaks of was not recorded, or is not there.
  kNotJudged,  // The runs are not comparable.
};
// "holds", "fails", "accepted", "undecided", "no_data", "not_judged".
std::string_view NameOf(GateState state);

// A place that a gate looked at.
struct GatePlace {
  std::string where;  // In the base; where it was added, in the new runs.
  std::string now;    // What it is called in the new runs, where that is another name.
  GateState state = GateState::kHolds;
  // How much more there is, in the unit of the limit (a share, ns, bytes, a count): the estimate,
  // and the lower end of its interval. A share of nothing is infinite.
  double value = 0;
  double low = 0;
  double change = 0;                       // The same as a difference: in ns, bytes, a count.
  double base = 0;                         // Of how much, before.
  std::optional<AcceptedChange> accepted;  // What counted beside the limit.
  std::string why;                         // kUndecided: what is missing.

  // "gemm_a → gemm_b".
  std::string Name() const { return now.empty() ? where : where + " → " + now; }
};

// What came of one gate.
struct GateResult {
  using State = GateState;

  Gate gate;
  State state = State::kHolds;
  std::string where;  // Of places: the worst one that it found.
  // As of a place; of places, the worst one's. None without data.
  std::optional<double> value;
  std::optional<double> low;
  double change = 0;
  double base = 0;
  std::optional<AcceptedChange> accepted;
  std::string why;  // kUndecided, kNoData, kNotJudged: what is missing.
  // Of places: all that do not simply hold, those that fail first, then those that cannot be told,
  // then accepted ones; the largest growth first.
  std::vector<GatePlace> places;

  bool holds() const { return state == State::kHolds || state == State::kAccepted; }
  std::size_t CountPlaces(State of) const;
};

// Two sides compared. Refers to them; they must outlive it.
struct Comparison {
  const Side* base = nullptr;
  const Side* now = nullptr;

  bool comparable = true;
  bool refused = false;               // Not comparable, and nobody forces it: no limit is judged.
  std::vector<std::string> reasons;   // Why they are not comparable.
  std::vector<std::string> warnings;  // What differs besides, to be read first.
  // "22 steps in a run before, 2 now": what is told once for a run, spans among it, says nothing
  // of the program. Empty where runs are as long, or nobody knows their steps.
  std::string other_length;

  bool is_step = false;
  Estimate unit;
  Verdict verdict = Verdict::kSame;  // The unit's.

  Matching matching;
  KernelCounts kernels;
  Accounting accounting;
  std::vector<Contribution> contributions;  // The largest first; they sum to now - base.
  std::vector<Change> changes;              // Those of most device time first.
  std::vector<KernelTime> kernel_times;     // The costliest first (kernel_times.h).
  std::vector<GateResult> gates;            // In the order in which they were given.
  // Without gates: the accepted change of the unit that covers its regression.
  std::optional<AcceptedChange> accepted;

  // Rounded means, whose difference the contributions sum to.
  DurationNs base_ns() const;
  DurationNs now_ns() const;
  // The path of a pair: where it is in the base, or where it was added.
  std::string Path(std::uint32_t pair) const;
  const RunPlace& Place(std::uint32_t pair) const;  // The same.
};

struct CompareOptions {
  // What counts as noise where too few values show it, as a share; none: nobody has said.
  std::optional<double> noise;
  // How far runs of the base differed before; where nobody has said what counts as noise.
  std::optional<RunNoise> remembered;
  bool force = false;   // Gates are judged where the runs are not comparable, too.
  bool strict = false;  // Gates: the estimate decides where noise allows both.
  std::vector<Gate> gates;
  std::vector<AcceptedChange> accepted;
  std::string today;  // "2026-01-31": which accepted changes still count.
};

// By what figures with noise are judged, if growth beyond `limit` (a share) must be seen.
DecisionOptions DecisionFor(const CompareOptions& options, double limit);

// Both sides must speak of the same unit (SameUnit).
Comparison Compare(const Side& base, const Side& now, const CompareOptions& options);

// Holds the gates, and what was accepted, against a comparison anew.
void JudgeGates(Comparison& comparison, const CompareOptions& options);

}  // namespace xsp
