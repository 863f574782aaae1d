#include "report/summary/summary_report.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "model/recorder.h"
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
  return {{"count", steps.found},   {"steady", steps.counted.size()}, {"mean_ns", unit.measured},
          {"spread", steps.spread}, {"cold", steps.cold.size()},      {"cold_ns", steps.cold_ns}};
}

std::string CaptureWords(const Summary& summary) {
  std::string words;
  auto add = [&](const std::string& part) { words += (words.empty() ? "" : ", ") + part; };
  if (summary.program) add("Recorded " + FormatDuration(*summary.program));
  if (summary.gpu_span) add("GPU span " + FormatDuration(*summary.gpu_span));
  return words.empty() ? "No events." : words + ".";
}

Report Begin(const Summary& summary, const TraceSource& source, const std::string& verdict) {
  Report report;
  report.command = "summary";
  report.traces = {source};
  if (!summary.gpus.empty()) report.about = {summary.gpus};
  report.window = summary.window;
  report.sections.emplace_back(Headline{verdict, Look::kTitle});
  report.fields["verdict"] = verdict;
  report.fields["span_ns"] = JsonOrNull(summary.program);
  report.fields["gpu_span_ns"] = JsonOrNull(summary.gpu_span);
  return report;
}

// The longest kernels, each once however many devices ran it.
std::vector<TopKernel> TopKernels(const std::vector<SummaryKernel>& kernels) {
  std::map<std::string_view, TopKernel> by_name;
  for (const SummaryKernel& row : kernels) {
    TopKernel& kernel = by_name[row.name];
    kernel.name = row.name;
    kernel.ns += row.total_ns;
    kernel.blocks = std::max(kernel.blocks, row.blocks);
    kernel.is_other = row.kernel_class == KernelClass::kOther;
  }
  std::vector<TopKernel> top;
  for (auto& [name, kernel] : by_name) top.push_back(std::move(kernel));
  std::stable_sort(top.begin(), top.end(),
                   [](const TopKernel& a, const TopKernel& b) { return a.ns > b.ns; });
  return top;
}

FirstLook LookAt(const Summary& summary) {
  FirstLook look = LookAt(summary.idle, summary.work);
  look.is_step = summary.unit.is_step;
  look.program = summary.program.value_or(0);
  look.kernels = TopKernels(summary.kernels);
  look.multiprocessors = summary.multiprocessors;
  return look;
}

// Of a trace, or a part of one, in which no device did anything.
Report MakeHostSummaryReport(const Summary& summary, const TraceSource& source,
                             const SummaryOptions& options) {
  const FirstLook look;
  const std::vector<NextStep> next = NextSteps(look, {}, options.path);
  Report report = Begin(summary, source, VerdictOn(look));
  report.sections.emplace_back(CaptureWords(summary));
  report.sections.emplace_back(NextTable(summary, next, options.path));
  report.fields["unit"] = "span";
  report.fields["step_set"] = nullptr;
  report.fields["step"] = nullptr;
  report.fields["devices"] = Json::array();
  report.fields["idle_causes"] = nullptr;
  report.fields["kernels"] = report.AddForScripts("kernels", KernelTable({}, 0, false));
  report.AddForScripts("device_time", WorkTable({}));
  report.fields["habits"] = Json::array();
  report.fields["next"] = NextToJson(summary, next);
  return report;
}

}  // namespace

Report MakeSummaryReport(const Summary& summary, const TraceSource& source,
                         const SummaryOptions& options) {
  if (summary.work.empty()) return MakeHostSummaryReport(summary, source, options);
  const std::vector<DeviceWork>& work = summary.work;
  std::vector<SummaryKernel> kernels = summary.kernels;
  SortKernels(kernels, options.sort);
  const Table all_kernels = KernelTable(kernels, 0, work.size() > 1);
  const FirstLook look = LookAt(summary);
  const std::vector<NextStep> next = NextSteps(look, summary.habits, options.path);

  Report report = Begin(summary, source, VerdictOn(look));
  // Of steps the first line says how many there are, and how long they took.
  if (!summary.unit.is_step) report.sections.emplace_back(CaptureWords(summary));
  AddWorkSections(work, summary.idle, report.sections);
  report.sections.emplace_back(KernelTable(kernels, options.top, work.size() > 1));
  report.sections.emplace_back(NextTable(summary, next, options.path));
  AddUnitFields(summary.unit, report.fields);
  report.fields["step"] = StepToJson(summary.unit);
  report.fields["devices"] = DevicesToJson(work, summary.idle);
  report.fields["idle_causes"] = CausesToJson(summary.idle);
  report.fields["kernels"] = KernelsToJson(all_kernels, kernels, options.names);
  report.fields["habits"] = HabitsToJson(summary.habits);
  report.fields["next"] = NextToJson(summary, next);
  // Scripts get all rows, however few people see.
  report.AddForScripts("kernels", all_kernels);
  report.AddForScripts("device_time", WorkTable(work));
  return report;
}

}  // namespace xsp
