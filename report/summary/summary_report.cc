#include "report/summary/summary_report.h"

#include <algorithm>

#include "model/recorder.h"
#include "report/forecasts/diagnosis_json.h"
#include "report/graph/trust_words.h"
#include "report/summary/next_steps.h"
#include "report/summary/step_kinds_table.h"
#include "report/summary/summary_devices.h"
#include "report/summary/summary_fixes.h"
#include "report/summary/summary_kernels.h"
#include "report/summary/summary_work.h"
#include "report/summary/verdict.h"
#include "report/tables/step_set_json.h"
#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// What another recording would tell, as small print.
std::string RecordingWords(const Summary& summary) {
  if (summary.missing.empty() || SaysHowToRecord(summary)) return "";
  std::string command(RecorderCommand(summary.format));
  if (!command.empty()) command += ' ';
  return command + summary.missing.front().flag + " also records " + summary.missing.front().what;
}

// Lines to paste: whatever is too long for a line, the command is whole. `recording`: small print.
Table NextTable(const std::string& recording, const std::vector<NextStep>& steps) {
  Table table("Next", {{"command", "command", ColumnKind::kText, kAlways},
                       {"why", "why", ColumnKind::kText, 5}});
  table.HideHeader();
  for (const NextStep& step : steps) table.AddRow({step.command, step.why});
  if (!recording.empty()) table.AddNote(recording);
  return table;
}

