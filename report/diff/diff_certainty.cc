// How sure a comparison is, in words: what it rests on, and what would make it surer.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "report/diff/diff_words.h"

namespace xsp {
namespace {

std::string RoundPercent(double share) { return FormatNumber(100 * share, 1) + " %"; }

std::string Number(std::size_t n) { return FormatCount(static_cast<std::int64_t>(n)); }

std::string StepsWords(const Comparison& c) {
  const StepCounts base = c.base->steps();
  const StepCounts now = c.now->steps();
  std::string words;
  if (c.is_step) {
    words = Number(base.counted) + " vs " + Number(now.counted) + " steps";
  } else {
    words = "whole GPU spans";
  }
  const std::size_t runs = std::max(c.base->runs().size(), c.now->runs().size());
  if (runs > 1) {
    words += " of " + std::to_string(c.base->runs().size()) + " vs " +
             std::to_string(c.now->runs().size()) + " runs";
  }
  if (!c.is_step) return words;
  auto not_counted = [&](std::size_t n, const char* what) {
    if (n > 0) words += ", " + Number(n) + " " + what;
  };
  not_counted(base.cold + now.cold, "cold");
  not_counted(base.outliers + now.outliers, "outliers");
  not_counted(base.left_out + now.left_out, "left out");
  return words;
}

// What both sides are known to have in common.
std::string SameWords(const Comparison& c) {
  auto one = [](const Side& side, auto of) {
    std::set<std::string> all;
    for (const Run& run : side.runs()) all.insert(of(run.facts));
    return all.size() == 1 ? *all.begin() : std::string();
  };
  std::string words;
  auto check = [&](const char* name, auto of) {
    const std::string base = one(*c.base, of);
    if (!base.empty() && base == one(*c.now, of))
      words += (words.empty() ? "" : ", ") + std::string(name);
  };
  check("GPU", [](const RunFactsheet& f) { return Joined(f.gpus, ", "); });
  check("driver", [](const RunFactsheet& f) { return f.driver.value_or(""); });
  check("input size", [](const RunFactsheet& f) { return f.input_shape; });
  return words.empty() ? "" : "same " + words;
}

}  // namespace

std::vector<std::string> CertaintyWords(const Comparison& c) {
  std::vector<std::string> parts;
  if (c.unit.identical) {
    parts.emplace_back("both sides hold the same values");
  } else if (c.unit.interval) {
    parts.push_back("95 % interval " + GrowthWords(c.unit.low_growth()) + " … " +
                    GrowthWords(c.unit.high_growth()));
  } else {
    parts.push_back("one value a side: noise is not known, " + RoundPercent(c.unit.floor) +
                    " is assumed");
  }
  parts.push_back(StepsWords(c));
  if (!c.unit.identical && c.unit.interval && c.unit.base_noise) {
    std::string noise = "noise ±" + RoundPercent(c.unit.floor / 2);
    if (c.unit.run_noise) noise += ", between runs " + RoundPercent(*c.unit.run_noise);
    parts.push_back(noise);
  } else if (!c.unit.identical && c.unit.run_noise) {
    parts.push_back("noise between runs " + RoundPercent(*c.unit.run_noise));
  }
  if (std::string same = SameWords(c); !same.empty()) parts.push_back(std::move(same));
  return parts;
}

std::string AdviceWords(const Comparison& c) {
  if (c.verdict != Verdict::kCannotTell) return "";
  std::string words =
      "Changes below " + RoundPercent(c.unit.resolution) + " cannot be told from noise here. ";
  if (!c.unit.interval) {
    return "One value a side says nothing about noise: record three runs a side (--base A B C "
           "--new D "
           "E F), or a baseline of three; or say with --noise what to expect.";
  }
  if (c.unit.run_noise_decides) {
    return words + "Runs of the same side differ by that much: record more runs a side.";
  }
  if (c.unit.wanted == 0) {
    return words +
           "More of the same would not do: warm up longer, lock the clocks, or record several runs "
           "a side (--base A B --new C D).";
  }
  return words + "About " + FormatCount(static_cast<std::int64_t>(c.unit.wanted)) +
         (c.is_step ? " steps" : " runs") +
         " a side would do if this is chance; if it is drift, warm up longer, lock the clocks, or "
         "record several runs a side (--base A B --new C D).";
}

}  // namespace xsp
