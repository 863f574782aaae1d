#include "report/screens/info_json.h"

#include "report/screens/log_report.h"
#include "report/tables/report.h"

namespace xsp {
namespace {

Json TextOrNull(const std::optional<std::string>& text) {
  return text ? JsonText(*text) : Json(nullptr);
}

Json LengthOrNull(const std::optional<TimeRange>& range) {
  return range ? Json(range->Length()) : Json(nullptr);
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
  json["missing"] = RowsOf("missing");
  json["unused_tables"] = Json::array();
  for (const std::string& table : info.unused_tables) {
    json["unused_tables"].push_back(JsonText(table));
  }
  json["diagnostics"] = RowsOf("diagnostics");
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
  json["gpus"] = RowsOf("gpus");
  json["processes"] = RowsOf("processes");
  json["threads"] = facts.threads;
  json["contexts"] = trace.contexts().size();
  json["streams"] = {{"used", facts.streams_used}, {"known", facts.streams_known}};
  json["steps"] = StepsToJson(steps);
  json["counts"] = CountsToJson(facts.counts);
  json["nvtx_domains"] = RowsOf("nvtx_domains");
  json["overhead"] = {{"total_ns", facts.overhead_ns}, {"share", JsonOrNull(facts.overhead_share)}};
  AddLacks(trace.info(), json);
  json["log"] = LogToJson(trace.log());
  return json;
}

}  // namespace xsp
