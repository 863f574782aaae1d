#include "diff/gates/gate_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/glob.h"
#include "model/names/kernel_names.h"

namespace xsp {
namespace {

using State = GateResult::State;

// Places that count as one for a gate, on both sides.
struct PlaceGroup {
  std::string name;
  std::vector<std::uint32_t> pairs;
};

Series MemoryOf(const Side& side) {
  Series samples;
  for (const Run& run : side.runs()) {
    if (run.peak_memory) samples.runs.push_back({static_cast<double>(*run.peak_memory)});
  }
  return samples;
}

class GateChecker {
 public:
  GateChecker(const Comparison& c, const Gate& gate, const CompareOptions& options)
      : c_(c), gate_(gate), options_(options) {
    result_.gate = gate;
  }

  GateResult Check() {
    switch (gate_.what) {
      case Subject::kKernelsAdded:
        CheckNumber(c_.kernels.added);
        break;
      case Subject::kKernelsRemoved:
        CheckNumber(c_.kernels.removed);
        break;
      case Subject::kKernelsRenamed:
        CheckNumber(c_.kernels.renamed);
        break;
      case Subject::kPlace:
        CheckPlaces();
        break;
      default:
        CheckFigure();
    }
    return std::move(result_);
  }

 private:
  // A number that has no noise.
  void CheckNumber(double number) {
    const double limit = LimitWith(Accepted(gate_.subject), 0);
    Set(number, number, number > gate_.limit, number > limit);
  }

  std::optional<AcceptedChange> Accepted(const std::string& what) const {
    Policy policy;
    policy.accepted = options_.accepted;
    const AcceptedChange* change = FindAccepted(policy, what, options_.today);
    return change == nullptr ? std::nullopt : std::optional(*change);
  }

  // The limit with what was accepted on top, in the limit's unit; `base` is the value before.
  double LimitWith(const std::optional<AcceptedChange>& accepted, double base) {
    if (!accepted) return gate_.limit;
    result_.accepted = accepted;
    const bool is_share = accepted->unit == LimitUnit::kShare;
    if (gate_.unit != LimitUnit::kShare) {
      return gate_.limit + (is_share ? accepted->change * base : accepted->change);
    }
    const double share = is_share ? accepted->change : base > 0 ? accepted->change / base : 0;
    return (1 + gate_.limit) * (1 + share) - 1;
  }

  void Set(double value, double low, bool beyond, bool beyond_accepted) {
    result_.value = value;
    result_.low = low;
    result_.state = beyond_accepted ? State::kFails : beyond ? State::kAccepted : State::kHolds;
    if (!beyond) result_.accepted.reset();  // It was not needed.
  }

  // A growth in the unit of the limit.
  double InUnit(double growth, double base, double change) const {
    return gate_.unit == LimitUnit::kShare ? growth : std::isinf(growth) ? change : growth * base;
  }

  struct Judged {
    double value = 0;
    double low = 0;
    bool beyond = false;           // The limit,
    bool beyond_accepted = false;  // and what was accepted on top of it.
    bool unknown = false;
    std::string why;
    std::optional<AcceptedChange> accepted;
  };

  DecisionOptions Decision(double base, double confidence) const {
    DecisionOptions decision;
    decision.noise = options_.noise;
    const double limit = gate_.unit == LimitUnit::kShare ? gate_.limit
                         : base > 0                      ? gate_.limit / base
                                                         : 0;
    decision.matters = std::max(options_.noise, limit);
    decision.confidence = confidence;
    return decision;
  }

  // Times have noise; numbers of things and bytes have what their values show, and no more.
  bool HasNoise() const { return AbsoluteUnitOf(gate_.what) == LimitUnit::kNanoseconds; }

  Judged Judge(const Series& base, const Series& now, const std::string& what, double confidence) {
    const Estimate e = EstimateChange(base, now, Decision(base.Mean(), confidence));
    const bool by_median = gate_.what == Subject::kStepMedian;
    double growth = e.growth();
    double change = e.change();
    if (by_median && e.base_median > 0) {
      growth = e.now_median / e.base_median - 1;
      change = e.now_median - e.base_median;
    }
    Judged judged;
    judged.value = InUnit(growth, e.base, change);
    judged.low = InUnit(std::min(growth, e.low_growth()), e.base, change);
    judged.accepted = Accepted(what);
    const double with_accepted = LimitWith(judged.accepted, e.base);
    result_.accepted.reset();
    auto exceeds = [&](double limit) {
      if (options_.strict) return judged.value > limit;
      if (!HasNoise()) return judged.low > limit;
      const double noise = InUnit(options_.noise, e.base, 0);
      const double at_least = e.interval ? limit : std::max(limit, noise);
      return e.verdict == Verdict::kRegression && judged.low > at_least;
    };
    judged.beyond = exceeds(gate_.limit);
    judged.beyond_accepted = exceeds(with_accepted);
    judged.unknown = !options_.strict && HasNoise() && e.verdict == Verdict::kCannotTell;
    if (judged.unknown) {
      judged.why = "changes below " + Percent(e.resolution) + " cannot be told from noise";
    }
    return judged;
  }

  static std::string Percent(double share) {
    std::string text = std::to_string(std::round(share * 1000) / 10);
    return text.substr(0, text.find('.') + 2) + " %";
  }

  void NoData(const std::string& why) {
    result_.state = State::kNoData;
    result_.why = why;
  }

