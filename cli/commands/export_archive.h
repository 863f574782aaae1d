#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/byte_sink.h"
#include "cli/inputs/nsys_report.h"
#include "model/progress.h"
#include "report/exports/perfetto.h"

namespace xsp {

// Writes one trace for Perfetto.
using PerfettoOfTrace =
    std::function<PerfettoCounts(const std::string& path, const ByteSink& sink)>;

struct ArchiveOutcome {
  PerfettoCounts counts;           // Of all ranks.
  std::vector<std::string> notes;  // How well clocks agree.
};

// Traces of the ranks of one run as a TAR that Perfetto opens: a file per trace, and a manifest
// with the offsets of their clocks, fitted by the ends of collectives. One trace is in memory at a
// time; the files lie in `scratch` until all are known. Throws Error.
ArchiveOutcome WritePerfettoArchive(const std::vector<std::string>& paths,
                                    const std::filesystem::path& scratch,
                                    const PerfettoOfTrace& write_one, const ByteSink& sink,
                                    Progress* progress, const NoteSink& note);

}  // namespace xsp
