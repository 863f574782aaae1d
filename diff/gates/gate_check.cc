#include "diff/gates/gate_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/glob.h"
#include "base/text.h"
#include "diff/gates/gate_data.h"
#include "model/names/kernel_names.h"

namespace xsp {
namespace {

using State = GateState;

// Places that count as one for a gate: what they are called on either side, and which they are.
struct PlaceGroup {
  std::string name;
  std::set<std::string> now_names;
  std::vector<std::uint32_t> base;
  std::vector<std::uint32_t> now;

  // In the new runs, where that is another name.
  std::string OtherName() const { return now_names.contains(name) ? "" : Joined(now_names, ", "); }
};

class GateChecker {
 public:
  GateChecker(const Comparison& c, const Gate& gate, const CompareOptions& options)
      : c_(c), gate_(gate), options_(options) {
    result_.gate = gate;
  }

  GateResult Check() {
    if (c_.refused) {
      result_.state = State::kNotJudged;
      result_.why = c_.reasons.front();
      return std::move(result_);
    }
    if (const std::string why = WhyNoData(c_, gate_); !why.empty()) {
      NoData(why);
      return std::move(result_);
    }
    switch (gate_.what) {
      case Subject::kKernelsAdded:
        CheckNumber(c_.kernels.added, 1);
        break;
      case Subject::kKernelsRemoved:
        CheckNumber(c_.kernels.removed, -1);
        break;
      case Subject::kKernelsRenamed:
        CheckNumber(c_.kernels.renamed, 0);
        break;
      case Subject::kPlace:
        gate_.place == PlaceKind::kNvtx ? CheckNamedRanges() : CheckPlaces();
        break;
      default:
        CheckFigure();
    }
    return std::move(result_);
  }

 private:
  // Something that grew, with what is known of it.
  struct Growth {
    const Series& base;
    const Series& now;
    DecisionOptions decision;
    Estimate estimate;
    double value;  // As GatePlace has it.
    double change;
  };

  // A number of kernels, which has no noise. `sign`: by what one of them changes how many the base
  // has once it is there, too; so much of what was accepted is used up.
  void CheckNumber(double number, int sign) {
    const double kernels = c_.kernels.matched + c_.kernels.removed;
    GatePlace judged;
    judged.value = judged.low = judged.change = number;
    judged.base = sign != 0 ? kernels : 0;
    judged.state = number > gate_.limit ? State::kFails : State::kHolds;
    const std::optional<AcceptedChange> accepted = Accepted({gate_.subject});
    if (judged.state == State::kFails && accepted) {
      const double used = accepted->base ? sign * (kernels - *accepted->base) : 0;
      const double left = accepted->change - std::max(0.0, used);
      if (left > 0) judged.accepted = accepted;
      if (number <= gate_.limit + left) judged.state = State::kAccepted;
    }
    Apply(judged);
  }

  // Under any of its names.
  std::optional<AcceptedChange> Accepted(const std::vector<std::string>& names) const {
    Policy policy;
    policy.accepted = options_.accepted;
    for (const std::string& name : names) {
      if (const AcceptedChange* change = FindAccepted(policy, name, options_.today)) return *change;
    }
    return std::nullopt;
  }

  // The limit with what is left of what was accepted on top, in the limit's unit.
  double LimitWith(const AcceptedChange& accepted, const Growth& growth) const {
    const double base = growth.estimate.base;
    const double left = LeftOf(accepted, base);
    const bool is_share = accepted.unit == LimitUnit::kShare;
    if (gate_.unit != LimitUnit::kShare) return gate_.limit + (is_share ? left * base : left);
    if (base <= 0) {  // A share of nothing: what was accepted is so much time, and no more.
      const bool covers = !is_share && growth.change <= left * (1 + gate_.limit);
      return covers ? std::numeric_limits<double>::infinity() : gate_.limit;
    }
    return (1 + gate_.limit) * (1 + (is_share ? left : left / base)) - 1;
  }

  // A growth in the unit of the limit.
  double InUnit(double growth, double base, double change) const {
    return gate_.unit == LimitUnit::kShare ? growth : std::isinf(growth) ? change : growth * base;
  }

  double AsShare(double limit, double base) const {
    if (gate_.unit == LimitUnit::kShare) return limit;
    return base > 0 ? limit / base : 0;
  }

  // Times have noise; numbers of things and bytes have what their values show, and no more.
  bool HasNoise() const { return AbsoluteUnitOf(gate_.what) == LimitUnit::kNanoseconds; }

