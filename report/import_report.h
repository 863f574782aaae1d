#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/event_kind.h"
#include "model/import_log.h"
#include "report/report.h"

namespace xsp {

// What `import` did with one file.
enum class ImportOutcome : std::uint8_t {
  kWritten,
  kReplaced,    // Another stored trace stood there.
  kUpToDate,    // The stored trace was made from this very file: nothing to do.
  kWouldWrite,  // Dry run.
};

struct ImportedFile {
  TraceSource source;
  ImportOutcome outcome = ImportOutcome::kWritten;
  std::string stored;  // The folder of the stored trace.
  std::array<std::uint32_t, kEventKindCount> kind_counts{};
  ImportLog log;
  std::uint64_t source_bytes = 0;
  std::optional<std::uint64_t> stored_bytes;  // None in a dry run.
  std::chrono::milliseconds elapsed{0};       // For people only: no clock in JSON.
};

// One file: its fields as json.md promises them. Several: a list of them under `imports`.
Report MakeImportReport(const std::vector<ImportedFile>& files);

}  // namespace xsp
