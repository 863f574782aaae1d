#include "report/summary/summary_report.h"

#include <algorithm>
#include <sstream>

#include "model/recorder.h"
#include "report/forecasts/diagnosis_json.h"
#include "report/graph/trust_words.h"
#include "report/summary/next_steps.h"
#include "report/summary/summary_kernels.h"
#include "report/summary/summary_work.h"
#include "report/summary/verdict.h"
#include "report/tables/step_set_json.h"
#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

constexpr std::size_t kLine = 80;  // A terminal that everybody has.

// What another recording would tell, as small print: recorders want long words.
std::vector<std::string> RecordingLines(const Summary& summary) {
  constexpr std::string_view kProfile = "torch.profiler.profile(";
  constexpr std::size_t kIndent = 2;
  if (!summary.missing) return {};
  std::string command(RecorderCommand(summary.format));
  std::string flag = summary.missing->flag;
  if (flag.starts_with(kProfile) && flag.ends_with(')')) {
    command = "torch:";
    flag = flag.substr(kProfile.size(), flag.size() - kProfile.size() - 1);
  }
  std::istringstream text(Wrapped(
      command + (command.empty() ? "" : " ") + flag + " also records " + summary.missing->what,
      kLine - kIndent));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Commands with the file's name where both fit in a line beside the reasons, else with TRACE.
Table NextTable(const Summary& summary, std::vector<NextStep> steps, const std::string& path) {
  constexpr std::size_t kGaps = 4;
  Table table("Next", {{"command", "command", ColumnKind::kText, kAlways},
                       {"why", "why", ColumnKind::kText, kAlways}});
  table.HideHeader();
  std::size_t command = 0, why = 0;
  for (const NextStep& step : steps) {
    command = std::max(command, DisplayWidth(SafeText(step.command)));
    why = std::max(why, DisplayWidth(step.why));
  }
  const bool is_wide = command + why + kGaps > kLine;
  for (NextStep& step : steps) {
    const std::size_t at = is_wide ? step.command.find(path) : std::string::npos;
    if (at != std::string::npos) step.command.replace(at, path.size(), "TRACE");
    table.AddRow({step.command, step.why});
  }
  for (std::string& line : RecordingLines(summary)) table.AddNote(std::move(line));
  return table;
}

// For scripts a recording is a command like others.
Json NextToJson(const Summary& summary, const std::vector<NextStep>& steps) {
  Json json = Json::array();
  for (const NextStep& step : steps) {
    json.push_back({{"command", JsonText(step.command)}, {"why", step.why}});
  }
  if (!summary.missing) return json;
  std::string command(RecorderCommand(summary.format));
  if (!command.empty()) command += ' ';
  json.push_back({{"command", JsonText(command + summary.missing->flag)},
                  {"why", "would also record: " + summary.missing->what}});
  return json;
}

Json HabitsToJson(const std::vector<Habit>& habits) {
  Json json = Json::array();
  for (const Habit& habit : habits) {
    const HabitRule& rule = *habit.rule;
    json.push_back({{"rule", rule.name},
                    {"nsys_rule", rule.nsys.empty() ? Json(nullptr) : Json(rule.nsys)},
                    {"count", habit.count},
                    {"ns", habit.ns},
                    {"whatif", rule.whatif.empty() ? Json(nullptr) : Json(rule.whatif)},
                    {"gain", habit.gain ? Json(*habit.gain) : Json(nullptr)}});
  }
  return json;
}

Json CausesToJson(const IdleReport& idle) {
  Json json = Json::array();
  for (const auto& [cause, ns] : CausesOf(idle)) {
    json.push_back({{"cause", NameOf(cause)}, {"meaning", Meaning(cause)}, {"ns", ns}});
  }
  return json;
}

Json StepToJson(const Unit& unit) {
  if (!unit.is_step) return nullptr;
  const CountedSteps& steps = unit.steps;
  return {{"count", steps.found},         {"steady", steps.counted.size()},
          {"mean_ns", unit.measured},     {"spread", steps.spread},
          {"cold", steps.cold.size()},    {"cold_ns", steps.cold_ns},
          {"one_time_ns", unit.OneTime()}};
}

std::string CaptureWords(const Summary& summary) {
  std::string words;
  auto add = [&](const std::string& part) { words += (words.empty() ? "" : ", ") + part; };
  if (summary.program) add("Recorded " + FormatDuration(*summary.program));
  if (summary.gpu_span) add("GPU span " + FormatDuration(*summary.gpu_span));
  return words.empty() ? "No events." : words + ".";
}

Report Begin(const Summary& summary, const TraceSource& source, const std::string& verdict) {
  Report report("summary", source, summary.gpus, summary.window);
  report.Show(Headline{verdict, Look::kTitle});
  report.fields["verdict"] = verdict;
  report.fields["span_ns"] = JsonOrNull(summary.program);
  report.fields["gpu_span_ns"] = JsonOrNull(summary.gpu_span);
  return report;
}

// Of a trace, or a part of one, in which no device did anything.
Report MakeHostSummaryReport(const Summary& summary, const TraceSource& source,
                             const SummaryOptions& options) {
  const FirstLook look;
  const std::vector<NextStep> next = NextSteps(look, {}, options.path);
  Report report = Begin(summary, source, VerdictOn(look, {}));
  report.Show(CaptureWords(summary));
  report.Show(NextTable(summary, next, options.path));
  report.fields["trust"] = nullptr;
  report.fields["diagnosis"] = nullptr;
  report.fields["unit"] = "span";
  report.fields["step_set"] = nullptr;
  report.fields["step"] = nullptr;
  report.fields["devices"] = Json::array();
  report.fields["idle_causes"] = nullptr;
  report.AddForScripts("kernels", KernelTable({}, 0, false, options.names));
  report.AddBesideForScripts("device_time", WorkTable({}));
  report.fields["habits"] = Json::array();
  report.fields["next"] = NextToJson(summary, next);
  return report;
}

// A reason to doubt what is forecast; nothing where there is none.
std::string DoubtWords(const Trust& trust) {
  if (trust.level == TrustLevel::kHigh) return "";
  return " Trust is " + TrustWords(trust, 1) + ".";
}

// A first look fits a screen: what else there is to say takes lines from the usual ones.
std::size_t KernelsThatFit(const Summary& summary, std::size_t notes, std::size_t top) {
  if (top != SummaryOptions().top) return top;
  const bool is_doubted = summary.trust.level != TrustLevel::kHigh;
  const bool tells_one_time = summary.diagnosis.what == Resource::kOneTime;
  const std::size_t taken = notes + (is_doubted ? 2 : 0) + (tells_one_time ? 1 : 0);
  return std::max<std::size_t>(2, top - std::min(top, taken));
}

}  // namespace

