#include "report/diff/diff_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/names/kernel_names.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

using State = GateResult::State;

constexpr const char* kMinus = "−";

// "1,221" for a mean count; "1.5" where it is no whole number.
std::string CountWords(double count) {
  const double whole = std::round(count);
  if (std::abs(count - whole) < 0.05) return FormatCount(static_cast<std::int64_t>(whole));
  return FormatNumber(count, 1);
}

std::string Plural(double count, const std::string& word) {
  return CountWords(count) + " " + word + (std::abs(count - 1) < 0.05 ? "" : "s");
}

std::string Signed(std::string number) {
  if (number.starts_with('-')) return kMinus + number.substr(1);
  const bool is_zero = number.find_first_not_of("0.") == std::string::npos;
  return is_zero ? "±" + number : "+" + number;
}

std::string GridWords(const LaunchShape& shape) {
  auto three = [](const std::array<std::uint32_t, 3>& v) {
    return fmt::format("{}×{}×{}", v[0], v[1], v[2]);
  };
  return "grid " + three(shape.grid) + " block " + three(shape.block);
}

// Both names of a kernel that goes by another one now.
void AddNames(const Comparison& c, std::uint32_t pair, Reason& reason) {
  const PlacePair& of = c.matching.pairs[pair];
  if (!of.IsMatch()) return;
  const std::string before = ShortKernelName(c.base->places()[of.base].name);
  const std::string after = ShortKernelName(c.now->places()[of.now].name);
  if (before != after) reason.from.emplace_back(before, after);
}

// What changed in the largest kernel of a group.
void AddLargest(const Comparison& c, const GroupFacts& facts, Reason& reason) {
  if (facts.largest == Contribution::kNoPair) return;
  const PlacePair& pair = c.matching.pairs[facts.largest];
  if (!pair.IsMatch()) return;
  const RunPlace& base = c.base->places()[pair.base];
  const RunPlace& now = c.now->places()[pair.now];
  auto add = [&](const std::string& words) {
    reason.words += (reason.words.empty() ? "" : ", ") + words;
  };
  const bool other_precision = base.precision != now.precision &&
                               base.precision != Precision::kUnknown &&
                               now.precision != Precision::kUnknown;
  if (other_precision) {
    add(std::string(NameOf(base.precision)) + " → " + std::string(NameOf(now.precision)));
  }
  if (std::abs(facts.base_count - facts.now_count) >= 0.5) {
    add(CountWords(facts.base_count) + " → " + CountWords(facts.now_count) + " launches");
  } else if (base.shape.known() && now.shape.known() && base.shape != now.shape) {
    add(base.shape.block != now.shape.block ? "other block size" : "other grid");
  }
  if (pair.how == MatchKind::kRenamed || pair.how == MatchKind::kReplaced) {
    if (!other_precision) add(pair.how == MatchKind::kReplaced ? "another kernel" : "renamed");
    AddNames(c, facts.largest, reason);
  }
}

// Device work: what was done to it, or how its time changed.
Reason WhyOnDevice(const Comparison& c, const ContributionGroup& group, const GroupFacts& facts) {
  Reason reason;
  const std::string things = group.kind == CostKind::kCopy ? "cop" : "kernel";
  auto many = [&](std::uint32_t n) {
    if (things == "cop") return n == 1 ? std::string("copy") : std::string("copies");
    return n == 1 ? things : things + "s";
  };
  if (facts.added == facts.places) {
    reason.words = "new: " + CountWords(facts.now_count) + " " +
                   many(static_cast<std::uint32_t>(std::lround(facts.now_count)));
    return reason;
  }
  if (facts.removed == facts.places) {
    reason.words = "gone: " + CountWords(facts.base_count) + " " +
                   many(static_cast<std::uint32_t>(std::lround(facts.base_count)));
    return reason;
  }
  AddLargest(c, facts, reason);
  const double device_change = facts.now_device - facts.base_device;
  const double path_change = static_cast<double>(group.delta);
  auto add = [&](const std::string& words) {
    reason.words += (reason.words.empty() ? "" : ", ") + words;
  };
  if (std::abs(device_change) < 0.3 * std::abs(path_change)) {
    add(path_change > 0 ? "takes as long, but is waited for now"
                        : "takes as long, but is hidden now");
  } else if (facts.base_device > 0 && facts.now_device > 0) {
    const double ratio = facts.now_device / facts.base_device;
    add(FormatNumber(ratio, ratio < 0.1 ? 3 : 2) + "× the time");
  }
  if (facts.added > 0) add(Plural(facts.added, "new kernel"));
  if (facts.removed > 0) add(Plural(facts.removed, "kernel") + " gone");
  return reason;
}

