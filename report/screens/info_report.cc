#include "report/screens/info_report.h"

#include <algorithm>

#include "base/text.h"
#include "hierarchy/info_facts.h"
#include "hierarchy/names/device_number.h"
#include "hierarchy/steps/no_steps.h"
#include "model/recorder.h"
#include "report/screens/log_report.h"
#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

template <class T>
std::optional<T> Known(T value) {
  return value == kMissing<T> ? std::nullopt : std::optional(value);
}

// Joins what is known: "A, B".
std::string JoinKnown(std::vector<std::string> parts) {
  std::erase(parts, "");
  return Joined(parts, ", ");
}

std::string Labeled(std::string_view label, const std::optional<std::string>& value) {
  return value ? std::string(label) + " " + *value : std::string();
}

std::string Counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return FormatCount(static_cast<std::int64_t>(count)) + " " + std::string(count == 1 ? one : many);
}

std::string RangeWords(const std::optional<TimeRange>& range) {
  if (!range) return "nothing";
  return FormatDuration(range->Length()) + " (from " + FormatDuration(range->begin) + " to " +
         FormatDuration(range->end) + ")";
}

std::string ProcessWords(const Trace& trace) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> names;
  for (const Process& process : trace.processes()) {
    if (names.size() == kShown) {
      names.push_back("...");
      break;
    }
    std::string name(trace.strings().Get(process.name));
    names.push_back((name.empty() ? "" : name + " ") + "(" + std::to_string(process.pid) + ")");
  }
  const std::string list = Joined(names, ", ");
  return FormatCount(static_cast<std::int64_t>(trace.processes().size())) +
         (list.empty() ? "" : ": " + list);
}

std::string OverheadWords(const Trace& trace, const InfoFacts& facts) {
  if (trace.OfKind(EventKind::kOverhead).empty()) return "not recorded";
  std::string words = FormatDuration(facts.overhead_ns);
  if (facts.overhead_share)
    words += " in all; within the span it took " + FormatPercent(*facts.overhead_share);
  return words;
}

std::string StreamWords(const Trace& trace, const InfoFacts& facts) {
  return Counted(facts.threads, "thread", "threads") + ", " +
         Counted(trace.contexts().size(), "context", "contexts") + ", " +
         FormatCount(static_cast<std::int64_t>(facts.streams_used)) + " of " +
         Counted(facts.streams_known, "stream", "streams") + " used";
}

std::string GraphWords(const TraceInfo& info) {
  std::string words =
      info.graph_trace_mode ? "CUDA graphs traced by " + *info.graph_trace_mode : "";
  if (info.api_calls_incomplete) words = JoinKnown({words, "some API calls were not recorded"});
  return words;
}

// "56.1 ms of the GPU span: first launches 47.8 ms, growing memory 8.3 ms".
std::string OneTimeWords(const StepsInfo& steps, TimeRange gpu_span) {
  const DurationNs all = steps.one_time.In(gpu_span);
  if (all == 0) return "";
  std::vector<std::string> reasons;
  const auto by_reason = steps.one_time.ByReason({gpu_span});
  for (std::size_t i = 0; i < by_reason.size(); ++i) {
    if (by_reason[i] == 0) continue;
    reasons.push_back(std::string(NameOf(static_cast<OneTimeReason>(i))) + " " +
                      FormatDuration(by_reason[i]));
  }
  return FormatDuration(all) + " of the GPU span: " + Joined(reasons, ", ");
}

// "; prefill 2, decode 8".
std::string KindWords(const StepsInfo& steps) {
  std::vector<std::string> words;
  for (const auto& [kind, count] : steps.kinds) words.push_back(kind + " " + std::to_string(count));
  return words.empty() ? "" : "; " + Joined(words, ", ");
}

std::string StepWords(const StepsInfo& steps) {
  if (steps.count == 0) return "none found: " + steps.why_none;
  return FormatCount(static_cast<std::int64_t>(steps.count)) + ", found by " + steps.source + ", " +
         FormatCount(static_cast<std::int64_t>(steps.cold)) + " of them cold" + KindWords(steps);
}

// "vLLM 25 %, module hooks 75 % of 44 ranges".
std::string FrameworkWords(const FrameworkUses& uses) {
  std::vector<std::string> words;
  for (const FrameworkUse& use : uses.frameworks) {
    words.push_back(use.framework + " " + FormatPercent(uses.ShareOf(use)));
  }
  if (words.empty()) return "";
  return Joined(words, ", ") + " of " + Counted(uses.ranges, "range", "ranges");
}