Report MakeSummaryReport(const Summary& summary, const TraceSource& source,
                         const SummaryOptions& options) {
  if (summary.work.empty()) return MakeHostSummaryReport(summary, source, options);
  const std::vector<DeviceWork>& work = summary.work;
  std::vector<SummaryKernel> kernels = summary.kernels;
  SortKernels(kernels, options.sort);
  const FirstLook look = LookAt(summary);
  const std::vector<NextStep> next = NextSteps(look, summary.habits, options.path);

  Report report =
      Begin(summary, source, VerdictOn(look, summary.diagnosis) + DoubtWords(summary.trust));
  report.fields["diagnosis"] = DiagnosisToJson(summary.diagnosis);
  report.fields["trust"] = TrustJson(summary.trust);
  // Of steps the first line says how many there are, and how long they took.
  if (!summary.unit.is_step) report.Show(CaptureWords(summary));
  const std::vector<std::string> notes = NotesOn(summary.unit.steps);
  for (const std::string& note : notes) report.Show(note);
  AddWorkSections(work, summary.idle, report);
  const std::size_t top = KernelsThatFit(summary, notes.size(), options.top);
  report.Show(KernelTable(kernels, top, work.size() > 1, options.names));
  report.Show(NextTable(summary, next, options.path));
  AddUnitFields(summary.unit, report.fields);
  report.fields["step"] = StepToJson(summary.unit);
  report.fields["devices"] = RowsOf(DevicesTable(work, summary.idle));
  report.fields["idle_causes"] = CausesToJson(summary.idle);
  // Scripts get all rows, however few people see.
  report.AddForScripts("kernels", KernelTable(kernels, 0, work.size() > 1, options.names));
  report.AddBesideForScripts("device_time", WorkTable(work));
  report.fields["habits"] = HabitsToJson(summary.habits);
  report.fields["next"] = NextToJson(summary, next);
  return report;
}

}  // namespace xsp
