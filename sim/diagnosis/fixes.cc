#include "sim/diagnosis/fixes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <string_view>

#include "base/text.h"
#include "base/workers.h"
#include "model/duration.h"
#include "sim/diagnosis/advise.h"
#include "sim/diagnosis/diagnosis_words.h"
#include "sim/whatifs/all.h"
#include "sim/whatifs/host/copies.h"

namespace xsp {
namespace {

constexpr std::size_t kMostFixes = 3;
constexpr std::size_t kMostNotWorth = 3;
constexpr double kWorthIt = 0.03;      // Of the unit's time.
constexpr double kOnTop = 0.02;        // What one more must gain beside those before it.
constexpr std::size_t kFewLines = 40;  // Columns that a change may take.
// Tasks that are simulated, over all forecasts; and forecasts that are made in any case.
constexpr std::uint64_t kMostWork = 4'000'000;
constexpr std::size_t kLeastTried = 2;

// What is tried first where there is no time for all, by what the unit waits for.
struct Suited {
  Resource what;
  std::array<std::string_view, 6> whatifs;
};
constexpr Suited kSuited[] = {
    {Resource::kGpu, {"tf32", "amp", "fuse", "fill-gpu", "attention", "fused-optimizer"}},
    {Resource::kHost, {"cuda-graphs", "no-sync", "read-every", "merge-kernels", "fuse"}},
    {Resource::kLaunches, {"cuda-graphs", "merge-kernels", "fuse", "no-sync"}},
    {Resource::kCommunication, {"buckets", "amp"}},
    {Resource::kInput, {"loader", "prefetch", "pinned"}},
    {Resource::kCopies, {"keep-on-device", "pinned", "prefetch", "larger-copies"}},
    {Resource::kAllocation, {"allocate-once", "no-sync"}},
    {Resource::kOneTime, {"allocate-once", "pinned"}},
};

// Something that was tried, alone.
struct Tried {
  ChosenWhatIf chosen;
  Forecast forecast;
  std::string name, change;

