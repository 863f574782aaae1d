#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "model/event_kind.h"
#include "model/import_log.h"
#include "model/progress.h"
#include "model/trace.h"
#include "model/trace_info.h"

// The stored trace: a folder, by custom NAME.xsp, that holds one Parquet file per table and
// manifest.json. Every table and column is described in docs/stored-trace.md.
namespace xsp {

struct RankTables;

// The version of the format. A reader takes any minor version of its own major one.
inline constexpr int kFormatMajor = 1;
inline constexpr int kFormatMinor = 1;

// Which file a stored trace was made from.
struct SourceStamp {
  std::string name;  // File name without its folder.
  std::uint64_t bytes = 0;
  std::int64_t mtime_ns = 0;  // Last modification, since 1970 UTC.
  std::string sha256;         // Of its content, 64 hex digits; empty if it was not hashed.

  bool operator==(const SourceStamp&) const = default;
};

// The size and content of one file of a stored trace.
struct StoredFile {
  std::uint64_t bytes = 0;
  std::string sha256;

  bool operator==(const StoredFile&) const = default;
};

// One table of a stored trace. A table without rows has no file.
struct StoredTable {
  std::uint64_t rows = 0;
  StoredFile file;

  bool operator==(const StoredTable&) const = default;
};

// manifest.json: everything about a stored trace but its rows.
struct StoredManifest {
  int major = kFormatMajor;
  int minor = kFormatMinor;
  std::string writer;  // "xsp 0.1.0".
  SourceStamp source;
  TraceInfo info;
  std::array<std::uint32_t, kEventKindCount> kind_counts{};
  std::map<std::string, StoredTable> tables;  // By name: "events", "kernels", ...
  ImportLog log;

  bool operator==(const StoredManifest&) const = default;
};

// Whether this is a folder with our manifest (perhaps a damaged one, or of another version).
bool IsStoredTrace(const std::filesystem::path& folder);

// Reads the manifest alone. Throws Error if it is missing, damaged or of a newer major version.
StoredManifest ReadManifest(const std::filesystem::path& folder);

// Reads a stored trace; the result equals what was written. Throws Error that names the file and
// what is wrong with it: every byte is covered by a checksum. Works on several threads.
Trace LoadStoredTrace(const std::filesystem::path& folder, Progress* progress = nullptr);

// Writes a trace. The folder appears as a whole or not at all: everything is written and flushed
// beside it, under a hidden name, and renamed. An existing stored trace is replaced; anything else
// of that name is left alone and is an Error. `ranks`: the small tables of the trace, which go with
// it. Works on several threads.
void WriteStoredTrace(const Trace& trace, const SourceStamp& source,
                      const std::filesystem::path& folder, Progress* progress = nullptr,
                      const std::vector<RankTables>* ranks = nullptr);

// SHA-256 of a file's content, as 64 hex digits. Throws Error if it cannot be read.
std::string Sha256OfFile(const std::filesystem::path& file, Progress* progress = nullptr);

}  // namespace xsp