Json FrameworksToJson(const FrameworkUses& uses) {
  Json json = Json::array();
  for (const FrameworkUse& use : uses.frameworks) {
    json.push_back({{"framework", use.framework},
                    {"ranges", use.ranges},
                    {"share", uses.ShareOf(use)},
                    {"texts", TextsJson(use.patterns)}});
  }
  return json;
}

Table CaptureTable(const Trace& trace, const InfoFacts& facts,
                   const std::optional<StepsInfo>& steps) {
  const TraceInfo& info = trace.info();
  Table table("", {{"field", "field", ColumnKind::kText, kAlways},
                   {"value", "value", ColumnKind::kName, kAlways}});
  table.HideHeader();
  auto add = [&](std::string_view field, const std::string& value) {
    if (!value.empty()) table.AddRow({field, value});
  };
  add("source", JoinKnown({info.source_name, info.format, FormatBytes(info.source_bytes)}));
  if (info.partial) add("partial", "salvaged: " + info.partial_reason);
  add("recorded", JoinKnown({info.utc_start_ns ? FormatUtc(*info.utc_start_ns) : "",
                             Labeled(RecorderName(info.format), info.tool_version),
                             Labeled("export schema", info.schema_version)}));
  add("driver", JoinKnown({info.driver_version.value_or(""), Labeled("CUDA", info.cuda_version)}));
  add("machine", JoinKnown({info.os.value_or(""), info.cpu.value_or("")}));
  add("processes", ProcessWords(trace));
  add("threads", StreamWords(trace, facts));
  add("span", RangeWords(facts.span));
  add("GPU span", RangeWords(facts.gpu_span));
  if (steps && facts.gpu_span) add("one-time", OneTimeWords(*steps, *facts.gpu_span));
  if (info.session_ns) add("recorded for", FormatDuration(*info.session_ns));
  if (steps) {
    add("steps", StepWords(*steps));
    add("frameworks", FrameworkWords(steps->frameworks));
  }
  add("overhead", OverheadWords(trace, facts));
  add("mode", GraphWords(info));
  return table;
}

Table GpuTable(const Trace& trace) {
  constexpr Readers kScripts = Readers::kScripts, kPeople = Readers::kPeople;
  Table table("GPUs", {{"device", "cuda_ordinal", ColumnKind::kInt, 8},
                       {"name", "", ColumnKind::kName, kAlways, 0, kPeople},
                       {"", "name", ColumnKind::kName, 0, 0, kScripts},
                       {"SMs", "sm_count", ColumnKind::kInt, 7},
                       {"memory", "memory_bytes", ColumnKind::kBytes, 6},
                       {"bandwidth (GB/s)", "", ColumnKind::kFloat, 6, 1, kPeople},
                       {"", "memory_bandwidth", ColumnKind::kInt, 0, 0, kScripts},
                       {"", "l2_bytes", ColumnKind::kBytes, 0, 0, kScripts},
                       {"", "clock_hz", ColumnKind::kInt, 0, 0, kScripts},
                       {"capability", "compute_capability", ColumnKind::kText, 5},
                       {"chip", "chip", ColumnKind::kText, 2},
                       {"", "bus", ColumnKind::kText, 0, 0, kScripts}});
  std::vector<Gpu> gpus = trace.gpus();
  std::stable_sort(gpus.begin(), gpus.end(),
                   [](const Gpu& a, const Gpu& b) { return a.cuda_ordinal < b.cuda_ordinal; });
  if (gpus.empty()) table.AddNote("the source does not say");
  auto text = [&](StringId id) { return id.valid() ? Cell(trace.strings()[id]) : Cell(); };
  for (const Gpu& gpu : gpus) {
    std::optional<double> bandwidth;
    if (auto known = Known(gpu.memory_bandwidth)) bandwidth = static_cast<double>(*known) / 1e9;
    std::optional<std::string> capability;
    if (Known(gpu.compute_major)) {
      capability = std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor);
    }
    table.AddRow({Known(gpu.cuda_ordinal), trace.strings().Get(gpu.name, "unknown GPU"),
                  text(gpu.name), Known(gpu.sm_count), Known(gpu.memory_bytes), bandwidth,
                  Known(gpu.memory_bandwidth), Known(gpu.l2_bytes), Known(gpu.clock_hz), capability,
                  text(gpu.chip), text(gpu.bus)});
  }
  return table;
}

