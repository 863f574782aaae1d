#include "store/manifest_json.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "store/checksum.h"
#include "store/json_fields.h"

namespace xsp {
namespace {

constexpr std::string_view kVersionField = "xsp_stored_trace";
constexpr std::string_view kChecksumField = "manifest_sha256";

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json ToJson(const SourceStamp& source) {
  return {{"name", source.name},
          {"bytes", source.bytes},
          {"mtime_ns", source.mtime_ns},
          {"sha256", source.sha256}};
}

SourceStamp ToSource(const Json& json) {
  return {TextField(json, "name"), CountField(json, "bytes"), NumberField(json, "mtime_ns"),
          TextField(json, "sha256")};
}

Json ToJson(const TraceInfo& info) {
  Json missing = Json::array();
  for (const MissingData& m : info.missing) missing.push_back({{"what", m.what}, {"flag", m.flag}});
  Json diagnostics = Json::array();
  for (const Diagnostic& d : info.diagnostics) {
    diagnostics.push_back({{"time_ns", d.time}, {"is_error", d.is_error}, {"text", d.text}});
  }
  return {{"format", info.format},
          {"source_name", info.source_name},
          {"source_bytes", info.source_bytes},
          {"tool_version", OrNull(info.tool_version)},
          {"schema_version", OrNull(info.schema_version)},
          {"utc_start_ns", OrNull(info.utc_start_ns)},
          {"session_ns", OrNull(info.session_ns)},
          {"driver_version", OrNull(info.driver_version)},
          {"cuda_version", OrNull(info.cuda_version)},
          {"os", OrNull(info.os)},
          {"cpu", OrNull(info.cpu)},
          {"graph_trace_mode", OrNull(info.graph_trace_mode)},
          {"api_calls_incomplete", info.api_calls_incomplete},
          {"partial", info.partial},
          {"partial_reason", info.partial_reason},
          {"missing", missing},
          {"unused_tables", info.unused_tables},
          {"diagnostics", diagnostics}};
}

void ReadLists(const Json& json, TraceInfo& info) {
  for (const Json& m : ListField(json, "missing")) {
    info.missing.push_back({TextField(m, "what"), TextField(m, "flag")});
  }
  for (const Json& table : ListField(json, "unused_tables")) {
    if (!table.is_string()) throw Error("\"unused_tables\" holds something that is not a text");
    info.unused_tables.push_back(table.get<std::string>());
  }
  for (const Json& d : ListField(json, "diagnostics")) {
    info.diagnostics.push_back(
        {NumberField(d, "time_ns"), BoolField(d, "is_error"), TextField(d, "text")});
  }
}

TraceInfo ToInfo(const Json& json) {
  TraceInfo info;
  info.format = TextField(json, "format");
  info.source_name = TextField(json, "source_name");
  info.source_bytes = CountField(json, "source_bytes");
  info.tool_version = OptionalText(json, "tool_version");
  info.schema_version = OptionalText(json, "schema_version");
  info.utc_start_ns = OptionalNumber(json, "utc_start_ns");
  info.session_ns = OptionalNumber(json, "session_ns");
  info.driver_version = OptionalText(json, "driver_version");
  info.cuda_version = OptionalText(json, "cuda_version");
  info.os = OptionalText(json, "os");
  info.cpu = OptionalText(json, "cpu");
  info.graph_trace_mode = OptionalText(json, "graph_trace_mode");
  info.api_calls_incomplete = BoolField(json, "api_calls_incomplete");
  info.partial = BoolField(json, "partial");
  info.partial_reason = TextField(json, "partial_reason");
  ReadLists(json, info);
  return info;
}

Json ToJson(const ImportLog& log) {
  Json tables = Json::array();
  for (const auto& [table, tally] : log.tallies()) {
    tables.push_back({{"table", table},
                      {"read", tally.read},
                      {"kept", tally.kept},
                      {"set_aside", tally.set_aside}});
  }
  Json issues = Json::array();
  for (const auto& [key, issue] : log.issues()) {
    issues.push_back({{"table", key.first},
                      {"reason", NameOf(key.second)},
                      {"count", issue.count},
                      {"sample", issue.sample}});
  }
  return {{"tables", tables}, {"issues", issues}};
}

ImportReason ReasonFromName(const std::string& name) {
  for (std::size_t i = 0; i < kImportReasonCount; ++i) {
    const auto reason = static_cast<ImportReason>(i);
    if (NameOf(reason) == name) return reason;
  }
  throw Error("\"reason\" is unknown: " + name);
}

ImportLog ToLog(const Json& json) {
  ImportLog log;
  for (const Json& t : ListField(json, "tables")) {
    log.Restore(TextField(t, "table"),
                {CountField(t, "read"), CountField(t, "kept"), CountField(t, "set_aside")});
  }
  for (const Json& i : ListField(json, "issues")) {
    log.Restore({TextField(i, "table"), ReasonFromName(TextField(i, "reason"))},
                {CountField(i, "count"), TextField(i, "sample")});
  }
  return log;
}

Json TablesToJson(const StoredManifest& manifest) {
  Json tables = Json::object();
  for (const auto& [name, table] : manifest.tables) {
    tables[name] = {{"rows", table.rows}};
    if (table.rows == 0) continue;
    tables[name]["bytes"] = table.file.bytes;
    tables[name]["sha256"] = table.file.sha256;
  }
  return tables;
}

std::map<std::string, StoredTable> ToTables(const Json& json) {
  std::map<std::string, StoredTable> tables;
  for (const auto& [name, table] : json.items()) {
    StoredTable& to = tables[name];
    to.rows = CountField(table, "rows");
    if (to.rows > 0) to.file = {CountField(table, "bytes"), TextField(table, "sha256")};
  }
  return tables;
}

Json KindsToJson(const StoredManifest& manifest) {
  Json kinds = Json::object();
  for (EventKind kind : AllEventKinds()) {
    kinds[std::string(NameOf(kind))] = manifest.kind_counts[IndexOf(kind)];
  }
  return kinds;
}

void ReadKinds(const Json& json, StoredManifest& manifest) {
  for (const auto& [name, ignored] : json.items()) {
    const auto kind = EventKindFromName(name);
    const std::uint64_t count = CountField(json, name);
    if (!kind) throw Error("\"kinds\" names an unknown kind: " + name);
    if (count > std::numeric_limits<std::uint32_t>::max()) throw Error("too many events: " + name);
    manifest.kind_counts[IndexOf(*kind)] = static_cast<std::uint32_t>(count);
  }
}

std::string Dump(const Json& json) {
  try {
    return json.dump(2);
  } catch (const Json::exception&) {
    throw Error("a text about the trace is not valid UTF-8");
  }
}

void CheckVersion(const Json& version, StoredManifest& manifest) {
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  manifest.major = static_cast<int>(std::min(CountField(version, "major"), kMost));
  manifest.minor = static_cast<int>(std::min(CountField(version, "minor"), kMost));
  if (manifest.major == kFormatMajor) return;
  const std::string found =
      std::to_string(manifest.major) + "." + std::to_string(manifest.minor) + ")";
  const std::string ours = ", this one reads " + std::to_string(kFormatMajor) + ".x";
  if (manifest.major > kFormatMajor) {
    throw Error("written by a newer xsp (format " + found + ours, "update xsp or import again");
  }
  throw Error("written by an older xsp (format " + found + ours, "import again");
}

}  // namespace

std::string ManifestText(const StoredManifest& manifest) {
  Json json = {{kVersionField, {{"major", manifest.major}, {"minor", manifest.minor}}},
               {"writer", manifest.writer},
               {"source", ToJson(manifest.source)},
               {"trace", ToJson(manifest.info)},
               {"kinds", KindsToJson(manifest)},
               {"tables", TablesToJson(manifest)},
               {"import_log", ToJson(manifest.log)}};
  json[std::string(kChecksumField)] = Sha256Of(Dump(json));
  return Dump(json) + "\n";
}

StoredManifest ParseManifest(std::string_view text) {
  if (text.substr(0, kManifestStart.size()) != kManifestStart) {
    throw Error("this is not the manifest of a stored trace");
  }
  // Writing what was read, to check it, recurses; and keys that stand in order are looked up one by
  // one. Neither as deep nor as many as a file likes.
  std::vector<int> keys;  // Of each object that is open.
  const auto check = [&keys](int depth, Json::parse_event_t event, Json&) {
    constexpr int kDeepest = 16;
    constexpr int kMostKeys = 2000;
    if (depth > kDeepest) throw Error("damaged: it is nested too deeply");
    if (event == Json::parse_event_t::object_start) keys.push_back(0);
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && ++keys.back() > kMostKeys) {
      throw Error("damaged: an object in it has too many keys");
    }
    return true;
  };
  Json json = Json::parse(text, check, false);
  if (json.is_discarded()) throw Error("damaged: it is not JSON");

  StoredManifest manifest;
  CheckVersion(ObjectField(json, kVersionField), manifest);
  const std::string checksum = TextField(json, kChecksumField);
  json.erase(std::string(kChecksumField));
  if (Sha256Of(Dump(json)) != checksum) throw Error("damaged: its checksum is wrong");

  manifest.writer = TextField(json, "writer");
  manifest.source = ToSource(ObjectField(json, "source"));
  manifest.info = ToInfo(ObjectField(json, "trace"));
  ReadKinds(ObjectField(json, "kinds"), manifest);
  manifest.tables = ToTables(ObjectField(json, "tables"));
  manifest.log = ToLog(ObjectField(json, "import_log"));
  return manifest;
}

}  // namespace xsp