  Growth GrowthOf(const Series& base, const Series& now, double confidence) const {
    DecisionOptions decision = DecisionFor(options_, AsShare(gate_.limit, base.Mean()));
    decision.confidence = confidence;
    // What is remembered is of the unit: better than nothing, but not than what is seen here.
    if (!IsOfUnit(gate_) && NoiseBetween(base, now)) decision.remembered.reset();
    const Estimate e = EstimateChange(base, now, decision);
    Growth growth{base, now, decision, e, InUnit(e.growth(), e.base, e.change()), e.change()};
    if (gate_.what == Subject::kStepMedian && e.base_median > 0) {
      growth.change = e.now_median - e.base_median;
      growth.value = InUnit(growth.change / e.base_median, e.base_median, growth.change);
    }
    return growth;
  }

  // Whether growth beyond a limit would have been seen. A limit asks for growth only, so the
  // interval may leave out as much at its upper end alone as otherwise at both.
  bool WouldBeSeen(const Growth& growth, double limit) const {
    if (growth.estimate.base <= 0 || growth.estimate.now <= 0) {  // No share, and no interval.
      const std::vector<double> values = growth.now.All();
      return std::all_of(values.begin(), values.end(), [&](double now) { return now <= limit; });
    }
    // What may be, at the most, is within.
    const double limit_share = AsShare(limit, growth.estimate.base);
    if (growth.estimate.growth() + growth.estimate.resolution <= limit_share) return true;
    const double enough = std::max(limit_share, options_.noise.value_or(kMattersByDefault));
    if (growth.estimate.resolution <= enough) return true;
    if (!growth.estimate.interval) return false;
    DecisionOptions one_sided = growth.decision;
    one_sided.confidence = 2 * one_sided.confidence - 1;
    return EstimateChange(growth.base, growth.now, one_sided).resolution <= enough;
  }

  State StateOf(const Growth& growth, double limit) const {
    const Estimate& e = growth.estimate;
    const bool beyond = growth.value > limit;
    if (options_.strict || !HasNoise() || e.identical) {
      return beyond ? State::kFails : State::kHolds;
    }
    if (beyond) return e.verdict == Verdict::kRegression ? State::kFails : State::kUndecided;
    const bool is_known = e.verdict != Verdict::kCannotTell || WouldBeSeen(growth, limit);
    return is_known ? State::kHolds : State::kUndecided;
  }

  GatePlace Judge(const Series& base, const Series& now, const std::vector<std::string>& names,
                  double confidence) const {
    const Growth growth = GrowthOf(base, now, confidence);
    const Estimate& e = growth.estimate;
    GatePlace judged;
    judged.value = growth.value;
    judged.low = std::min(growth.value, InUnit(e.low_growth(), e.base, growth.change));
    judged.change = growth.change;
    judged.base = e.base;
    judged.state = StateOf(growth, gate_.limit);
    if (judged.state != State::kHolds) judged.accepted = Accepted(names);
    if (judged.accepted && LeftOf(*judged.accepted, e.base) == 0) judged.accepted.reset();
    if (judged.accepted) {
      const State with = StateOf(growth, LimitWith(*judged.accepted, growth));
      judged.state = with == State::kHolds ? State::kAccepted : with;
    }
    if (judged.state == State::kUndecided) judged.why = WhyUndecided(e);
    return judged;
  }

  static std::string WhyUndecided(const Estimate& e) {
    if (e.base_count >= kSamplesForInterval && e.now_count >= kSamplesForInterval && !e.interval) {
      return "too seldom to be told from chance";
    }
    if (!e.interval) {
      return "one value a side says nothing about noise, " + Percent(e.floor) +
             " is assumed: record three runs a side, or give --noise";
    }
    if (!std::isfinite(e.resolution)) return "no change can be told from noise";
    return "changes below " + Percent(e.resolution) + " cannot be told from noise";
  }

  static std::string Percent(double share) {
    std::string text = std::to_string(std::round(share * 1000) / 10);
    return text.substr(0, text.find('.') + 2) + " %";
  }

  void NoData(const std::string& why) {
    result_.state = State::kNoData;
    result_.why = why;
  }

  // Both sides of a figure of the unit; empty where it was not recorded.
  std::pair<Series, Series> Figure() const {
    auto both = [&](auto of) { return std::pair(of(*c_.base), of(*c_.now)); };
    auto path = [&](CostKind kind) {
      return both([kind](const Side& side) { return side.PathTime(kind); });
    };
    switch (gate_.what) {
      case Subject::kDevice:
        return both([](const Side& side) { return side.BusyTime(); });
      case Subject::kIdle:
        return both([](const Side& side) { return side.IdleTime(); });
      case Subject::kHost:
        return path(CostKind::kHost);
      case Subject::kLaunch:
        return path(CostKind::kLaunch);
      case Subject::kSync:
        return path(CostKind::kSync);
      case Subject::kCopies:
        return path(CostKind::kCopy);
      case Subject::kCommunication:
        return path(CostKind::kCommunication);
      case Subject::kKernels:
        return both([](const Side& side) { return side.Kernels(); });
      case Subject::kLaunches:
        return both([](const Side& side) { return side.Launches(); });
      case Subject::kSyncs:
        return both([](const Side& side) { return side.Syncs(); });
      case Subject::kMemoryPeak:
        return both([](const Side& side) { return side.PeakMemory(); });
      case Subject::kSpan:
        return both([](const Side& side) { return side.PerRun(&Run::span_ns); });
      case Subject::kWall:
        return both([](const Side& side) { return side.PerRun(&Run::wall_ns); });
      case Subject::kOneTime:
        return both([](const Side& side) { return side.PerRun(&Run::program_one_time_ns); });
      default:
        return both([](const Side& side) { return side.UnitTime(); });
    }
  }

