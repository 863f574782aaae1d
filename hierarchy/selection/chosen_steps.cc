#include "hierarchy/selection/chosen_steps.h"

#include "base/error.h"
#include "base/text.h"

namespace xsp {
namespace {

// "3", "5-15"; counted from 1.
std::string RunWords(std::size_t first, std::size_t last) {
  return std::to_string(first) + (first == last ? "" : "-" + std::to_string(last));
}

[[noreturn]] void NoSuchSteps(const Steps& steps, const StepChoice& choice) {
  std::vector<std::string> runs;
  for (const StepRun& run : choice.runs) runs.push_back(RunWords(run.first, run.last));
  throw Error(
      "--steps " + Joined(runs, ",") + ": the trace has " + std::to_string(steps.size()) + " steps",
      steps.size() == 0 ? "nothing in it repeats" : "");
}

std::vector<std::uint8_t> Wanted(const Steps& steps, const StepChoice& choice) {
  std::vector<std::uint8_t> wanted(steps.size(), choice.runs.empty());
  for (const StepRun& run : choice.runs) {
    if (run.last > steps.size()) NoSuchSteps(steps, choice);
    for (std::size_t i = run.first; i <= run.last; ++i) wanted[i - 1] = 1;
  }
  return wanted;
}

}  // namespace

void ExpectKind(const Steps& steps, const std::string& kind) {
  if (kind.empty() || steps.FindKind(kind) != nullptr) return;
  if (steps.kinds.empty()) {
    throw Error("--kind " + kind + ": the steps of this trace have no kinds",
                "kinds are told by the texts that frameworks write; docs/frameworks.md lists them, "
                "--framework-names FILE adds others");
  }
  std::vector<std::string> known;
  for (const StepKindFacts& of : steps.kinds) {
    known.push_back(of.name + " (" + std::to_string(of.count) + ")");
  }
  throw Error("--kind " + kind + ": no step is of this kind",
              "the trace has: " + Joined(known, ", "));
}

std::vector<std::uint32_t> ChosenSteps(const Steps& steps, const StepChoice& choice) {
  ExpectKind(steps, choice.kind);
  const std::vector<std::uint8_t> wanted = Wanted(steps, choice);
  std::vector<std::uint32_t> chosen;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!choice.kind.empty() && steps.steps[i].kind() != choice.kind) continue;
    if (seen++ >= choice.skip && wanted[i]) chosen.push_back(static_cast<std::uint32_t>(i));
  }
  if (chosen.empty() && !choice.Empty()) {
    throw Error("no step is left: the trace has " + std::to_string(steps.size()) + " steps");
  }
  return chosen;
}

CountedSteps StepsToCount(const Steps& steps, const StepChoice& choice) {
  ExpectKind(steps, choice.kind);
  if (!choice.NamesSteps() && !choice.says_all) {
    return CountSteps(steps, choice.kind.empty() ? steps.main_kind : choice.kind);
  }
  return CountSteps(steps, ChosenSteps(steps, choice));
}

void LimitToSteps(const Trace& trace, const Steps& steps, const std::vector<std::uint32_t>& chosen,
                  EventMask& keep) {
  std::vector<std::uint8_t> is_chosen(steps.size());
  for (std::uint32_t step : chosen) is_chosen[step] = 1;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    const EventId e(i), call = trace.call_of(e);
    const ProcessId process = trace.process_of(e);
    const TimeNs launch = trace.begin(call.valid() ? call : e);
    const std::uint32_t step = process.valid() ? steps.StepAt(process, launch) : Steps::kOutside;
    if (step == Steps::kOutside || !is_chosen[step]) keep[i] = 0;
  }
}

}  // namespace xsp
