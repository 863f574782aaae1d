#include "cli/commands/export_archive.h"

#include <fstream>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "cli/datasets/open_ranks.h"
#include "cli/terminal/result_file.h"
#include "report/exports/perfetto_archive.h"
#include "report/tables/units.h"
#include "sim/ranks/rank_clocks.h"
#include "sim/ranks/rank_matching.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

// How far each trace lies from the common clock, and how well that is known.
struct FittedOffsets {
  std::vector<DurationNs> of_trace;
  std::vector<std::int64_t> rank;  // Of its first rank; kMissing: not told.
  std::string words;
};

FittedOffsets FitOffsets(const std::vector<std::string>& paths, Progress* progress,
                         const NoteSink& note) {
  FittedOffsets fitted;
  std::vector<RankTables> ranks;
  std::vector<std::size_t> first;  // By trace: its first rank.
  for (const std::string& path : paths) {
    first.push_back(ranks.size());
    std::vector<RankTables> of_trace = OpenRankTables(path, progress, note);
    if (of_trace.empty()) throw Error(path + ": has no rank: nothing ran on a device");
    fitted.rank.push_back(of_trace.front().facts.global_rank);
    for (RankTables& rank : of_trace) ranks.push_back(std::move(rank));
  }
  const JobClock clock(ranks, MatchCollectives(ranks));
  std::size_t moments = 0;
  for (const HostClock& host : clock.clocks()) moments += host.moments;
  for (const std::size_t rank : first) {
    const TimeNs middle = std::midpoint(ranks[rank].facts.begin_ns, ranks[rank].facts.end_ns);
    fitted.of_trace.push_back(clock.At(rank, middle) - middle);
  }
  fitted.words = moments > 0 ? "Clocks were fitted by the ends of collectives: 95 % of them lie "
                               "within " +
                                   FormatDuration(clock.Noise()) + " of each other."
                             : "Clocks are those of the hosts: no collective tells how far they "
                               "lie apart.";
  return fitted;
}

// "rank 3"; where that is not told, or told twice, by place.
std::vector<ArchivedTrace> NamesOf(const FittedOffsets& fitted) {
  const std::set<std::int64_t> told(fitted.rank.begin(), fitted.rank.end());
  const bool is_told = told.size() == fitted.rank.size() && !told.contains(kMissing<std::int64_t>);
  std::vector<ArchivedTrace> traces;
  for (std::size_t i = 0; i < fitted.rank.size(); ++i) {
    const std::string number = std::to_string(is_told ? fitted.rank[i] : std::int64_t(i));
    traces.push_back({"rank" + number + ".pftrace", (is_told ? "rank " : "trace ") + number, 0});
  }
  return traces;
}

void CopyInto(const fs::path& file, std::uint64_t size, const ByteSink& sink) {
  constexpr std::size_t kPiece = 1 << 20;
  std::ifstream in(file, std::ios::binary);
  std::string piece(kPiece, '\0');
  std::uint64_t copied = 0;
  while (in.read(piece.data(), kPiece), in.gcount() > 0) {
    CheckInterrupt();
    const auto read = static_cast<std::size_t>(in.gcount());
    sink(std::string_view(piece).substr(0, read));
    copied += read;
  }
  if (copied != size) throw Error(file.string() + ": cannot be read again");
}

void Add(const PerfettoCounts& one, PerfettoCounts& sum) {
  sum.slices += one.slices;
  sum.operations += one.operations;
  sum.waits += one.waits;
  sum.counters += one.counters;
}

}  // namespace

ArchiveOutcome WritePerfettoArchive(const std::vector<std::string>& paths, const fs::path& scratch,
                                    const PerfettoOfTrace& write_one, const ByteSink& sink,
                                    Progress* progress, const NoteSink& note) {
  const FittedOffsets fitted = FitOffsets(paths, progress, note);
  std::vector<ArchivedTrace> traces = NamesOf(fitted);
  ArchiveOutcome outcome;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    PerfettoCounts counts;
    ResultFile(scratch / traces[i].file).CommitPieces([&](const ByteSink& part) {
      counts = write_one(paths[i], part);
    });
    // Times in a file count from its origin.
    traces[i].offset = fitted.of_trace[i] + counts.origin;
    Add(counts, outcome.counts);
  }
  const DurationNs base = traces.front().offset;
  for (ArchivedTrace& trace : traces) trace.offset -= base;
  const std::string manifest = PerfettoManifest(traces);
  sink(TarHeader(kPerfettoManifestName, manifest.size()));
  sink(manifest);
  sink(TarPadding(manifest.size()));
  for (const ArchivedTrace& trace : traces) {
    const std::uint64_t size = fs::file_size(scratch / trace.file);
    sink(TarHeader(trace.file, size));
    CopyInto(scratch / trace.file, size, sink);
    sink(TarPadding(size));
  }
  sink(TarEnd());
  outcome.notes.push_back(fitted.words);
  return outcome;
}

}  // namespace xsp
