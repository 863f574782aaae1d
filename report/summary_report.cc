#include "report/summary_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "model/recorder.h"
#include "model/spans.h"
#include "report/devices.h"
#include "report/next_steps.h"
#include "report/summary_kernels.h"
#include "report/summary_work.h"
#include "report/text.h"
#include "report/unit_json.h"
#include "report/units.h"
#include "report/verdict.h"

namespace xsp {
namespace {

constexpr std::size_t kLine = 80;  // A terminal that everybody has.

// What another recording would tell, as small print: recorders want long words.
std::vector<std::string> RecordingLines(const Trace& trace) {
  constexpr std::string_view kProfile = "torch.profiler.profile(";
  constexpr std::size_t kIndent = 2;
  const auto& missing = trace.info().missing;
  if (missing.empty()) return {};
  std::string command(RecorderCommand(trace.info().format));
  std::string flag = missing.front().flag;
  if (flag.starts_with(kProfile) && flag.ends_with(')')) {
    command = "torch:";
    flag = flag.substr(kProfile.size(), flag.size() - kProfile.size() - 1);
  }
  std::istringstream text(Wrapped(
      command + (command.empty() ? "" : " ") + flag + " also records " + missing.front().what,
      kLine - kIndent));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Commands with the file's name where both fit in a line beside the reasons, else with TRACE.
Table NextTable(const Trace& trace, std::vector<NextStep> steps, const std::string& path) {
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
  for (std::string& line : RecordingLines(trace)) table.AddNote(std::move(line));
  return table;
}

// For scripts a recording is a command like others.
Json NextToJson(const Trace& trace, const std::vector<NextStep>& steps) {
  Json json = Json::array();
  for (const NextStep& step : steps) {
    json.push_back({{"command", JsonText(step.command)}, {"why", step.why}});
  }
  const auto& missing = trace.info().missing;
  if (missing.empty()) return json;
  std::string command(RecorderCommand(trace.info().format));
  if (!command.empty()) command += ' ';
  json.push_back({{"command", JsonText(command + missing.front().flag)},
                  {"why", "would also record: " + missing.front().what}});
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

// The standard deviation of the steady steps, as a share of their mean.
double SpreadOf(const std::vector<DurationNs>& samples) {
  double mean = 0, squares = 0;
  for (DurationNs ns : samples) mean += static_cast<double>(ns);
  mean /= static_cast<double>(samples.size());
  for (DurationNs ns : samples) squares += std::pow(static_cast<double>(ns) - mean, 2);
  return mean > 0 ? std::sqrt(squares / static_cast<double>(samples.size())) / mean : 0;
}

// How long the cold steps took, and how many there are.
std::pair<std::size_t, DurationNs> ColdSteps(const Steps& steps) {
  std::pair<std::size_t, DurationNs> cold;
  for (const Step& step : steps.steps) {
    if (!step.cold) continue;
    ++cold.first;
    cold.second += step.time.Length();
  }
  return cold;
}

// How many of them are steady stands in the first line already.
std::string StepLine(const Steps& steps, const Unit& unit) {
  std::string text =
      "Step " + FormatDuration(unit.measured) + " ± " + FormatPercent(SpreadOf(unit.samples));
  if (const auto [count, ns] = ColdSteps(steps); count > 0) {
    text += count == 1 ? "; a cold one before took "
                       : "; " + std::to_string(count) + " cold ones before took ";
    text += FormatDuration(ns);
  }
  return text + ".";
}

Json StepToJson(const Steps& steps, const Unit& unit) {
  if (!unit.is_step) return nullptr;
  const auto [count, ns] = ColdSteps(steps);
  return {{"count", steps.size()},
          {"steady", unit.samples.size()},
          {"mean_ns", unit.measured},
          {"spread", SpreadOf(unit.samples)},
          {"cold", count},
          {"cold_ns", ns}};
}

// The GPU span counts where it is what figures speak of.
std::string CaptureWords(const Trace& trace, bool is_step) {
  std::string words;
  auto add = [&](const std::string& part) { words += (words.empty() ? "" : ", ") + part; };
  if (auto span = ProgramSpan(trace)) add("Recorded " + FormatDuration(span->Length()));
  if (auto span = GpuSpan(trace); span && !is_step)
    add("GPU span " + FormatDuration(span->Length()));
  return words.empty() ? "No events." : words + ".";
}

Report Begin(const Trace& trace, const TraceSource& source, const Window& window,
             const std::string& verdict) {
  Report report;
  report.command = "summary";
  report.traces = {source};
  if (std::string gpus = GpuWords(trace); !gpus.empty()) report.about = {gpus};
  report.window = window;
  report.sections.emplace_back(Headline{verdict, Look::kTitle});
  const auto span = ProgramSpan(trace);
  const auto gpu_span = GpuSpan(trace);
  report.fields["verdict"] = verdict;
  report.fields["span_ns"] = span ? Json(span->Length()) : Json(nullptr);
  report.fields["gpu_span_ns"] = gpu_span ? Json(gpu_span->Length()) : Json(nullptr);
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

// Of the GPUs that worked, where all have the same number.
std::uint32_t Multiprocessors(const Trace& trace) {
  std::set<std::uint32_t> counts;
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kStream) continue;
    const bool is_known =
        track.gpu.valid() && trace.gpus()[track.gpu.value].sm_count != kMissing<std::uint32_t>;
    counts.insert(is_known ? trace.gpus()[track.gpu.value].sm_count : 0);
  }
  return counts.size() == 1 ? *counts.begin() : 0;
}

FirstLook LookAt(const SummaryFigures& figures, const std::vector<DeviceWork>& work,
                 const std::vector<SummaryKernel>& kernels) {
  FirstLook look = LookAt(figures.idle, work);
  look.is_step = figures.unit.is_step;
  if (const auto span = ProgramSpan(*figures.graph.trace)) look.program = span->Length();
  look.kernels = TopKernels(kernels);
  look.multiprocessors = Multiprocessors(*figures.graph.trace);
  return look;
}

}  // namespace

Report MakeSummaryReport(const SummaryFigures& figures, const TraceSource& source,
                         const Window& window, const SummaryOptions& options) {
  const Trace& trace = *figures.graph.trace;
  const std::vector<DeviceWork> work = SumWork(figures.graph, figures.pieces, figures.unit);
  const std::vector<SummaryKernel> kernels = GroupKernels(
      *figures.graph.hierarchy, figures.pieces, options.names, figures.unit, options.sort);
  const Table all_kernels = KernelTable(kernels, 0, work.size() > 1);
  const FirstLook look = LookAt(figures, work, kernels);
  const std::vector<NextStep> next = NextSteps(look, figures.habits, options.path);

  Report report = Begin(trace, source, window, VerdictOn(look));
  const std::string step =
      figures.unit.is_step ? StepLine(figures.steps, figures.unit) + " " : std::string();
  report.sections.emplace_back(step + CaptureWords(trace, figures.unit.is_step));
  AddWorkSections(work, figures.idle, report.sections);
  report.sections.emplace_back(KernelTable(kernels, options.top, work.size() > 1));
  report.sections.emplace_back(NextTable(trace, next, options.path));
  AddUnitFields(figures.unit, report.fields);
  report.fields["step"] = StepToJson(figures.steps, figures.unit);
  report.fields["devices"] = DevicesToJson(work, figures.idle);
  report.fields["idle_causes"] = CausesToJson(figures.idle);
  report.fields["kernels"] = KernelsToJson(all_kernels, kernels, options.names);
  report.fields["habits"] = HabitsToJson(figures.habits);
  report.fields["next"] = NextToJson(trace, next);
  // Scripts get all rows, however few people see.
  report.AddForScripts("kernels", all_kernels);
  report.AddForScripts("device_time", WorkTable(work));
  return report;
}

Report MakeHostSummaryReport(const Trace& trace, const TraceSource& source, const Window& window,
                             const SummaryOptions& options) {
  const FirstLook look;
  const std::vector<NextStep> next = NextSteps(look, {}, options.path);
  Report report = Begin(trace, source, window, VerdictOn(look));
  report.sections.emplace_back(CaptureWords(trace, false));
  report.sections.emplace_back(NextTable(trace, next, options.path));
  report.fields["unit"] = "span";
  report.fields["step"] = nullptr;
  report.fields["devices"] = Json::array();
  report.fields["idle_causes"] = nullptr;
  report.fields["kernels"] = report.AddForScripts("kernels", KernelTable({}, 0, false));
  report.AddForScripts("device_time", WorkTable({}));
  report.fields["habits"] = Json::array();
  report.fields["next"] = NextToJson(trace, next);
  return report;
}

}  // namespace xsp
