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

// What came of one gate.
struct GateResult {
  Gate gate;
  enum class State : std::uint8_t { kHolds, kFails, kAccepted, kUnknown, kNoData } state{};
  std::string where;  // kPlace: the worst place that it found.
  // How much more there is, in the unit of the limit (a share, ns, bytes, a count): the estimate,
  // and what was held against the limit. None without data.
  std::optional<double> value;
  std::optional<double> low;
  std::optional<AcceptedChange> accepted;  // What counted beside the limit.
  std::string why;                         // kUnknown, kNoData: what is missing.

  bool holds() const { return state == State::kHolds || state == State::kAccepted; }
};
std::string_view NameOf(GateResult::State state);  // "holds", "fails", ...

// Two sides compared. Refers to them; they must outlive it.
struct Comparison {
  const Side* base = nullptr;
  const Side* now = nullptr;

  bool comparable = true;
  std::vector<std::string> reasons;   // Why they are not.
  std::vector<std::string> warnings;  // What differs besides, to be read first.

  bool is_step = false;
  Estimate unit;
  Verdict verdict = Verdict::kSame;  // The unit's.

  Matching matching;
  KernelCounts kernels;
  Accounting accounting;
  std::vector<Contribution> contributions;  // The largest first; they sum to now - base.
  std::vector<Change> changes;              // Those of most device time first.
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
  double noise = 0.02;
  bool strict = false;
  std::vector<Gate> gates;
  std::vector<AcceptedChange> accepted;
  std::string today;  // "2026-01-31": which accepted changes still count.
};

// Both sides must speak of the same unit (SameUnit).
Comparison Compare(const Side& base, const Side& now, const CompareOptions& options);

// Holds the gates, and what was accepted, against a comparison anew.
void JudgeGates(Comparison& comparison, const CompareOptions& options);

}  // namespace xsp
