// Trust against known truth: where a rule is switched off and forecasts miss, the word says so.
#include "graph/trust/trust.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "graph/builder.h"
#include "tests/proof/prove.h"

namespace xsp::proof {
namespace {

// How far off a forecast may be that stands on a graph of high trust.
constexpr double kMiss = 0.05;

struct RuleOff {
  Rule rule;
  double error;  // Of the forecast without it.
  TrustLevel trust;
};

// A case with all rules and without each, from one run before and one after.
struct TrustCase {
  double error = 0;
  TrustLevel trust = TrustLevel::kHigh;
  std::string reasons;  // Why not high.
  std::vector<RuleOff> without;
};

std::string ReasonsOf(const Trust& trust) {
  std::string text;
  for (const TrustReason& reason : trust.reasons) {
    const DoubtRow& row = AllDoubts()[static_cast<std::size_t>(reason.doubt)];
    text += " " + std::string(row.name) + " " + std::to_string(reason.share);
  }
  return text;
}

TrustCase Judge(const ProofCase& proof) {
  samples::Scenario scenario = proof.before();
  SetNoise(scenario, 1);
  const Trace before = RunAndImport(scenario);
  proof.change_program(scenario);
  SetNoise(scenario, 7);
  const auto truth = static_cast<double>(TrueStep(RunAndImport(scenario)));
  const Hierarchy hierarchy(before);
  const TaskGraph graph = BuildGraph(before, hierarchy);
  const UnitBench bench(graph, hierarchy.steps(), ChooseUnit(graph, hierarchy.steps()));
  Edit edit(bench.graph());
  proof.change_graph(edit);
  const EditedGraph edited = edit.Build();
  const auto error = [&](std::uint32_t ignored) {
    Overlay overlay = edited.overlay();
    overlay.ignored_rules |= ignored;
    return static_cast<double>(bench.Length(edited.graph(), overlay)) / truth - 1;
  };
  const Trust trust = JudgeTrust(bench, hierarchy.steps());
  TrustCase result{error(0), trust.level, ReasonsOf(trust), {}};
  for (const RuleRow& row : kRuleTable) {
    if (!Has(row.rule, kCanIgnore)) continue;
    const std::uint32_t bit = 1u << IndexOf(row.rule);
    result.without.push_back(
        {row.rule, error(bit), JudgeTrust(bench, hierarchy.steps(), bit).level});
  }
  return result;
}

TEST_CASE("where a forecast without a rule misses, trust falls", "[proof]") {
  std::map<Rule, int> fell;
  int all_missed = 0, all_fell = 0, trusted = 0;
  for (const ProofCase& proof : AllStepCases()) {
    const TrustCase judged = Judge(proof);
    trusted += judged.trust == TrustLevel::kHigh ? 1 : 0;
    if (!judged.reasons.empty()) UNSCOPED_INFO(proof.name << " is doubted:" << judged.reasons);
    for (const RuleOff& off : judged.without) {
      if (std::abs(off.error) <= kMiss + std::abs(judged.error)) continue;
      const bool falls = off.trust > judged.trust || judged.trust == TrustLevel::kLow;
      fell[off.rule] += falls ? 1 : 0;
      all_missed += 1;
      all_fell += falls ? 1 : 0;
      UNSCOPED_INFO(proof.name << " without " << NameOf(off.rule) << ": " << 100 * off.error
                               << " % off, " << (falls ? "trust falls" : "trust stays"));
    }
  }
  // With all rules forecasts are right, and graphs are trusted; but for programs whose threads keep
  // each other's pace while calls of the system were not recorded: nobody can tell who waits.
  CHECK(trusted >= 0.88 * static_cast<double>(AllStepCases().size()));
  // The programs need most of the rules there are. Where the host alone decides, the order of a
  // stream cannot be missed before kernels take longer: nothing in the recording speaks of it.
  CHECK(fell.size() >= 6);
  for (const auto& [rule, times] : fell) {
    INFO(NameOf(rule));
    CHECK(times > 0);
  }
  CHECK(all_fell >= 0.8 * all_missed);
}

}  // namespace
}  // namespace xsp::proof