  double Gain() const { return 1 - 1 / forecast.Speedup(); }
  const WhatIf& whatif() const { return *chosen.whatif; }
};

std::vector<const WhatIf*> ToTry(const Workbench& workbench, Resource what) {
  std::vector<const WhatIf*> all;
  for (const WhatIf* whatif : AllWhatIfs()) {
    if (whatif->is_advice) all.push_back(whatif);
  }
  const std::uint64_t tasks = std::max<std::uint64_t>(1, workbench.graph().task_count());
  const std::size_t most = std::max<std::uint64_t>(kLeastTried, kMostWork / tasks);
  if (all.size() <= most) return all;
  std::vector<const WhatIf*> some;
  for (const Suited& suited : kSuited) {
    if (suited.what != what) continue;
    for (std::string_view name : suited.whatifs) {
      const WhatIf* whatif = FindWhatIf(name);
      if (whatif != nullptr && whatif->is_advice) some.push_back(whatif);
    }
  }
  if (some.size() > most) some.resize(most);
  return some;
}

// The format that mixed precision takes here: other GPUs get other code.
void NameFormat(const Forecast& forecast, Tried& tried) {
  if (tried.chosen.whatif != &kAmp) return;
  const bool is_half = std::any_of(
      forecast.changes.begin(), forecast.changes.end(), [](const PlannedChange& change) {
        return change.what.find(NameOf(Precision::kFp16)) != std::string::npos;
      });
  tried.name = NameOf(is_half ? Precision::kFp16 : Precision::kBf16);
  if (!is_half) return;
  for (const auto& [from, to] : {std::pair("bfloat16", "float16"), std::pair("bf16", "fp16")}) {
    const std::size_t at = tried.change.find(from);
    if (at != std::string::npos) tried.change.replace(at, std::string_view(from).size(), to);
  }
}

// Copies of a few values come from no loader: who makes them is the place to look at.
void NameSmallCopies(const Forecast& forecast, bool is_torch, Tried& tried) {
  if (tried.chosen.whatif != &kPinned || forecast.changes.empty()) return;
  const std::string& what = forecast.changes.front().what;
  if (!what.starts_with(kSmallCopies)) return;
  tried.name = "async small copies";
  tried.change = what.substr(kSmallCopies.size()) +
                 (is_torch ? ": .to(non_blocking=True)" : ": cudaMemcpyAsync, pinned");
}

std::vector<Tried> TryAll(const Workbench& workbench, Resource what, bool is_torch) {
  std::vector<Tried> all;
  for (const WhatIf* whatif : ToTry(workbench, what)) {
    const WhatToChange& change = whatif->change;
    if (!is_torch && change.cuda.empty()) continue;
    Tried tried;
    tried.chosen = {whatif, WhatIfValues(whatif->name, whatif->options, "")};
    tried.name = change.brief.empty() ? whatif->title : change.brief;
    tried.change = is_torch ? change.torch : change.cuda;
    all.push_back(std::move(tried));
  }
  // One after the other where graphs are large: each forecast holds one of its own.
  const bool is_large = workbench.graph().task_count() > kMostTasksAtFirstLook;
  ForEachOnThreads(all.size(), is_large ? 1 : 0, [&](std::size_t i, unsigned) {
    all[i].forecast = workbench.Run({&all[i].chosen, 1});
    NameFormat(all[i].forecast, all[i]);
    NameSmallCopies(all[i].forecast, is_torch, all[i]);
  });
  return all;
}

// Gains enough, and the smaller a gain, the less may it be a loss: a large one is worth a try.
bool IsWorthIt(const Tried& tried) {
  constexpr double kSmall = 0.1, kLarge = 0.25;
  if (!tried.forecast.applies || tried.Gain() < kWorthIt) return false;
  if (tried.forecast.trust.level == TrustLevel::kLow) return false;
  const double low = tried.forecast.SpeedupAt(tried.forecast.slow_if_loader_keeps_up);
  return low > (tried.Gain() >= kLarge ? 0.85 : tried.Gain() >= kSmall ? 0.97 : 1);
}

// Most of what it gains happens only once: whether another call does that then, no trace tells.
bool GainsOnce(const Forecast& forecast) {
  const auto once = [](const std::vector<Limit>& limits) {
    DurationNs ns = 0;
    for (const Limit& limit : limits) ns += limit.kind == PathKind::kOneTime ? limit.ns : 0;
    return ns;
  };
  const DurationNs gained = once(forecast.limits_before) - once(forecast.limits_after);
  return 2 * gained > forecast.measured - forecast.forecast;
}

// Two ways to do the same: one is chosen, never both.
bool AreAlternatives(const WhatIf& a, const WhatIf& b) {
  return TurnOf(a) == Turn::kPrecision && TurnOf(b) == Turn::kPrecision;
}

std::string ThenWords(const Forecast& forecast, Resource before) {
  const Resource after = WaitsFor(forecast.limits_after);
  if (after == before || after == Resource::kUnknown || after == Resource::kOneTime) return "";
  std::string label(LabelOf(after));
  if (!label.starts_with("GPU")) label[0] = static_cast<char>(label[0] | 0x20);
  return "then " + label;
}

void SetTimes(const Forecast& forecast, Resource before, Fix& fix) {
  fix.before = forecast.measured;
  fix.after = forecast.forecast;
  fix.speedup = forecast.Speedup();
  fix.speedup_low = forecast.SpeedupAt(forecast.slow_if_loader_keeps_up);
  fix.speedup_high = forecast.SpeedupHigh();
  fix.then = ThenWords(forecast, before);
}

// What another one does better is not offered.
void LeaveOutBetterDone(std::vector<Tried>& tried) {
  const auto of = [&](const WhatIf& whatif) {
    return std::find_if(tried.begin(), tried.end(),
                        [&](const Tried& one) { return one.chosen.whatif == &whatif; });
  };
  const auto every = of(kReadEvery), none = of(kNoSync);
  if (every == tried.end() || none == tried.end()) return;
  if (ReadingLessOftenWillDo(every->forecast, none->forecast)) tried.erase(none);
}

// Builds the list: alternatives stand by themselves; what gains on top of the best of those before
// it says so; what fixes the same time as one of them is left out.
class Chooser {
 public:
  Chooser(const Workbench& workbench, Resource before) : workbench_(workbench), before_(before) {}