// For scripts a recording is a command like others.
Json NextToJson(const Summary& summary, const std::vector<NextStep>& steps) {
  Json json = Json::array();
  for (const NextStep& step : steps) {
    json.push_back({{"command", JsonText(step.command)}, {"why", step.why}});
  }
  if (summary.missing.empty()) return json;
  std::string command(RecorderCommand(summary.format));
  if (!command.empty()) command += ' ';
  json.push_back({{"command", JsonText(command + summary.missing.front().flag)},
                  {"why", "would also record: " + summary.missing.front().what}});
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

constexpr std::size_t kHostRows = 5;  // Of each table of the host that people see.

void AddHostTable(const std::string& title, const std::string& name, const char* what,
                  const std::vector<HostSum>& sums, Report& report) {
  Table table(title, {{"time", "ns", ColumnKind::kDuration, kAlways},
                      {"count", "count", ColumnKind::kInt, kAlways},
                      {what, "name", ColumnKind::kName, kAlways}});
  for (const HostSum& sum : sums) table.AddRow({sum.ns, sum.count, sum.name});
  table.ShowFirst(kHostRows, " more: --format json");
  if (!sums.empty()) {
    report.Add(name, std::move(table));
  } else {
    report.fields[name] = Json::array();
  }
}

// Of a trace, or a part of one, in which no device did anything.
Report MakeHostSummaryReport(const Summary& summary, const TraceSource& source,
                             const SummaryOptions& options) {
  const FirstLook look;
  const std::vector<NextStep> next = NextSteps(look, {}, {}, options.path);
  Report report = Begin(summary, source, VerdictOnHost(summary.host));
  report.Show(CaptureWords(summary));
  report.fields["trust"] = nullptr;
  report.fields["diagnosis"] = nullptr;
  report.fields["fixes"] = Json::array();
  report.fields["not_worth_it"] = Json::array();
  report.fields["unit"] = "span";
  report.fields["step_set"] = nullptr;
  report.fields["step"] = nullptr;
  report.fields["step_kinds"] = RowsOf(StepKindsTable({}));
  report.fields["devices"] = Json::array();
  report.fields["idle_causes"] = nullptr;
  report.AddForScripts("kernels", KernelTable({}, 0, false, options.names));
  report.AddBesideForScripts("device_time", WorkTable({}));
  report.AddBesideForScripts("step_kinds", StepKindsTable({}));
  report.fields["collectives"] = Json::array();
  AddHostTable("CUDA calls", "host_calls", "call", summary.host.calls, report);
  AddHostTable("Ranges", "host_ranges", "range", summary.host.ranges, report);
  AddHostTable("MPI", "host_mpi", "call", summary.host.mpi, report);
  report.fields["habits"] = Json::array();
  report.fields["next"] = NextToJson(summary, next);
  report.Show(NextTable(RecordingWords(summary), next));
  return report;
}

// How much of each section there is room for, in rows.
struct ScreenRoom {
  std::size_t work, causes, collectives;
  std::size_t kernels;  // At least; none: not shown.
  bool tells_recording;
  bool shows_work;  // Of several devices, which have lines of their own.
};

// A first look fits a screen: what else there is to say takes lines from the tables, those first
// that `xsp tree`, `idle` and JSON have all of.
constexpr ScreenRoom kRooms[] = {{5, 3, 2, 3, true, true},  {3, 3, 2, 3, true, true},
                                 {3, 3, 2, 1, true, true},  {3, 2, 2, 1, true, true},
                                 {3, 2, 1, 1, true, true},  {3, 2, 1, 1, false, true},
                                 {2, 1, 1, 1, false, true}, {2, 1, 0, 0, false, true},
                                 {1, 1, 0, 0, false, true}, {1, 1, 0, 0, false, false}};

std::size_t LinesOf(const Report& report) {
  TextLayout narrow;
  narrow.width = 80;
  const std::string text = WriteReport(report, OutputFormat::kTable, narrow);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Which of several series was taken for steps, and what lies beside it.
std::string StepWords(const Summary& summary) {
  constexpr double kMuch = 0.25;
  if (!summary.only_layers.empty()) {
    return "No whole step was recorded: " + summary.only_layers + " of one pass.";
  }
  const OutsideSteps& outside = summary.outside;
  if (outside.share < kMuch) return "";
  std::string words = outside.taken.empty() ? "Steps are what repeats"
                                            : "Steps are the ranges '" + outside.taken + "'";
  words += "; " + FormatNumber(100 * outside.share, 0) + " % of device time lies outside";
  if (outside.largest.empty()) return words + " of them: --steps all has it, too.";
  return words + ", mostly in '" + outside.largest + "' (" + FormatDuration(outside.largest_ns) +
         "): --nvtx '" + outside.largest + "' chooses it.";
}

// A row for each kind of steps, and what the host does around the one that is spoken of.
void ShowKinds(const Summary& summary, Report& report) {
  if (summary.step_kinds.empty()) return;
  const StepKindRow& first = summary.step_kinds.front();
  if (summary.step_kinds.size() == 1 && first.count == 1) {
    report.Show(OneStepWords(first));
  } else {
    report.Show(StepKindsTable(summary.step_kinds));
  }
  for (const StepKindRow& row : summary.step_kinds) {
    const bool is_meant = row.kind == summary.unit.steps.kind;
    if (is_meant && !row.host.empty() && !row.host_by_call) report.Show(HostWords(row));
  }
}

// The tables behind the words, in order; `top`: rows of kernels.
void ShowTables(const Summary& summary, const std::vector<SummaryKernel>& kernels,
                const std::vector<NextStep>& next, const SummaryOptions& options,
                const ScreenRoom& room, std::size_t top, Report& report) {
  ShowKinds(summary, report);
  AddDeviceLines(summary, room.collectives, report);
  const bool is_one = summary.work.size() == 1;
  if (is_one) {
    AddWorkSections(summary.work.front(), summary.idle, room.work, room.causes, report);
  } else if (room.shows_work) {
    std::vector<std::string> labels;
    for (const DeviceTimes& device : summary.devices) labels.push_back(device.label);
    report.Show(WorkByDevice(summary.work, summary.idle, labels, room.work));
  }
  if (room.kernels > 0) {
    report.Show(is_one ? KernelTable(kernels, top, false, options.names)
                       : KernelsByDevice(kernels, summary.devices, top));
  }
  report.Show(NextTable(room.tells_recording ? RecordingWords(summary) : "", next));
}

// What people see of it, in order: as much as fits a screen, unless rows were asked for.
void ShowSections(const Summary& summary, const std::vector<SummaryKernel>& kernels,
                  const std::vector<NextStep>& next, const SummaryOptions& options,
                  Report& report) {
  constexpr std::size_t kScreen = 40;
  std::string steps = StepWords(summary);
  auto add = [&](const std::string& words) { steps += (steps.empty() ? "" : " ") + words; };
  if (summary.unit.is_step) {
    for (const std::string& note : NotesOn(summary.unit.steps)) add(note);
  }
  // Of steps the first line says how many there are, and how long they took.
  if (!summary.unit.is_step) add(CaptureWords(summary));
  AddFixes(summary, steps, options.has_tokens, report);
  if (options.top != SummaryOptions().top) {
    return ShowTables(summary, kernels, next, options, kRooms[0], options.top, report);
  }
  ScreenRoom chosen = kRooms[0];
  std::size_t lines = 0;
  for (const ScreenRoom& room : kRooms) {
    Report all = report;
    ShowTables(summary, kernels, next, options, room, room.kernels, all);
    chosen = room;
    lines = LinesOf(all);
    if (lines <= kScreen) break;
  }
  const std::size_t left = lines < kScreen ? kScreen - lines : 0;
  ShowTables(summary, kernels, next, options, chosen, std::min(options.top, chosen.kernels + left),
             report);
}

}  // namespace

Report MakeSummaryReport(const Summary& summary, const TraceSource& source,
                         const SummaryOptions& options) {
  if (summary.work.empty()) return MakeHostSummaryReport(summary, source, options);
  const std::vector<DeviceWork>& work = summary.work;
  std::vector<SummaryKernel> kernels = summary.kernels;
  SortKernels(kernels, options.sort);
  const FirstLook look = LookAt(summary);
  const std::vector<NextStep> next = NextSteps(look, summary.fixes, summary.habits, options.path);

  Report report = Begin(summary, source, VerdictOn(look, summary.diagnosis, summary.facts));
  report.fields["diagnosis"] = DiagnosisToJson(summary.diagnosis);
  report.fields["trust"] = TrustJson(summary.trust);
  report.fields["fixes"] = FixesToJson(summary.fixes, options.path);
  report.fields["not_worth_it"] = NotWorthToJson(summary.fixes);
  ShowSections(summary, kernels, next, options, report);
  AddUnitFields(summary.unit, report.fields);
  report.fields["step"] = StepToJson(summary.unit);
  report.fields["step_kinds"] = RowsOf(StepKindsTable(summary.step_kinds));
  report.fields["devices"] = RowsOf(DevicesTable(work, summary.idle));
  report.fields["idle_causes"] = CausesToJson(summary.idle);
  // Scripts get all rows, however few people see.
  report.AddForScripts("kernels", KernelTable(kernels, 0, work.size() > 1, options.names));
  report.AddBesideForScripts("device_time", WorkTable(work));
  report.AddBesideForScripts("step_kinds", StepKindsTable(summary.step_kinds));
  report.fields["collectives"] = CollectivesToJson(summary.collectives);
  report.fields["habits"] = HabitsToJson(summary.habits);
  report.fields["next"] = NextToJson(summary, next);
  return report;
}

}  // namespace xsp