  void CheckFigure() {
    const auto [base, now] = Figure();
    if (base.count() == 0 || now.count() == 0) {
      NoData(
          "allocations of memory were not recorded on both sides: record with nsys profile "
          "--cuda-memory-usage=true, or torch.profiler.profile(profile_memory=True)");
      return;
    }
    Apply(Judge(base, now, {gate_.subject}, DecisionOptions{}.confidence));
    if (gate_.what == Subject::kStep && c_.is_step) LookAtOutliers();
  }

  // A limit on the step that only holds because some steps do not count is no pass.
  void LookAtOutliers() {
    const double base = c_.base->WarmMean(), change = c_.now->WarmMean() - base;
    if (result_.state != State::kHolds || base <= 0) return;
    const double value = InUnit(change / base, base, change);
    if (value <= gate_.limit || result_.value > gate_.limit) return;
    result_.state = State::kUndecided;
    result_.why = "with the outliers among the steps it grows by " + Percent(change / base);
  }

  void Apply(const GatePlace& judged) {
    result_.state = judged.state;
    result_.where = judged.where;
    result_.value = judged.value;
    result_.low = judged.low;
    result_.change = judged.change;
    result_.base = judged.base;
    result_.accepted = judged.accepted;
    result_.why = judged.why;
  }

  bool IsMeant(const RunPlace& place) const {
    switch (gate_.place) {
      case PlaceKind::kPhase:
        return place.level == Level::kPhase;
      case PlaceKind::kLayer:
        return place.level == Level::kLayer;
      case PlaceKind::kOp:
        return place.level == Level::kOp;
      case PlaceKind::kRange:
        return place.IsRange() && place.parent != RunPlace::kNone;
      case PlaceKind::kKernel:
      case PlaceKind::kClass:
        return place.is_kernel;
      case PlaceKind::kNvtx:
        break;
    }
    return false;
  }

  // What a gate calls a place; empty for one that it does not speak of.
  std::string NameIn(const Side& side, std::uint32_t place) const {
    if (place == RunPlace::kNone || !IsMeant(side.places()[place])) return "";
    const RunPlace& of = side.places()[place];
    if (gate_.place == PlaceKind::kClass) return std::string(NameOf(of.kernel_class));
    return gate_.place == PlaceKind::kKernel ? ShortKernelName(of.name) : side.Path(place);
  }

  bool Fits(const Side& side, std::uint32_t place, const std::string& name) const {
    if (name.empty()) return false;
    return MatchesGlob(gate_.pattern, name) ||
           MatchesGlob(gate_.pattern, side.places()[place].name);
  }

  // The places that the gate speaks of, by either of their names: ranges one by one, kernels by
  // name wherever they run. What has another name now goes by the one before.
  std::vector<PlaceGroup> Groups() const {
    std::map<std::string, PlaceGroup> groups;
    auto group_of = [&](const std::string& name) -> PlaceGroup& {
      groups[name].name = name;
      return groups[name];
    };
    for (std::uint32_t i = 1; i < c_.matching.pairs.size(); ++i) {
      const PlacePair& pair = c_.matching.pairs[i];
      const std::string before = NameIn(*c_.base, pair.base);
      const std::string after = NameIn(*c_.now, pair.now);
      const bool fits_before = Fits(*c_.base, pair.base, before);
      const bool fits_after = Fits(*c_.now, pair.now, after);
      // A class is what is in it, on each side by itself.
      const bool apart = gate_.place == PlaceKind::kClass;
      if (fits_before || (fits_after && !before.empty() && !apart)) {
        group_of(before).base.push_back(pair.base);
      }
      if (fits_after || (fits_before && !after.empty() && !apart)) {
        PlaceGroup& group = group_of(before.empty() || apart ? after : before);
        group.now.push_back(pair.now);
        group.now_names.insert(after);
      }
    }
    std::vector<PlaceGroup> list;
    for (auto& [name, group] : groups) list.push_back(std::move(group));
    return list;
  }

  static Series DeviceTimeOf(const Side& side, const std::vector<std::uint32_t>& places) {
    Series sum = side.Zeros();
    for (std::uint32_t place : places) sum += side.DeviceTime(place);
    return sum;
  }