  void Offer(const Tried& tried) {
    if (fixes_.empty()) return Take(tried);
    const std::size_t base = BestBaseFor(tried);
    if (base == fixes_.size()) {
      if (fixes_.size() < kMostFixes) Take(tried);
      return;
    }
    const Fix& on = fixes_[base];
    std::vector<ChosenWhatIf> together = on.with_chosen;
    together.insert(together.end(), on.chosen.begin(), on.chosen.end());
    const std::vector<ChosenWhatIf> below = together;
    together.push_back(tried.chosen);
    const Forecast forecast = workbench_.Run(together);
    if (forecast.trust.level == TrustLevel::kLow) return;
    if (forecast.Speedup() < on.speedup * (1 + kOnTop)) return;
    const bool joins_last =
        fixes_.size() == kMostFixes && base + 1 == kMostFixes && !on.with.empty();
    if (joins_last) return Join(tried, forecast);
    if (fixes_.size() == kMostFixes) return;
    Fix fix = Named(tried);
    fix.with = on.with.empty() ? on.name : on.with + ", " + on.name;
    fix.with_chosen = below;
    SetTimes(forecast, before_, fix);
    fixes_.push_back(std::move(fix));
  }

  std::vector<Fix> Result() { return std::move(fixes_); }

 private:
  static Fix Named(const Tried& tried) {
    Fix fix;
    fix.chosen = {tried.chosen};
    fix.name = tried.name;
    fix.change = tried.change;
    fix.effort = tried.whatif().effort;
    return fix;
  }

  void Take(const Tried& tried) {
    Fix fix = Named(tried);
    SetTimes(tried.forecast, before_, fix);
    fixes_.push_back(std::move(fix));
  }

  // The last line takes up all that gains something more.
  void Join(const Tried& tried, const Forecast& forecast) {
    Fix& last = fixes_.back();
    last.chosen.push_back(tried.chosen);
    last.name += " and " + tried.name;
    last.effort = std::max(last.effort, tried.whatif().effort);
    const std::string both = last.change + ", " + tried.change;
    last.change = both.size() <= kFewLines ? both : "";
    SetTimes(forecast, before_, last);
  }

  // Of those before it that it is no alternative to, the one after which least time is left.
  std::size_t BestBaseFor(const Tried& tried) const {
    std::size_t best = fixes_.size();
    for (std::size_t i = 0; i < fixes_.size(); ++i) {
      const Fix& fix = fixes_[i];
      const bool is_alternative = std::any_of(
          fix.chosen.begin(), fix.chosen.end(),
          [&](const ChosenWhatIf& one) { return AreAlternatives(*one.whatif, tried.whatif()); });
      if (is_alternative && fix.with.empty()) continue;
      if (is_alternative) return fixes_.size();
      if (best == fixes_.size() || fix.speedup > fixes_[best].speedup) best = i;
    }
    return best;
  }

