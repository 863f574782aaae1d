#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/inputs/nsys_report.h"
#include "model/progress.h"
#include "model/trace.h"
#include "report/tables/report.h"

namespace xsp {

// A trace that was read, and what to call it.
struct OpenedTrace {
  Trace trace;
  TraceSource source;
  bool from_store = false;  // Read from a stored trace, be it in place of its source.
};

// Reads whatever the user calls a trace: content decides, not the name. An export whose stored
// trace lies beside it, fresh by size and time, is read from there; a stale one is left alone, and
// `note` hears of it. Throws Error.
OpenedTrace OpenTrace(const std::filesystem::path& path, Progress* progress, const NoteSink& note);

// The stored trace that OpenTrace would read, and what to call it.
struct StoredPlace {
  std::filesystem::path folder;
  TraceSource source;
};
// Nothing where OpenTrace would read something else, or would have something to say first.
std::optional<StoredPlace> FindStored(const std::filesystem::path& path);

// Says in the report that a journal of another program lies beside the file, if one does: before
// all else, as the figures may lack what that program wrote last.
void WarnOfJournal(const std::filesystem::path& path, Report& report);

// Throws Error if there is no such file, with the name of a similar one beside it.
void CheckExists(const std::filesystem::path& path);

}  // namespace xsp
