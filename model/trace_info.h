#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/time.h"

namespace xsp {

// Something that the capture lacks, and how to record it.
struct MissingData {
  std::string what;  // "CPU samples".
  std::string flag;  // "--sample=process-tree"; the exact option of the recording tool.

  bool operator==(const MissingData&) const = default;
};

// What the recording tool itself reported: lost events and other warnings.
struct Diagnostic {
  TimeNs time = 0;
  bool is_error = false;
  std::string text;

  bool operator==(const Diagnostic&) const = default;
};

// Where a trace came from and how it was recorded. Holds nothing of the recorded process's
// environment, arguments or output: exports carry secrets there.
struct TraceInfo {
  // The source.
  std::string format;       // "nsys-sqlite".
  std::string source_name;  // File name without its folder.
  std::uint64_t source_bytes = 0;

  // The recording.
  std::optional<std::string> tool_version;    // nsys that exported, "2025.6.1.190".
  std::optional<std::string> schema_version;  // "3.24.7".
  std::optional<std::int64_t> utc_start_ns;   // UTC of time 0.
  std::optional<DurationNs> session_ns;       // How long was recorded, by the tool's own word.
  std::optional<std::string> driver_version;  // GPU driver.
  std::optional<std::string> cuda_version;    // Highest CUDA version of the driver, "12.8".
  std::optional<std::string> os;
  std::optional<std::string> cpu;
  std::optional<std::string> graph_trace_mode;  // "graph" or "node", where the source says.
  bool api_calls_incomplete = false;            // The recorder was told to skip some API calls.

  // What is not in the trace.
  bool partial = false;        // Salvaged from a damaged source.
  std::string partial_reason;  // What was damaged, if partial.
  std::vector<MissingData> missing;
  std::vector<std::string> unused_tables;  // Present in the source, not read into the model.
  std::vector<Diagnostic> diagnostics;     // Warnings and errors of the recording tool.

  bool operator==(const TraceInfo&) const = default;
};

}  // namespace xsp
