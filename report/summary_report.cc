#include "report/summary_report.h"

#include <algorithm>
#include <cmath>

#include "model/recorder.h"
#include "model/spans.h"
#include "report/devices.h"
#include "report/summary_kernels.h"
#include "report/summary_work.h"
#include "report/text.h"
#include "report/unit_json.h"
#include "report/units.h"
#include "report/verdict.h"

namespace xsp {
namespace {

constexpr std::size_t kPathWidth = 30;  // Longer ones would push the reasons off the screen.

Table NextTable(const std::vector<NextStep>& steps, const std::string& path) {
  Table table("Next", {{"command", "command", ColumnKind::kText, kAlways},
                       {"why", "why", ColumnKind::kText, kAlways}});
  table.HideHeader();
  for (const NextStep& step : steps) {
    std::string command = step.command;
    const std::size_t at = path.size() > kPathWidth ? command.find(path) : std::string::npos;
    if (at != std::string::npos) command.replace(at, path.size(), "TRACE");
    table.AddRow({command, step.why});
  }
  return table;
}

// What another recording would tell.
void AddRecording(const Trace& trace, std::vector<NextStep>& next) {
  const auto& missing = trace.info().missing;
  if (missing.empty()) return;
  std::string command(RecorderCommand(trace.info().format));
  if (!command.empty()) command += ' ';
  next.push_back({command + missing.front().flag, "would also record: " + missing.front().what});
}

Json NextToJson(const std::vector<NextStep>& steps) {
  Json json = Json::array();
  for (const NextStep& step : steps) {
    json.push_back({{"command", JsonText(step.command)}, {"why", step.why}});
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

std::string StepLine(const Steps& steps, const Unit& unit) {
  std::string text = "Step " + FormatDuration(unit.measured) + " ± " +
                     FormatPercent(SpreadOf(unit.samples)) + ", " +
                     FormatCount(static_cast<std::int64_t>(unit.samples.size())) + " steady of " +
                     FormatCount(static_cast<std::int64_t>(steps.size()));
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

std::string CaptureWords(const Trace& trace) {
  std::string words;
  auto add = [&](const std::string& part) { words += (words.empty() ? "" : ", ") + part; };
  if (auto span = ProgramSpan(trace)) add("Recorded " + FormatDuration(span->Length()));
  if (auto span = GpuSpan(trace)) add("GPU span " + FormatDuration(span->Length()));
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

FirstLook LookAt(const SummaryFigures& figures, const std::vector<DeviceWork>& work,
                 const std::vector<SummaryKernel>& kernels) {
  FirstLook look = LookAt(figures.idle, work);
  look.is_step = figures.unit.is_step;
  if (const auto span = ProgramSpan(*figures.graph.trace)) look.program = span->Length();
  for (const SummaryKernel& row : kernels) {
    if (row.total_ns <= look.top_kernel_ns) continue;
    look.top_kernel = row.name;
    look.top_kernel_ns = row.total_ns;
  }
  return look;
}

}  // namespace

Report MakeSummaryReport(const SummaryFigures& figures, const TraceSource& source,
                         const Window& window, const SummaryOptions& options) {
  const Trace& trace = *figures.graph.trace;
  const std::vector<DeviceWork> work = SumWork(figures.graph, figures.pieces, figures.unit);
  const std::vector<SummaryKernel> kernels =
      GroupKernels(trace, figures.pieces, options.names, figures.unit, options.sort);
  const Table all_kernels = KernelTable(kernels, 0, work.size() > 1);
  const FirstLook look = LookAt(figures, work, kernels);
  std::vector<NextStep> next = NextSteps(look, options.path);
  AddRecording(trace, next);

  Report report = Begin(trace, source, window, VerdictOn(look));
  const std::string step =
      figures.unit.is_step ? StepLine(figures.steps, figures.unit) + " " : std::string();
  report.sections.emplace_back(step + CaptureWords(trace));
  AddWorkSections(work, figures.idle, report.sections);
  report.sections.emplace_back(KernelTable(kernels, options.top, work.size() > 1));
  report.sections.emplace_back(NextTable(next, options.path));
  AddUnitFields(figures.unit, report.fields);
  report.fields["step"] = StepToJson(figures.steps, figures.unit);
  report.fields["devices"] = DevicesToJson(work, figures.idle);
  report.fields["idle_causes"] = CausesToJson(figures.idle);
  report.fields["kernels"] = KernelsToJson(all_kernels, kernels, options.names);
  report.fields["next"] = NextToJson(next);
  // Scripts get all rows, however few people see.
  report.AddForScripts("kernels", all_kernels);
  report.AddForScripts("device_time", WorkTable(work));
  return report;
}

Report MakeHostSummaryReport(const Trace& trace, const TraceSource& source, const Window& window,
                             const SummaryOptions& options) {
  const FirstLook look;
  std::vector<NextStep> next = NextSteps(look, options.path);
  AddRecording(trace, next);
  Report report = Begin(trace, source, window, VerdictOn(look));
  report.sections.emplace_back(CaptureWords(trace));
  report.sections.emplace_back(NextTable(next, options.path));
  report.fields["unit"] = "span";
  report.fields["step"] = nullptr;
  report.fields["devices"] = Json::array();
  report.fields["idle_causes"] = nullptr;
  report.fields["kernels"] = report.AddForScripts("kernels", KernelTable({}, 0, false));
  report.AddForScripts("device_time", WorkTable({}));
  report.fields["next"] = NextToJson(next);
  return report;
}

}  // namespace xsp
