#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/event_kind.h"
#include "model/import_log.h"
#include "model/time.h"
#include "report/tables/report.h"

namespace xsp {

// What `import` did with one file.
enum class ImportOutcome : std::uint8_t {
  kWritten,
  kReplaced,    // Another stored trace stood there.
  kUpToDate,    // The stored trace was made from this very file: nothing to do.
  kWouldWrite,  // Dry run.
};

std::string_view NameOf(ImportOutcome outcome);  // "written", "up_to_date", ...
std::string WordOf(ImportOutcome outcome);       // "written", "up to date", ...

// One of several recordings that became one trace.
struct JoinedSource {
  std::string file;                        // Its name without the folder.
  std::string by;                          // What it was put on the first one's clock by.
  std::optional<std::size_t> moments;      // Kernels or collectives that the first could have, too,
  std::optional<std::size_t> matched;      // and those that were found there.
  std::optional<DurationNs> clock_offset;  // Added to its times; none for the first.
  std::optional<DurationNs> residual;      // What half of the matched moments stay within,
  std::optional<DurationNs> within_95;     // and 95 of 100 of them.
  std::map<EventKind, std::uint32_t> taken;     // Its events in the trace.
  std::map<EventKind, std::uint32_t> left_out;  // Those that the first has already.
};

// Kernels that CUDA graphs replayed, and those that got layers and operations from another file.
struct NamedReplays {
  std::string file;
  std::uint64_t replayed = 0;
  std::uint64_t named = 0;
};

struct ImportedFile {
  std::vector<TraceSource> sources;         // Several where --merge joined them.
  std::vector<JoinedSource> joined;         // The same, with how; empty for one file.
  std::vector<std::string> notes;           // What a person should know of the joining.
  std::optional<NamedReplays> graph_names;  // Where --graph-names was asked for.
  ImportOutcome outcome = ImportOutcome::kWritten;
  std::string stored;  // The folder of the stored trace.
  std::array<std::uint32_t, kEventKindCount> kind_counts{};
  ImportLog log;
  std::uint64_t source_bytes = 0;
  std::optional<std::uint64_t> stored_bytes;  // None in a dry run.
  std::chrono::milliseconds elapsed{0};       // For people only: no clock in JSON.
};

// One trace: its fields as json.md promises them. Several: a list of them under `imports`.
Report MakeImportReport(const std::vector<ImportedFile>& files);

// What became of one rank of a recording, or of a recording that gave none.
struct ImportedRank {
  std::string file;
  std::optional<std::uint32_t> rank;
  std::string rank_source;
  ImportOutcome outcome = ImportOutcome::kWritten;
  std::string trouble;  // Why there is none; empty: it is there.
  std::string stored;
  std::uint64_t events = 0;
  std::optional<std::uint64_t> stored_bytes;
};

// `import --dataset`: what became of each file, troubles first.
Report MakeDatasetImportReport(const std::string& dataset, const std::string& run,
                               std::vector<ImportedRank> ranks);

// One run of a dataset.
struct RunRow {
  std::string run;
  std::string folder;
  std::uint64_t ranks = 0;
  std::optional<std::uint64_t> world_size;
  std::string gpu;
  std::optional<std::uint64_t> hosts;
  std::optional<std::uint64_t> steps;      // Counted ones, of the rank that has most.
  std::optional<std::int64_t> step_ns;     // Their mean, over the ranks.
  std::optional<std::int64_t> started_ns;  // The first recording, since 1970.
  std::uint64_t bytes = 0;
  std::vector<std::string> oddities;
};

// `runs`: all runs of a dataset.
Report MakeRunsReport(const std::string& dataset, const std::vector<RunRow>& runs);

}  // namespace xsp
