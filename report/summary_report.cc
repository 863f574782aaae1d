#include "report/summary_report.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/recorder.h"
#include "model/spans.h"
#include "report/devices.h"
#include "report/text.h"
#include "report/units.h"

namespace xsp {
namespace {

// All kernels of one name on one device.
struct KernelRow {
  std::uint32_t device = 0;
  std::string name;
  std::uint64_t count = 0;
  DurationNs total_ns = 0;
  DurationNs longest_ns = 0;
  std::string full_name;  // As in the trace; of the first one where several share a name.
};

void Add(KernelRow& row, const KernelRow& more) {
  row.count += more.count;
  row.total_ns += more.total_ns;
  row.longest_ns = std::max(row.longest_ns, more.longest_ns);
}

// By device and name. Kernels are first put together by the ids of their names: making a name for
// each of millions would take longer than all the rest.
std::vector<KernelRow> GroupKernels(const Trace& trace, NameForm form) {
  struct Same {
    EventId first;
    KernelRow row;
  };
  std::map<std::tuple<std::uint32_t, StringId, StringId>, Same> by_ids;
  for (EventId e : trace.OfKind(EventKind::kKernel)) {
    const auto device = DeviceNumber(trace, trace.track(trace.track_of(e))).value_or(0);
    const StringId mangled = trace.kernels().mangled_name[trace.Row(e, EventKind::kKernel)];
    Same& same = by_ids.try_emplace({device, trace.name_of(e), mangled}, Same{e, {}}).first->second;
    Add(same.row, {device, "", 1, trace.duration(e), trace.duration(e), ""});
  }
  const KernelLabels labels(trace, form);
  std::map<std::pair<std::uint32_t, std::string>, KernelRow> by_name;
  for (const auto& [ids, same] : by_ids) {
    const std::uint32_t device = std::get<0>(ids);
    KernelRow& row = by_name[{device, std::string(labels.Of(same.first))}];
    if (row.count == 0) row.full_name = trace.name(same.first);
    Add(row, same.row);
  }
  std::vector<KernelRow> rows;
  for (auto& [key, row] : by_name) {
    std::tie(row.device, row.name) = key;
    rows.push_back(std::move(row));
  }
  return rows;
}

DurationNs MeanOf(const KernelRow& row) {
  return row.total_ns / static_cast<DurationNs>(row.count);
}

// Largest first, names by the alphabet. The rows come by device and name, which breaks ties.
void SortRows(std::vector<KernelRow>& rows, const std::string& key) {
  auto by = [&](auto value) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const KernelRow& a, const KernelRow& b) { return value(a) > value(b); });
  };
  if (key == "mean") return by(MeanOf);
  if (key == "longest") return by([](const KernelRow& row) { return row.longest_ns; });
  if (key == "count") return by([](const KernelRow& row) { return row.count; });
  if (key == "total") return by([](const KernelRow& row) { return row.total_ns; });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.name < b.name; });
}

std::map<std::uint32_t, DurationNs> TotalByDevice(const std::vector<KernelRow>& rows) {
  std::map<std::uint32_t, DurationNs> totals;
  for (const KernelRow& row : rows) totals[row.device] += row.total_ns;
  return totals;
}

Table DeviceTable(const std::vector<DeviceUse>& devices) {
  Table table("Devices", {{"device", "device", ColumnKind::kInt, 9},
                          {"busy", "busy_ns", ColumnKind::kDuration, kAlways},
                          {"idle", "idle_ns", ColumnKind::kDuration, kAlways},
                          {"busy", "busy_share", ColumnKind::kShare, 8},
                          {"", "bar", ColumnKind::kBar, 1},
                          {"kernels", "kernels", ColumnKind::kInt, 6},
                          {"copies", "copies", ColumnKind::kInt, 4},
                          {"memsets", "memsets", ColumnKind::kInt, 2},
                          {"name", "name", ColumnKind::kName, 7}});
  for (const DeviceUse& use : devices) {
    const double share = ShareOf(use.busy_ns, use.span.Length());
    table.AddRow({use.number, use.busy_ns, use.span.Length() - use.busy_ns, share, share,
                  use.kernels, use.copies, use.memsets, use.name});
  }
  if (devices.empty()) table.AddNote("no device work in this part of the trace");
  return table;
}

// `limit` 0: all rows.
Table KernelTable(const std::vector<KernelRow>& rows, std::size_t limit, bool several_devices) {
  std::vector<TableColumn> columns = {
      {"total", "total_ns", ColumnKind::kDuration, kAlways},
      {"", "share", ColumnKind::kShare, 9},
      {"", "bar", ColumnKind::kBar, 1},
      {"count", "count", ColumnKind::kInt, 8},
      {"mean", "mean_ns", ColumnKind::kDuration, 7},
      {"longest", "longest_ns", ColumnKind::kDuration, 3},
      {"device", "device", ColumnKind::kInt, several_devices ? 9 : 0},
      {"kernel", "name", ColumnKind::kName, kAlways}};
  if (!several_devices) columns.erase(columns.end() - 2);
  Table table("Kernels", std::move(columns));
  const auto totals = TotalByDevice(rows);
  const std::size_t shown = limit == 0 ? rows.size() : std::min(limit, rows.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const KernelRow& row = rows[i];
    const double share = ShareOf(row.total_ns, totals.at(row.device));
    std::vector<Cell> cells = {row.total_ns, share,          share,      row.count,
                               MeanOf(row),  row.longest_ns, row.device, row.name};
    if (!several_devices) cells.erase(cells.end() - 2);
    table.AddRow(std::move(cells));
  }
  if (rows.empty()) table.AddNote("none in this part of the trace");
  if (shown < rows.size()) {
    table.AddNote("and " + FormatCount(static_cast<std::int64_t>(rows.size() - shown)) +
                  " more: --top 0 shows all");
  }
  return table;
}