// People see neither what is not there nor parts of what they see.
Table CountTable(const InfoFacts& facts, bool for_people) {
  Table table("Events", {{"kind", "kind", ColumnKind::kText, kAlways},
                         {"count", "count", ColumnKind::kInt, kAlways}});
  for (const auto& [kind, count] : facts.counts) {
    const bool part_of_nvtx = kind == "nvtx_pushpop" || kind == "nvtx_startend";
    if (!for_people || (count > 0 && !part_of_nvtx)) table.AddRow({kind, count});
  }
  if (table.row_count() == 0) table.AddNote("none");
  return table;
}

Table DomainTable(const InfoFacts& facts) {
  constexpr std::size_t kShown = 12;
  Table table("NVTX domains", {{"process", "pid", ColumnKind::kId, 4},
                               {"ranges", "ranges", ColumnKind::kInt, 8},
                               {"marks", "marks", ColumnKind::kInt, 6},
                               {"domain", "name", ColumnKind::kName, kAlways}});
  for (const DomainUse& domain : facts.domains) {
    table.AddRow({domain.pid, domain.ranges, domain.marks, domain.name});
  }
  table.ShowFirst(kShown, " more: --format json lists them all");
  return table;
}

Table ProcessTable(const Trace& trace) {
  Table table("Processes",
              {{"process", "pid", ColumnKind::kId}, {"name", "name", ColumnKind::kName}});
  for (const Process& process : trace.processes()) {
    table.AddRow(
        {process.pid, process.name.valid() ? Cell(trace.strings()[process.name]) : Cell()});
  }
  return table;
}

Table MissingTable(const TraceInfo& info) {
  const std::string command(RecorderCommand(info.format));
  const std::string header = command.empty() ? "to record it" : "to record it, " + command + " ...";
  Table table("Not in this capture", {{"what", "what", ColumnKind::kText, kAlways},
                                      {header, "flag", ColumnKind::kText, kAlways}});
  for (const MissingData& missing : info.missing) table.AddRow({missing.what, missing.flag});
  return table;
}

Table UnusedTable(const TraceInfo& info) {
  Table table("Present, not used", {{"table", "table", ColumnKind::kText, kAlways}});
  table.HideHeader();
  for (const std::string& name : info.unused_tables) table.AddRow({name});
  return table;
}

Table DiagnosticTable(const TraceInfo& info) {
  Table table("What the recorder said", {{"at", "time_ns", ColumnKind::kDuration},
                                         {"error", "is_error", ColumnKind::kText},
                                         {"message", "text", ColumnKind::kName}});
  for (const Diagnostic& diagnostic : info.diagnostics) {
    table.AddRow({diagnostic.time, diagnostic.is_error, diagnostic.text});
  }
  return table;
}

// For people: each message once.
Table ShownDiagnostics(const TraceInfo& info) {
  constexpr std::size_t kShown = 8;
  Table table("What the recorder said", {{"", "severity", ColumnKind::kText, 4},
                                         {"message", "text", ColumnKind::kName, kAlways}});
  table.HideHeader();
  std::vector<std::pair<const Diagnostic*, int>> distinct;  // With how often each was said.
  for (const Diagnostic& diagnostic : info.diagnostics) {
    auto same = std::find_if(distinct.begin(), distinct.end(),
                             [&](auto& other) { return other.first->text == diagnostic.text; });
    if (same == distinct.end()) same = distinct.insert(same, {&diagnostic, 0});
    ++same->second;
  }
  for (const auto& [diagnostic, count] : distinct) {
    const std::string times = count > 1 ? " (" + std::to_string(count) + " times)" : "";
    table.AddRow({diagnostic->is_error ? "error" : "warning", diagnostic->text + times});
  }
  table.ShowFirst(kShown, " more: --format json lists them all");
  return table;
}

// Between the tables: what they do not hold.
Json TextOrNull(const std::optional<std::string>& text) {
  return text ? JsonText(*text) : Json(nullptr);
}

Json LengthOrNull(const std::optional<TimeRange>& range) {
  return range ? Json(range->Length()) : Json(nullptr);
}

Json StepsToJson(const std::optional<StepsInfo>& steps) {
  if (!steps) return nullptr;
  Json kinds = Json::array();
  for (const auto& [kind, count] : steps->kinds)
    kinds.push_back({{"kind", kind}, {"count", count}});
  return {{"count", steps->count},
          {"source", steps->source},
          {"cold", steps->cold},
          {"kinds", std::move(kinds)},
          {"why_none", steps->count == 0 ? Json(steps->why_none) : Json(nullptr)}};
}