  std::string WhatOf(const std::string& place) const {
    return std::string(NameOf(gate_.place)) + ":" + place;
  }

  // One of several places. Those whose estimate is within the limit hold: nobody has recorded
  // enough to tell for each of a thousand kernels what its noise could hide.
  void LookAtPlace(const std::string& name, const std::string& other_name, const Series& base,
                   const Series& now, std::size_t of_places) {
    const double growth = now.Mean() - base.Mean();
    const double limit = gate_.unit == LimitUnit::kShare ? gate_.limit * base.Mean() : gate_.limit;
    GatePlace judged;
    if (growth > limit) {
      const double doubt = (1 - DecisionOptions{}.confidence) / static_cast<double>(of_places);
      judged = Judge(base, now, {WhatOf(name), WhatOf(other_name)}, 1 - doubt);
    } else {
      const double share = base.Mean() > 0 ? growth / base.Mean() : 0;
      judged.value = judged.low = InUnit(share, base.Mean(), growth);
      judged.change = growth;
    }
    judged.where = name;
    judged.now = other_name;
    if (judged.state != State::kHolds) {
      result_.places.push_back(std::move(judged));
    } else if (!result_.value || judged.value > *result_.value) {
      Apply(judged);
    }
  }

  // The worst place is what the gate as a whole has to say.
  void JudgeByPlaces() {
    if (result_.places.empty()) return;
    auto badness = [](const GatePlace& place) {
      const int state = place.state == State::kFails ? 0 : place.state == State::kUndecided ? 1 : 2;
      return std::pair(state, -place.value);
    };
    std::stable_sort(
        result_.places.begin(), result_.places.end(),
        [&](const GatePlace& a, const GatePlace& b) { return badness(a) < badness(b); });
    Apply(result_.places.front());
  }

  void NothingFits() {
    NoData("no " + std::string(NameOf(gate_.place)) + " of either side fits '" + gate_.pattern +
           "'");
  }

  void CheckPlaces() {
    const std::vector<PlaceGroup> groups = Groups();
    if (groups.empty()) return NothingFits();
    for (const PlaceGroup& group : groups) {
      LookAtPlace(group.name, group.OtherName(), DeviceTimeOf(*c_.base, group.base),
                  DeviceTimeOf(*c_.now, group.now), groups.size());
    }
    JudgeByPlaces();
  }

  void CheckNamedRanges() {
    std::set<std::string> names;
    for (const Side* side : {c_.base, c_.now}) {
      for (std::string& name : side->RangeNames()) {
        if (MatchesGlob(gate_.pattern, name)) names.insert(std::move(name));
      }
    }
    if (names.empty()) return NothingFits();
    const std::vector<std::string> now_names = c_.now->RangeNames();
    const bool are_gone = std::none_of(names.begin(), names.end(), [&](const std::string& name) {
      return std::binary_search(now_names.begin(), now_names.end(), name);
    });
    // Whether that is not done any more, or has another name, nobody knows.
    if (are_gone) return NoData("no range of the new side fits '" + gate_.pattern + "'");
    for (const std::string& name : names) {
      LookAtPlace(name, "", c_.base->RangeTime(name), c_.now->RangeTime(name), names.size());
    }
    JudgeByPlaces();
  }

  const Comparison& c_;
  const Gate& gate_;
  const CompareOptions& options_;
  GateResult result_;
};

}  // namespace

GateResult CheckGate(const Comparison& comparison, const Gate& gate,
                     const CompareOptions& options) {
  return GateChecker(comparison, gate, options).Check();
}

std::vector<AcceptedChange> AcceptancesOf(const GateResult& result, const AcceptedChange& how) {
  std::vector<AcceptedChange> changes;
  auto add = [&](std::string what, double value, double change, std::optional<double> base) {
    AcceptedChange& accepted = changes.emplace_back(how);
    accepted.what = std::move(what);
    accepted.base = base;
    accepted.change = value;
    accepted.unit = result.gate.unit;
    if (std::isfinite(value)) return;
    accepted.change = change;  // A share of nothing is no number.
    accepted.unit = AbsoluteUnitOf(result.gate.what);
  };
  if (result.places.empty() && result.state == State::kFails) {
    // Kernels under another name have no base; a place has one, be it 0 where the place is new.
    const std::optional<double> base = result.base > 0 ? std::optional(result.base) : std::nullopt;
    add(result.gate.subject, result.value.value_or(0), result.change, base);
  }
  for (const GatePlace& place : result.places) {
    if (place.state != State::kFails) continue;
    add(std::string(NameOf(result.gate.place)) + ":" + place.where, place.value, place.change,
        place.base);
  }
  return changes;
}

}  // namespace xsp