Reason WhyOnHost(const ContributionGroup& group, const GroupFacts& facts) {
  Reason reason;
  const bool other_count = std::abs(facts.base_count - facts.now_count) >= 0.5;
  const std::string counts =
      CountWords(facts.base_count) + " → " + Plural(facts.now_count, "operation");
  switch (group.kind) {
    case CostKind::kLaunch:
    case CostKind::kIdle:
      if (other_count) reason.words = counts;
      break;
    case CostKind::kOneTime:
      break;  // Which calls there are says nothing of what came only once.
    default:
      if (std::abs(facts.call_change) >= 0.5) {
        reason.words = Signed(CountWords(facts.call_change));
        reason.name = facts.call;
      }
  }
  return reason;
}

// "+12.0 %"; of several places: "20 places, up to +12.0 %".
std::string WorstWords(const GateResult& gate) {
  const std::size_t failing = gate.CountPlaces(State::kFails);
  const std::string value = ValueWords(gate);
  if (failing < 2) return value;
  const bool has_new = std::isinf(gate.value.value_or(0));
  return Plural(static_cast<double>(failing), "place") +
         (has_new ? ", some of them new" : ", up to " + value);
}

}  // namespace

std::string Reason::Plain() const {
  std::string text = words;
  if (!name.empty()) text += (text.empty() ? "" : " ") + name;
  for (const auto& [before, after] : from) {
    text += (text.empty() ? "" : ": ") + before + " → " + after;
  }
  return text;
}

Reason WhyOf(const Comparison& c, const ContributionGroup& group) {
  if (group.delta == 0) return {};
  const bool is_certain = group.significant || !c.unit.interval;
  const double noise = c.unit.floor * c.unit.base;
  if (!is_certain && static_cast<double>(std::abs(group.delta)) <= noise) {
    return {"within noise", "", {}};
  }
  const GroupFacts facts = FactsOf(c, group);
  Reason reason =
      group.kind <= CostKind::kCopy ? WhyOnDevice(c, group, facts) : WhyOnHost(group, facts);
  // Larger than the unit's noise, though its own values scatter too much, or are too few, for
  // proof.
  if (!is_certain) reason.words += std::string(reason.words.empty() ? "" : ", ") + "not certain";
  return reason;
}

std::string UnitWords(const Comparison& c) { return c.is_step ? "step" : "GPU span"; }

std::string GrowthWords(double growth) {
  if (std::isinf(growth)) return "new";
  const double percent = 100 * growth;
  const int decimals = std::abs(percent) >= 100 ? 0 : std::abs(percent) < 0.095 ? 2 : 1;
  if (percent == 0) return "±0 %";
  return Signed(FormatNumber(percent, decimals)) + " %";
}

std::string SignedIn(DurationNs delta, TimeUnit unit, int decimals) {
  return Signed(FormatIn(delta, unit, decimals));
}

std::string ChangeWords(const Comparison& c) {
  const TimeUnit unit = FittingTimeUnit(std::max(c.base_ns(), c.now_ns()));
  const double per = static_cast<double>(NanosecondsPer(unit));
  const int decimals = FittingDecimals(std::max(c.unit.base, c.unit.now) / per);
  return UnitWords(c) + " " + GrowthWords(c.unit.growth()) + " (" +
         FormatIn(c.base_ns(), unit, decimals) + " → " + FormatIn(c.now_ns(), unit, decimals) +
         " " + std::string(NameOf(unit)) + ")";
}

