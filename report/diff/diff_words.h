#pragma once

#include <string>
#include <utility>
#include <vector>

#include "diff/comparison.h"
#include "diff/gates/outcome.h"
#include "diff/matching/grouped.h"
#include "diff/matching/grouped_changes.h"
#include "model/time.h"
#include "report/tables/units.h"

// A comparison in words, the same on a terminal, in a pull request and in annotations. Names from
// traces stand apart from our own words, so that each writer can make them harmless in its own way.
namespace xsp {

// Why something changed, with names that belong to it.
struct Reason {
  std::string words;                                      // "fp16 → fp32"; may be empty.
  std::string name;                                       // A name that follows; may be empty.
  std::vector<std::pair<std::string, std::string>> from;  // A name and the one in its place.

  // All in one line, names as they are.
  std::string Plain() const;
};
Reason WhyOf(const Comparison& comparison, const ContributionGroup& group);

// "step" or "GPU span".
std::string UnitWords(const Comparison& comparison);
// "+6.8 %", "−28.1 %", "±0 %"; "new" for what was not there before.
std::string GrowthWords(double growth);
// "+1.25", "−0.3", in a unit, without it.
std::string SignedIn(DurationNs delta, TimeUnit unit, int decimals);
// "step +6.8 % (212.4 → 226.9 ms)".
std::string ChangeWords(const Comparison& comparison);
// The same with the verdict; and with the limits that are exceeded or cannot be checked.
std::string VerdictWords(const Comparison& comparison);
std::string HeadlineWords(const Comparison& comparison);

// How sure that is (diff_certainty.cc): "95 % interval +5.9…+7.6 %", "40 vs 40 steps, 5 cold", …
std::vector<std::string> CertaintyWords(const Comparison& comparison);
// What would make a verdict possible; empty where there is one.
std::string AdviceWords(const Comparison& comparison);

// "launch", "sync waits": what time of a kind is called in a table.
std::string KindWords(CostKind kind);

// "step ≤ 3 %".
std::string LimitLine(const Gate& gate);
// "+6.8 %"; "+12 ms"; "+3"; empty where nothing is known.
std::string ValueWords(const GateResult& result);
// The same of one of its places.
std::string ValueWords(const Gate& gate, double value);
// What to say of a gate besides: why it is not known, since when it is accepted.
std::string RemarkOf(const GateResult& result);
std::string RemarkOf(const GatePlace& place);
// A gate in a sentence: "step ≤ 3 %: +5.8 %". Of places, how many of them do not hold.
std::string GateWords(const GateResult& result);
// A place of it: "gemm: +12.0 %".
std::string PlaceWords(const GateResult& result, const GatePlace& place);
// How a comparison ended that does not simply hold, in a line for a log; empty where it holds.
std::string OutcomeWords(const Comparison& comparison, const OutcomeOptions& options);

// "412 matched (3 renamed, 1 moved), 1 added, 0 removed".
std::string KernelWords(const Comparison& comparison);

// What is not as it was, for one row of a list of changes: "fp16 → fp32", "4 → 8 in a step".
// The same of a group: "18 in a run, with 4,321 changes below".
std::string ChangeGroupDetails(const Comparison& comparison, const ChangeGroup& group);
std::string ChangeDetails(const Comparison& comparison, const Change& change);

}  // namespace xsp