Table NextTable(const std::vector<NextStep>& steps) {
  Table table("Next", {{"command", "command", ColumnKind::kText, kAlways},
                       {"why", "why", ColumnKind::kText, 5}});
  table.HideHeader();
  table.SetForPeople();
  for (const NextStep& step : steps) table.AddRow({step.command, step.why});
  return table;
}

// Why all devices together did nothing: (cause, time), the largest first.
std::vector<std::pair<IdleCause, DurationNs>> IdleCauses(const IdleReport& idle) {
  std::vector<std::pair<IdleCause, DurationNs>> causes;
  for (std::size_t i = 0; i < kIdleCauseCount; ++i) {
    DurationNs ns = 0;
    for (const DeviceIdle& device : idle.devices) ns += device.causes[i].ns;
    if (ns > 0) causes.emplace_back(static_cast<IdleCause>(i), ns);
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return causes;
}

// "Why idle: untraced host work 66.9 %, ...": the causes that matter.
std::string IdleWords(const IdleReport& idle) {
  constexpr double kWorthSaying = 0.1;
  const auto causes = IdleCauses(idle);
  DurationNs total = 0;
  for (const auto& [cause, ns] : causes) total += cause == IdleCause::kNoWorkLeft ? 0 : ns;
  std::string words;
  for (const auto& [cause, ns] : causes) {
    if (cause == IdleCause::kNoWorkLeft) continue;  // A device's own span ends with its work.
    const double share = ShareOf(ns, total);
    if (!words.empty() && share < kWorthSaying) break;
    words += words.empty() ? "Why idle: " : ", ";
    const bool is_known = cause != IdleCause::kUnexplained;
    words += std::string(is_known ? Meaning(cause) : "not explained") + " " + FormatPercent(share);
  }
  return words.empty() ? words : words + "; xsp idle tells more";
}

Json IdleToJson(const IdleReport* idle) {
  if (idle == nullptr) return nullptr;
  Json json = Json::array();
  for (const auto& [cause, ns] : IdleCauses(*idle)) {
    json.push_back({{"cause", NameOf(cause)}, {"ns", ns}});
  }
  return json;
}

std::string CaptureWords(const Trace& trace) {
  const TraceInfo& info = trace.info();
  std::string words;
  auto add = [&](const std::string& part) { words += (words.empty() ? "" : ", ") + part; };
  if (info.utc_start_ns) add("recorded " + FormatUtc(*info.utc_start_ns));
  if (info.tool_version)
    add(std::string(RecorderName(info.format)) + " " + SafeText(*info.tool_version));
  if (auto span = ProgramSpan(trace)) add("span " + FormatDuration(span->Length()));
  if (auto span = GpuSpan(trace)) add("GPU span " + FormatDuration(span->Length()));
  return words.empty() ? "no events" : words;
}

// Scripts get names as they are in the trace. Short ones stand for one name each; what else was
// asked for with --names is given as it was asked for.
Json KernelsToJson(const Table& table, const std::vector<KernelRow>& rows, NameForm form) {
  Json json = TableRowsToJson(table);
  if (form != NameForm::kShort) return json;
  for (std::size_t i = 0; i < json.size(); ++i) {
    json[i]["name"] = JsonText(rows[i].full_name);
    json[i]["short_name"] = JsonText(rows[i].name);
  }
  return json;
}

Json FieldsOf(const Trace& trace, const Table& devices, Json kernels,
              const SummaryOptions& options) {
  Json fields = Json::object();
  const auto span = ProgramSpan(trace);
  const auto gpu_span = GpuSpan(trace);
  fields["span_ns"] = span ? Json(span->Length()) : Json(nullptr);
  fields["gpu_span_ns"] = gpu_span ? Json(gpu_span->Length()) : Json(nullptr);
  fields["devices"] = TableRowsToJson(devices);
  fields["idle_causes"] = IdleToJson(options.idle);
  fields["kernels"] = std::move(kernels);
  fields["next"] = Json::array();
  for (const NextStep& step : options.next) {
    fields["next"].push_back({{"command", JsonText(step.command)}, {"why", step.why}});
  }
  return fields;
}

}  // namespace

Report MakeSummaryReport(const Trace& trace, const TraceSource& source, const Window& window,
                         const SummaryOptions& options) {
  const std::vector<DeviceUse> devices = UsedDevices(trace);
  Table device_table = DeviceTable(devices);
  std::vector<KernelRow> kernels = GroupKernels(trace, options.names);
  SortRows(kernels, options.sort);
  Table kernel_table = KernelTable(kernels, options.top, devices.size() > 1);
  Report report;
  report.command = "summary";
  report.traces = {source};
  if (std::string gpus = GpuWords(trace); !gpus.empty()) report.about = {gpus};
  report.window = window;
  report.fields =
      FieldsOf(trace, device_table, KernelsToJson(kernel_table, kernels, options.names), options);
  report.sections.emplace_back(CaptureWords(trace));
  if (options.idle != nullptr) {
    if (std::string words = IdleWords(*options.idle); !words.empty()) device_table.AddNote(words);
  }
  report.sections.emplace_back(std::move(device_table));
  report.sections.emplace_back(std::move(kernel_table));
  if (!options.next.empty()) report.sections.emplace_back(NextTable(options.next));
  return report;
}

}  // namespace xsp