void AddRecording(const TraceInfo& info, Facts& json) {
  json["nsys_version"] = TextOrNull(info.tool_version);
  json["export_schema"] = TextOrNull(info.schema_version);
  json["source_format"] = info.format;
  json["source_name"] = JsonText(info.source_name);
  json["source_bytes"] = info.source_bytes;
  json["utc_start_ns"] = JsonOrNull(info.utc_start_ns);
  json["driver_version"] = TextOrNull(info.driver_version);
  json["cuda_version"] = TextOrNull(info.cuda_version);
  json["os"] = TextOrNull(info.os);
  json["cpu"] = TextOrNull(info.cpu);
  json["graph_trace_mode"] = TextOrNull(info.graph_trace_mode);
  json["api_calls_incomplete"] = info.api_calls_incomplete;
  json["session_ns"] = JsonOrNull(info.session_ns);
}

// Of a part of the trace, what passed in one-time costs.
Json OneTimeOrNull(const std::optional<StepsInfo>& steps, const std::optional<TimeRange>& part) {
  return steps && part ? Json(steps->one_time.In(*part)) : Json(nullptr);
}

void AddExtent(const InfoFacts& facts, const std::optional<StepsInfo>& steps, Facts& json) {
  json["span_ns"] = LengthOrNull(facts.span);
  json["span_begin_ns"] = facts.span ? Json(facts.span->begin) : Json(nullptr);
  json["gpu_span_ns"] = LengthOrNull(facts.gpu_span);
  json["one_time_ns"] = OneTimeOrNull(steps, facts.gpu_span);
}

void AddCounts(const Trace& trace, const InfoFacts& facts, const std::optional<StepsInfo>& steps,
               Facts& json) {
  Json counts = Json::object();
  for (const auto& [kind, count] : facts.counts) counts[kind] = count;
  json["threads"] = facts.threads;
  json["contexts"] = trace.contexts().size();
  json["streams"] = {{"used", facts.streams_used}, {"known", facts.streams_known}};
  json["steps"] = StepsToJson(steps);
  json["frameworks"] = steps ? FrameworksToJson(steps->frameworks) : Json(nullptr);
  json["counts"] = std::move(counts);
}

}  // namespace

StepsInfo StepsInfoOf(const Trace& trace, const Steps& steps) {
  StepsInfo info;
  if (steps.size() == 0) info.why_none = WhyNoSteps(trace);
  info.count = steps.size();
  info.source = NameOf(steps.source);
  info.cold = steps.With(StepRole::kCold).size();
  info.one_time = steps.one_time;
  for (const StepKindFacts& kind : steps.kinds) info.kinds.emplace_back(kind.name, kind.count);
  info.frameworks = FrameworksIn(trace, NameTable(trace));
  return info;
}

Report MakeInfoReport(const Trace& trace, const TraceSource& source, const Window& window,
                      const std::optional<StepsInfo>& steps) {
  const InfoFacts facts = FindInfoFacts(trace);
  const TraceInfo& info = trace.info();
  Report report("info", source, GpuWords(trace), window);
  AddRecording(info, report.fields);
  AddExtent(facts, steps, report.fields);
  report.AddBeside("capture", CaptureTable(trace, facts, steps));
  report.Add("gpus", GpuTable(trace));
  report.AddForScripts("processes", ProcessTable(trace));
  AddCounts(trace, facts, steps, report.fields);
  report.Show(CountTable(facts, true));
  report.AddBesideForScripts("counts", CountTable(facts, false));
  report.Add("nvtx_domains", DomainTable(facts));
  report.fields["overhead"] = {{"total_ns", facts.overhead_ns},
                               {"share", JsonOrNull(facts.overhead_share)}};
  report.Add("missing", MissingTable(info));
  report.fields["unused_tables"] = TextsJson(info.unused_tables);
  report.Show(ShownDiagnostics(info));
  report.AddForScripts("diagnostics", DiagnosticTable(info));
  report.fields["log"] = LogFacts(trace.log());
  report.AddBeside("log_tables", LogTable(trace.log()));
  report.AddBeside("log_reasons", OddRowsTable(trace.log()));
  report.AddBeside("unused_tables", UnusedTable(info));
  return report;
}

}  // namespace xsp