  bool HasCalls() const {
    auto has = [](const Side& side) {
      return std::all_of(side.runs().begin(), side.runs().end(),
                         [](const Run& run) { return run.facts.has_calls; });
    };
    return has(*c_.base) && has(*c_.now);
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
        return both(MemoryOf);
      default:
        return both([](const Side& side) { return side.UnitTime(); });
    }
  }

  bool NeedsCalls() const {
    return gate_.what == Subject::kHost || gate_.what == Subject::kLaunch ||
           gate_.what == Subject::kSync || gate_.what == Subject::kLaunches ||
           gate_.what == Subject::kSyncs;
  }

  void CheckFigure() {
    if (NeedsCalls() && !HasCalls()) {
      NoData("CUDA calls were not recorded on both sides");
      return;
    }
    const auto [base, now] = Figure();
    if (base.count() == 0 || now.count() == 0) {
      NoData(
          "allocations of memory were not recorded on both sides: record with nsys profile "
          "--cuda-memory-usage=true, or torch.profiler.profile(profile_memory=True)");
      return;
    }
    const Judged judged = Judge(base, now, gate_.subject, DecisionOptions{}.confidence);
    Apply(judged);
    if (gate_.what == Subject::kStep && c_.is_step) LookAtOutliers();
  }

  // A limit on the step that only holds because some steps do not count is no pass.
  void LookAtOutliers() {
    const double base = c_.base->WarmMean(), change = c_.now->WarmMean() - base;
    if (result_.state != State::kHolds || base <= 0) return;
    const double value = InUnit(change / base, base, change);
    if (value <= gate_.limit || result_.value > gate_.limit) return;
    result_.state = State::kUnknown;
    result_.why = "with the outliers among the steps it grows by " + Percent(change / base);
  }

  void Apply(const Judged& judged) {
    result_.accepted = judged.accepted;
    Set(judged.value, judged.low, judged.beyond, judged.beyond_accepted);
    if (judged.unknown && !judged.beyond) {
      result_.state = State::kUnknown;
      result_.why = judged.why;
    }
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
    }
    return false;
  }

  // The places that the gate speaks of: ranges one by one, kernels by name and class wherever they
  // run.
  std::vector<PlaceGroup> Groups() const {
    std::map<std::string, std::vector<std::uint32_t>> groups;
    for (std::uint32_t i = 1; i < c_.matching.pairs.size(); ++i) {
      const RunPlace& place = c_.Place(i);
      if (!IsMeant(place)) continue;
      std::string name = c_.Path(i);
      if (gate_.place == PlaceKind::kClass) name = NameOf(place.kernel_class);
      if (gate_.place == PlaceKind::kKernel) name = ShortKernelName(place.name);
      if (!MatchesGlob(gate_.pattern, name) && !MatchesGlob(gate_.pattern, place.name)) continue;
      groups[std::move(name)].push_back(i);
    }
    std::vector<PlaceGroup> list;
    for (auto& [name, pairs] : groups) list.push_back({name, std::move(pairs)});
    return list;
  }

  std::pair<Series, Series> SeriesOf(const PlaceGroup& group) const {
    Series base = c_.base->Zeros();
    Series now = c_.now->Zeros();
    for (std::uint32_t i : group.pairs) {
      const PlacePair& pair = c_.matching.pairs[i];
      if (pair.base != RunPlace::kNone) base += c_.base->DeviceTime(pair.base);
      if (pair.now != RunPlace::kNone) now += c_.now->DeviceTime(pair.now);
    }
    return {std::move(base), std::move(now)};
  }

  // How bad a place is: one that fails, then one that cannot be told, then the one that grew most.
  static std::tuple<bool, bool, bool, double> Badness(const Judged& judged) {
    return {judged.beyond_accepted, judged.unknown, judged.beyond, judged.value};
  }

  void CheckPlaces() {
    const std::vector<PlaceGroup> groups = Groups();
    if (groups.empty()) {
      NoData("no " + std::string(NameOf(gate_.place)) + " of either side fits '" + gate_.pattern +
             "'");
      return;
    }
    const double confidence =
        1 - (1 - DecisionOptions{}.confidence) / static_cast<double>(groups.size());
    std::optional<Judged> worst;
    for (const PlaceGroup& group : groups) {
      const auto [base, now] = SeriesOf(group);
      const double growth = now.Mean() - base.Mean();
      const double limit =
          gate_.unit == LimitUnit::kShare ? gate_.limit * base.Mean() : gate_.limit;
      Judged judged;
      if (growth > limit) {
        judged = Judge(base, now, std::string(NameOf(gate_.place)) + ":" + group.name, confidence);
      } else {  // The estimate is within the limit, so the interval cannot be beyond it.
        const double share = base.Mean() > 0 ? growth / base.Mean() : 0;
        judged.value = judged.low = InUnit(share, base.Mean(), growth);
      }
      if (worst && Badness(judged) <= Badness(*worst)) continue;
      worst = judged;
      result_.where = group.name;
    }
    Apply(*worst);
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

AcceptedChange AcceptanceOf(const GateResult& result, const std::string& reason,
                            const std::string& today, const std::optional<std::string>& until) {
  AcceptedChange change;
  change.what = result.gate.what == Subject::kPlace
                    ? std::string(NameOf(result.gate.place)) + ":" + result.where
                    : result.gate.subject;
  change.change = result.value.value_or(0);
  change.unit = result.gate.unit;
  change.reason = reason;
  change.recorded = today;
  change.until = until;
  return change;
}

}  // namespace xsp
