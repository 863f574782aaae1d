#include "report/summary/next_steps.h"

#include <algorithm>

#include "report/tables/units.h"

namespace xsp {
namespace {

constexpr double kWorthAStep = 0.2;   // A share of the time that is worth a command.
constexpr double kWorthAGain = 0.02;  // A gain that is.
constexpr double kManyFor = 0.1;      // What takes so much is worth a word even without a gain.
constexpr std::size_t kMostHabits = 2;
constexpr std::size_t kMostSteps = 2;

// "312 pageable copies".
std::string CountWords(const Habit& habit) {
  return FormatCount(habit.count) + " " +
         std::string(habit.count == 1 ? habit.rule->one : habit.rule->many);
}

std::string ShareWords(double share) { return FormatNumber(100 * share, 0) + " %"; }

// Waits and launches cost idle time: what a simulation saves beyond it rests on kernels that run
// beside each other, and no trace tells whether there is room for both.
double SureGain(const FirstLook& look, const Habit& habit) {
  return habit.rule->whatif == "pinned" ? *habit.gain : std::min(*habit.gain, look.IdleShare());
}

// Fixes are what was best of all that was tried: what a simulation told is in them, or not worth
// it.
bool WasTried(const Fixes& fixes, std::string_view whatif) {
  if (whatif.empty()) return false;
  return !fixes.best.empty() || !fixes.why_none.empty();
}

// "312 pageable copies: pinned memory saves 12 %"; where no simulation told that, how long they
// took, if that is much. What a program does once is no habit.
void AddHabits(const FirstLook& look, const Fixes& fixes, const std::vector<Habit>& habits,
               const std::string& trace, std::vector<NextStep>& steps) {
  const bool were_simulated = std::any_of(
      habits.begin(), habits.end(), [](const Habit& habit) { return habit.gain.has_value(); });
  for (const Habit& habit : habits) {
    if (steps.size() == kMostHabits) return;
    if (WasTried(fixes, habit.rule->whatif)) continue;
    const bool has_whatif = !habit.rule->whatif.empty();
    const std::string command =
        has_whatif ? "xsp whatif --" + std::string(habit.rule->whatif) + " " : "xsp leverage ";
    if (habit.gain && SureGain(look, habit) >= kWorthAGain) {
      steps.push_back({command + trace, CountWords(habit) + ": " + std::string(habit.rule->cure) +
                                            " " + ShareWords(SureGain(look, habit))});
    } else if (!habit.gain && !(has_whatif && were_simulated) &&
               (look.is_step || habit.count > 1) && ShareOf(habit.ns, look.length) >= kManyFor) {
      steps.push_back({command + trace, CountWords(habit) + ": " + FormatDuration(habit.ns) +
                                            (look.is_step ? " a step" : "")});
    }
  }
}

void AddFindings(const FirstLook& look, const std::string& trace, std::vector<NextStep>& steps) {
  auto add = [&](const char* command, const char* why) {
    steps.push_back({"xsp " + std::string(command) + " " + trace, why});
  };
  if (look.IdleShare() >= kWorthAStep) add("idle", "each gap, and what the host did then");
  const double moved = look.WorkShare(WorkKind::kCopies) + look.WorkShare(WorkKind::kMigrations);
  if (moved >= kWorthAStep) add("leverage", "what faster or fewer copies would gain");
  if (look.CollectiveShare() >= kWorthAStep) {
    add("critical-path", "which communication is waited for");
  }
  add("tree", "where the time went, down to kernels");
  add("advise", "what would help, and by how much");
  add("critical-path", "what decided how long it took");
}

}  // namespace

std::vector<NextStep> NextSteps(const FirstLook& look, const Fixes& fixes,
                                const std::vector<Habit>& habits, const std::string& trace) {
  if (look.busy == 0) return {{"xsp info " + trace, "what was recorded, and what was not"}};
  std::vector<NextStep> steps;
  if (!fixes.best.empty()) {
    steps.push_back({"xsp whatif " + fixes.best.front().AsOptions() + " " + trace,
                     "what would change, and how sure that is"});
  }
  AddHabits(look, fixes, habits, trace, steps);
  if (look.WorkShare(WorkKind::kGraphs) >= 0.1) {
    steps.insert(steps.begin(), {"nsys profile --cuda-graph-trace=node", "what the graphs hold"});
  }
  AddFindings(look, trace, steps);
  std::vector<NextStep> first;
  for (const NextStep& step : steps) {
    const bool is_new = std::none_of(first.begin(), first.end(), [&](const NextStep& other) {
      return other.command == step.command;
    });
    if (is_new && first.size() < kMostSteps) first.push_back(step);
  }
  return first;
}

}  // namespace xsp
