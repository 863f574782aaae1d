#include "report/info_json.h"

#include "report/log_report.h"

namespace xsp {
namespace {

template <class T>
Json NumberOrNull(T value) {
  return value == kMissing<T> ? Json(nullptr) : Json(value);
}

Json TextOrNull(const Trace& trace, StringId id) {
  return id.valid() ? JsonText(trace.strings()[id]) : Json(nullptr);
}

Json TextOrNull(const std::optional<std::string>& text) {
  return text ? JsonText(*text) : Json(nullptr);
}

Json LengthOrNull(const std::optional<TimeRange>& range) {
  return range ? Json(range->Length()) : Json(nullptr);
}

Json GpuToJson(const Trace& trace, const Gpu& gpu) {
  Json json = {{"name", TextOrNull(trace, gpu.name)},
               {"cuda_ordinal", NumberOrNull(gpu.cuda_ordinal)},
               {"sm_count", NumberOrNull(gpu.sm_count)},
               {"memory_bytes", NumberOrNull(gpu.memory_bytes)},
               {"memory_bandwidth", NumberOrNull(gpu.memory_bandwidth)},
               {"l2_bytes", NumberOrNull(gpu.l2_bytes)},
               {"clock_hz", NumberOrNull(gpu.clock_hz)},
               {"chip", TextOrNull(trace, gpu.chip)},
               {"bus", TextOrNull(trace, gpu.bus)}};
  const bool known = gpu.compute_major != kMissing<std::uint32_t>;
  json["compute_capability"] =
      known ? Json(std::to_string(gpu.compute_major) + "." + std::to_string(gpu.compute_minor))
            : Json(nullptr);
  return json;
}

Json ProcessesToJson(const Trace& trace) {
  Json list = Json::array();
  for (const Process& process : trace.processes()) {
    list.push_back({{"pid", process.pid}, {"name", TextOrNull(trace, process.name)}});
  }
  return list;
}

Json DomainsToJson(const InfoFacts& facts) {
  Json list = Json::array();
  for (const DomainUse& domain : facts.domains) {
    list.push_back({{"pid", domain.pid},
                    {"name", JsonText(domain.name)},
                    {"ranges", domain.ranges},
                    {"marks", domain.marks}});
  }
  return list;
}

Json StepsToJson(const std::optional<StepsInfo>& steps) {
  if (!steps) return nullptr;
  return {{"count", steps->count},
          {"source", steps->source},
          {"cold", steps->cold},
          {"why_none", steps->count == 0 ? Json(steps->why_none) : Json(nullptr)}};
}

void AddRecording(const TraceInfo& info, Json& json) {
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

void AddLacks(const TraceInfo& info, Json& json) {
  json["missing"] = Json::array();
  for (const MissingData& missing : info.missing) {
    json["missing"].push_back({{"what", missing.what}, {"flag", missing.flag}});
  }
  json["unused_tables"] = Json::array();
  for (const std::string& table : info.unused_tables) {
    json["unused_tables"].push_back(JsonText(table));
  }
  json["diagnostics"] = Json::array();
  for (const Diagnostic& diagnostic : info.diagnostics) {
    json["diagnostics"].push_back({{"time_ns", diagnostic.time},
                                   {"is_error", diagnostic.is_error},
                                   {"text", JsonText(diagnostic.text)}});
  }
}

}  // namespace

Json CountsToJson(const std::vector<std::pair<std::string, std::uint64_t>>& counts) {
  Json json = Json::object();
  for (const auto& [kind, count] : counts) json[kind] = count;
  return json;
}

Json InfoToJson(const Trace& trace, const InfoFacts& facts, const std::optional<StepsInfo>& steps) {
  Json json = Json::object();
  AddRecording(trace.info(), json);
  json["span_ns"] = LengthOrNull(facts.span);
  json["span_begin_ns"] = facts.span ? Json(facts.span->begin) : Json(nullptr);
  json["gpu_span_ns"] = LengthOrNull(facts.gpu_span);
  json["gpus"] = Json::array();
  for (const Gpu& gpu : trace.gpus()) json["gpus"].push_back(GpuToJson(trace, gpu));
  json["processes"] = ProcessesToJson(trace);
  json["threads"] = facts.threads;
  json["contexts"] = trace.contexts().size();
  json["streams"] = {{"used", facts.streams_used}, {"known", facts.streams_known}};
  json["steps"] = StepsToJson(steps);
  json["counts"] = CountsToJson(facts.counts);
  json["nvtx_domains"] = DomainsToJson(facts);
  json["overhead"] = {{"total_ns", facts.overhead_ns}, {"share", JsonOrNull(facts.overhead_share)}};
  AddLacks(trace.info(), json);
  json["log"] = LogToJson(trace.log());
  return json;
}

}  // namespace xsp
