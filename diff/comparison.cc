#include "diff/comparison.h"

#include <algorithm>
#include <cmath>

#include "base/enum_names.h"
#include "diff/comparable.h"
#include "diff/explain.h"
#include "diff/gates/gate_check.h"
#include "diff/kernel_times.h"
#include "model/duration.h"

namespace xsp {
namespace {

// The strictest limit on the unit, as a share: a change beyond it must be seen.
double StrictestLimit(const std::vector<Gate>& gates, double base) {
  std::optional<double> strictest;
  for (const Gate& gate : gates) {
    if (!IsOfUnit(gate)) continue;
    const double limit = gate.unit == LimitUnit::kShare ? gate.limit
                         : base > 0                     ? gate.limit / base
                                                        : 0;
    strictest = std::min(strictest.value_or(limit), limit);
  }
  return strictest.value_or(0);
}

// Outliers are no part of the mean step, and not forgotten.
std::string OutlierWords(const Comparison& c) {
  const StepCounts base = c.base->steps(), now = c.now->steps();
  if (!c.is_step || base.outliers == now.outliers) return "";
  auto count = [](const StepCounts& steps) {
    return std::to_string(steps.outliers) + " of " + std::to_string(steps.outliers + steps.counted);
  };
  return "outliers among the steps: " + count(base) + " before, " + count(now) +
         " now; with them a step takes " + FormatDuration(std::llround(c.base->WarmMean())) +
         " and " + FormatDuration(std::llround(c.now->WarmMean()));
}

}  // namespace

std::string_view NameOf(CostKind kind) {
  constexpr EnumNames<CostKind::kResidual> kNames({"device", "communication", "copy", "launch",
                                                   "sync", "host", "one_time", "idle",
                                                   "replay_residual"});
  return kNames[kind];
}

std::string_view NameOf(ChangeKind kind) {
  constexpr EnumNames<ChangeKind::kPrecision> kNames({"added", "removed", "renamed", "replaced",
                                                      "moved", "changed_count", "changed_shape",
                                                      "changed_precision"});
  return kNames[kind];
}

std::string_view NameOf(GateState state) {
  constexpr EnumNames<GateState::kNotJudged> kNames(
      {"holds", "fails", "accepted", "undecided", "no_data", "not_judged"});
  return kNames[state];
}

std::size_t GateResult::CountPlaces(State of) const {
  return static_cast<std::size_t>(std::count_if(
      places.begin(), places.end(), [&](const GatePlace& place) { return place.state == of; }));
}

DecisionOptions DecisionFor(const CompareOptions& options, double limit) {
  DecisionOptions decision;
  decision.noise = options.noise.value_or(kUnknownNoise);
  decision.matters = std::max(options.noise.value_or(kMattersByDefault), limit);
  if (!options.noise) decision.remembered = options.remembered;
  return decision;
}

DurationNs Comparison::base_ns() const { return std::llround(unit.base); }
DurationNs Comparison::now_ns() const { return std::llround(unit.now); }

std::string Comparison::Path(std::uint32_t pair) const {
  const PlacePair& of = matching.pairs[pair];
  return of.base != RunPlace::kNone ? base->Path(of.base) : now->Path(of.now);
}

const RunPlace& Comparison::Place(std::uint32_t pair) const {
  const PlacePair& of = matching.pairs[pair];
  return of.base != RunPlace::kNone ? base->places()[of.base] : now->places()[of.now];
}

Comparison Compare(const Side& base, const Side& now, const CompareOptions& options) {
  Comparison c;
  c.base = &base;
  c.now = &now;
  c.is_step = base.is_step();
  Comparability comparability = CheckComparable(base, now);
  c.comparable = comparability.reasons.empty();
  c.refused = !c.comparable && !options.force;
  c.reasons = std::move(comparability.reasons);
  c.warnings = std::move(comparability.warnings);
  c.other_length = OtherLength(base, now);

  const Series before = base.UnitTime();
  c.unit = EstimateChange(before, now.UnitTime(),
                          DecisionFor(options, StrictestLimit(options.gates, before.Mean())));
  c.verdict = c.unit.verdict;

  c.matching = MatchSides(base, now);
  if (std::string sizes = OtherSizes(c); !sizes.empty()) c.warnings.push_back(std::move(sizes));
  if (std::string outliers = OutlierWords(c); !outliers.empty()) c.warnings.push_back(outliers);
  c.kernels = CountKernels(c);
  c.accounting = AccountFor(c);
  c.contributions = Explain(c);
  c.changes = FindChanges(c);
  c.kernel_times = FindKernelTimes(c);
  JudgeGates(c, options);
  return c;
}

void JudgeGates(Comparison& c, const CompareOptions& options) {
  c.gates.clear();
  for (const Gate& gate : options.gates) c.gates.push_back(CheckGate(c, gate, options));
  c.accepted.reset();
  if (!options.gates.empty() || c.refused || c.verdict != Verdict::kRegression) return;
  // The same as a gate that allows for nothing but noise.
  Gate gate = ParseGate("step > 0%");
  gate.limit = options.noise.value_or(kMattersByDefault);
  c.accepted = CheckGate(c, gate, options).accepted;
}

}  // namespace xsp