std::string VerdictWords(const Comparison& c) {
  std::string words = ChangeWords(c);
  switch (c.verdict) {
    case Verdict::kRegression:
      words += ", slower";
      break;
    case Verdict::kImprovement:
      words += ", faster";
      break;
    case Verdict::kSame:
      words += c.unit.identical && c.base_ns() == c.now_ns() ? ", unchanged"
                                                             : ", no change beyond noise";
      break;
    case Verdict::kCannotTell:
      words += ", cannot tell";
      break;
  }
  if (c.accepted) words += ", accepted (" + c.accepted->reason + ")";
  return words;
}

std::string HeadlineWords(const Comparison& c) {
  // What is said of the unit stands beside its change; then all that keeps the limits from holding.
  std::string words = VerdictWords(c);
  std::string others;
  for (const GateResult& gate : c.gates) {
    const std::string limit = LimitLine(gate.gate);
    if (gate.state == State::kFails && IsOfUnit(gate.gate)) {
      words += ", limit " + LimitWords(gate.gate);
    } else if (gate.state == State::kFails) {
      others += "; beyond " + limit + " (" + WorstWords(gate) + ")";
    } else if (gate.state == State::kUndecided) {
      others += "; undecided: " + limit;
    } else if (gate.state == State::kNoData) {
      others += "; no data for " + limit;
    }
  }
  if (c.refused && !c.gates.empty()) others = "; not comparable: no limit is judged";
  return words + others;
}

std::string KindWords(CostKind kind) {
  switch (kind) {
    case CostKind::kDevice:
      return "on the GPU";
    case CostKind::kCommunication:
      return "exposed communication";
    case CostKind::kCopy:
      return "copies";
    case CostKind::kLaunch:
      return "launching";
    case CostKind::kSync:
      return "sync waits";
    case CostKind::kHost:
      return "host";
    case CostKind::kOneTime:
      return "one-time costs";
    case CostKind::kIdle:
      return "gaps between kernels";
    case CostKind::kResidual:
      return "simulation error";
  }
  return "";
}

std::string LimitLine(const Gate& gate) { return gate.subject + " ≤ " + LimitWords(gate); }

std::string ValueWords(const Gate& gate, double value) {
  if (std::isinf(value)) return "new";
  switch (gate.unit) {
    case LimitUnit::kShare:
      return GrowthWords(value);
    case LimitUnit::kNanoseconds:
      return Signed(FormatDuration(std::llround(value)));
    case LimitUnit::kBytes: {
      const std::string bytes = FormatBytes(static_cast<std::uint64_t>(std::abs(value)));
      return (value < 0 ? kMinus : "+") + bytes;
    }
    case LimitUnit::kCount:
      return Signed(CountWords(value));
  }
  return "";
}

std::string ValueWords(const GateResult& result) {
  return result.value ? ValueWords(result.gate, *result.value) : "";
}

std::string RemarkOf(const GatePlace& place) {
  switch (place.state) {
    case State::kUndecided:
      return "undecided: " + place.why;
    case State::kNoData:
      return "not in the traces: " + place.why;
    case State::kNotJudged:
      return "not judged: " + place.why;
    case State::kAccepted:
      return "accepted " + place.accepted->recorded +
             (place.accepted->until ? " until " + *place.accepted->until : "") + ": " +
             place.accepted->reason;
    default:
      return "";
  }
}

std::string RemarkOf(const GateResult& result) {
  GatePlace whole;
  whole.state = result.state;
  whole.accepted = result.accepted;
  whole.why = result.why;
  return RemarkOf(whole);
}