  const Workbench& workbench_;
  const Resource before_;
  std::vector<Fix> fixes_;
};

std::string Times(double factor) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f×", factor);
  return text;
}

// What it costs more than it gains, as far as the books of its change tell. What only takes away
// slows nothing down: other work just came in between.
std::string SlowerWords(const Forecast& forecast) {
  std::uint32_t inserted = 0, removed = 0;
  bool takes_longer = false;
  for (const PlannedChange& change : forecast.changes) {
    inserted += change.inserted;
    removed += change.removed;
    takes_longer |=
        change.device_after + change.host_after > change.device_before + change.host_before;
  }
  if (inserted == 0 && !takes_longer) return "no gain";
  return Times(1 / forecast.Speedup()) + " slower" + (inserted > removed ? ": more launches" : "");
}

NotWorthIt NotWorthOf(const Tried& tried) {
  NotWorthIt result{std::string(tried.whatif().name), tried.name, tried.forecast.Speedup(), ""};
  if (result.speedup < 1 - kWorthIt) {
    result.why = SlowerWords(tried.forecast);
  } else {
    const DurationNs gained = tried.forecast.measured - tried.forecast.forecast;
    const double percent = 100 * std::max(0.0, tried.Gain());
    result.why =
        gained <= 0 || percent < 0.5 ? "no gain" : std::to_string(std::lround(percent)) + " %";
    if (tried.Gain() >= kWorthIt) {
      const bool is_trusted = tried.forecast.trust.level != TrustLevel::kLow;
      result.why += !is_trusted                 ? ", not to be trusted"
                    : GainsOnce(tried.forecast) ? ", mostly of what happens only once"
                                                : ", or a loss";
    }
  }
  return result;
}

// Kernels that nobody waits for: their time is what people look at first.
std::optional<NotWorthIt> FasterKernels(const Diagnosis& diagnosis) {
  const bool is_on_device = diagnosis.what == Resource::kGpu ||
                            diagnosis.what == Resource::kCopies ||
                            diagnosis.what == Resource::kCommunication;
  if (is_on_device || diagnosis.busy * 5 < diagnosis.unit) return std::nullopt;
  for (const ResourceTime& time : diagnosis.resources) {
    if (time.what != Resource::kGpu) continue;
    const DurationNs gain = time.gain.value_or(time.ns);
    if (static_cast<double>(gain) > kWorthIt * static_cast<double>(diagnosis.unit)) break;
    return NotWorthIt{
        "", "faster kernels", 1,
        FormatDuration(diagnosis.busy) + " of work, " +
            (gain == 0 ? "nothing gained"
                       : (time.gain ? "" : "at most ") + FormatDuration(gain) + " gained")};
  }
  return std::nullopt;
}

// Whether one of them may gain something all the same.
bool AddNotWorth(const std::vector<Tried>& tried, const Diagnosis& diagnosis, Fixes& fixes) {
  for (const Tried& one : tried) {
    if (one.forecast.applies) fixes.not_worth.push_back(NotWorthOf(one));
  }
  const auto may_gain = [](const NotWorthIt& one) { return 1 - 1 / one.speedup >= kWorthIt; };
  const auto order = [&](const NotWorthIt& one) {
    return one.speedup < 1 - kWorthIt ? 0 : may_gain(one) ? 1 : 2;
  };
  const bool any = std::any_of(fixes.not_worth.begin(), fixes.not_worth.end(), may_gain);
  // What would hurt first, then what may gain, then what people would try first, as what-ifs are
  // listed.
  std::stable_sort(fixes.not_worth.begin(), fixes.not_worth.end(),
                   [&](const NotWorthIt& a, const NotWorthIt& b) { return order(a) < order(b); });
  if (fixes.not_worth.size() > kMostNotWorth) fixes.not_worth.resize(kMostNotWorth);
  if (const auto kernels = FasterKernels(diagnosis)) fixes.not_worth.push_back(*kernels);
  return any;
}

}  // namespace

std::string Fix::AsOptions() const {
  std::vector<ChosenWhatIf> all = with_chosen;
  all.insert(all.end(), chosen.begin(), chosen.end());
  return Joined(InOrder(all), " ", &ChosenWhatIf::AsOption);
}

Fixes FindFixes(const Workbench& workbench, const Diagnosis& diagnosis, bool is_torch) {
  Fixes fixes;
  if (workbench.trust().level == TrustLevel::kLow) return fixes;
  std::vector<Tried> tried = TryAll(workbench, diagnosis.what, is_torch);
  const auto last = std::stable_partition(tried.begin(), tried.end(), [&](const Tried& one) {
    const bool is_once = diagnosis.what == Resource::kOneTime && GainsOnce(one.forecast);
    return IsWorthIt(one) && !is_once;
  });
  const bool may_gain = AddNotWorth({last, tried.end()}, diagnosis, fixes);
  tried.erase(last, tried.end());
  std::stable_sort(tried.begin(), tried.end(), [](const Tried& a, const Tried& b) {
    return WorthOf(a.whatif(), a.forecast) > WorthOf(b.whatif(), b.forecast);
  });
  LeaveOutBetterDone(tried);
  constexpr std::size_t kMostOffered = 6;
  if (tried.size() > kMostOffered) tried.resize(kMostOffered);
  Chooser chooser(workbench, diagnosis.what);
  for (const Tried& one : tried) chooser.Offer(one);
  fixes.best = chooser.Result();
  if (fixes.best.empty()) {
    fixes.why_none = may_gain ? "Nothing that xsp knows to try is sure to gain more than 3 %."
                              : "Nothing that xsp knows to try would gain more than 3 %.";
  }
  return fixes;
}

}  // namespace xsp