std::string PlaceWords(const GateResult& result, const GatePlace& place) {
  const std::string remark = RemarkOf(place);
  return place.Name() + ": " + ValueWords(result.gate, place.value) +
         (remark.empty() ? "" : ", " + remark);
}

std::string GateWords(const GateResult& result) {
  std::string words = LimitLine(result.gate);
  if (result.places.empty()) {
    const std::string value = ValueWords(result), remark = RemarkOf(result);
    words += value.empty() ? "" : ": " + value;
    return words + (remark.empty() ? "" : ", " + remark);
  }
  words += ":";
  const char* comma = "";
  for (State state : {State::kFails, State::kUndecided, State::kAccepted}) {
    const std::size_t count = result.CountPlaces(state);
    if (count == 0) continue;
    words += comma + (" " + Plural(static_cast<double>(count), "place") + " " +
                      (state == State::kFails ? "beyond it" : std::string(NameOf(state))));
    comma = ",";
  }
  return words;
}

std::string OutcomeWords(const Comparison& c, const OutcomeOptions& options) {
  const Outcome outcome = OutcomeOf(c, options);
  if (outcome == Outcome::kHolds) return "";
  if (outcome == Outcome::kNotComparable) return "not comparable: " + c.reasons.front();
  std::string words;
  for (const GateResult& gate : c.gates) {
    const bool told = outcome == Outcome::kFailed
                          ? gate.state == State::kFails
                          : gate.state == State::kUndecided || gate.state == State::kNoData;
    if (told) words += (words.empty() ? "" : "; ") + GateWords(gate);
  }
  return (outcome == Outcome::kFailed ? "limit exceeded: " : "limit not checked: ") + words;
}

std::string KernelWords(const Comparison& c) {
  std::string inside;
  if (c.kernels.renamed > 0) inside += FormatCount(c.kernels.renamed) + " renamed";
  if (c.kernels.moved > 0) {
    inside += (inside.empty() ? "" : ", ") + FormatCount(c.kernels.moved) + " moved";
  }
  return FormatCount(c.kernels.matched) + " matched" + (inside.empty() ? "" : " (" + inside + ")") +
         ", " + FormatCount(c.kernels.added) + " added, " + FormatCount(c.kernels.removed) +
         " removed";
}

std::string ChangeDetails(const Comparison& c, const Change& change) {
  const PlacePair& pair = c.matching.pairs[change.pair];
  auto counts = [&](std::uint32_t place, const Side& side) {
    return CountWords(side.MeanCount(place));
  };
  switch (change.kind) {
    case ChangeKind::kAdded:
      return counts(pair.now, *c.now) + " in a " + (c.is_step ? "step" : "run");
    case ChangeKind::kRemoved:
      return counts(pair.base, *c.base) + " in a " + (c.is_step ? "step" : "run");
    case ChangeKind::kRenamed:
    case ChangeKind::kReplaced:
      return "";
    case ChangeKind::kMoved:
      return "";
    case ChangeKind::kCount:
      return counts(pair.base, *c.base) + " → " + counts(pair.now, *c.now);
    case ChangeKind::kShape:
      return GridWords(c.base->places()[pair.base].shape) + " → " +
             GridWords(c.now->places()[pair.now].shape);
    case ChangeKind::kPrecision:
      return std::string(NameOf(c.base->places()[pair.base].precision)) + " → " +
             std::string(NameOf(c.now->places()[pair.now].precision));
  }
  return "";
}

std::string ChangeGroupDetails(const Comparison& c, const ChangeGroup& group) {
  const bool was_added = group.change.kind == ChangeKind::kAdded;
  if (!was_added && group.change.kind != ChangeKind::kRemoved) {
    return ChangeDetails(c, group.change);
  }
  std::string words = CountWords(was_added ? group.now_count : group.base_count) + " in a " +
                      (c.is_step ? "step" : "run");
  if (group.below > 0) words += ", with " + Plural(group.below, "place") + " in it";
  return words;
}

}  // namespace xsp
