#include "cli/inputs/file_importer.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "cli/inputs/access_as.h"
#include "cli/inputs/hash_task.h"
#include "cli/inputs/nsys_report.h"
#include "cli/inputs/open_trace.h"
#include "cli/inputs/replayed_names.h"
#include "cli/inputs/source_stamp.h"
#include "cli/terminal/console.h"
#include "hierarchy/ranks/make_rank_tables.h"
#include "importers/importer.h"
#include "importers/job_facts.h"
#include "importers/merge/merge.h"
#include "store/checksum.h"

namespace xsp {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::milliseconds Since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
}

std::uint64_t BytesBelow(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

TraceSource SourceOf(const fs::path& file, const TraceInfo& info, const std::string& sha256) {
  return {file.string(), info.format, sha256, info.partial, info.partial_reason};
}

void FillUpToDate(const fs::path& stored, const StoredManifest& manifest, ImportedFile& result) {
  result.outcome = ImportOutcome::kUpToDate;
  result.stored = stored.string();
  result.kind_counts = manifest.kind_counts;
  result.log = manifest.log;
  result.stored_bytes = BytesBelow(stored);
}

// Several files, seen as the one source of a stored trace.
SourceStamp StampOfAll(const std::vector<SourceStamp>& stamps) {
  SourceStamp all;
  std::string hashes;
  for (const SourceStamp& stamp : stamps) {
    all.name += (all.name.empty() ? "" : " + ") + stamp.name;
    all.bytes += stamp.bytes;
    all.mtime_ns = std::max(all.mtime_ns, stamp.mtime_ns);
    hashes += stamp.sha256 + "\n";
  }
  all.sha256 = Sha256Of(hashes);
  return all;
}

// One recording given twice would pass for two ranks that agree to the nanosecond.
void RefuseCopies(const std::vector<std::string>& files, const std::vector<SourceStamp>& stamps) {
  std::map<std::string, std::string> seen;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto [it, is_new] = seen.emplace(stamps[i].sha256, files[i]);
    if (!is_new) {
      throw Error(it->second + " and " + files[i] + " have the same content",
                  "--merge joins different recordings of one run, or one file per rank");
    }
  }
}

std::vector<JoinedSource> WordsOf(const std::vector<JoinedRecording>& joined) {
  std::vector<JoinedSource> words;
  for (const JoinedRecording& from : joined) {
    JoinedSource& to = words.emplace_back();
    to.file = from.file.filename().string();
    to.by = NameOf(from.by);
    if (from.by != JoinedBy::kFirst) to.clock_offset = from.clock.offset;
    if (from.clock.moments > 0) {
      to.moments = from.moments;
      to.matched = from.matched;
      to.residual = from.clock.residual;
      to.within_95 = from.clock.farthest;
    }
    to.taken = from.taken;
    to.left_out = from.left_out;
  }
  return words;
}

}  // namespace

fs::path FileImporter::SourceFileOf(const fs::path& file) const {
  return IsNsysReport(file) ? ExportOfNsysReport(file, Notes(settings_.quiet)) : file;
}

bool FileImporter::IsUpToDate(const ImportJob& job, const std::string& sha256) const {
  if (settings_.force) return false;
  const Standing standing = LookAtTarget(job.stored, sha256);
  if (standing == Standing::kSame) return true;
  if (standing == Standing::kDamaged) return false;  // Written anew, it is what it was.
  throw Error(
      job.stored.string() + " exists and was made from something else than " + job.file.string(),
      "--force replaces it, -o puts the new one elsewhere");
}

Trace FileImporter::ReadAndHash(const fs::path& file, SourceStamp& stamp) {
  std::optional<HashTask> hash;
  if (stamp.sha256.empty()) hash.emplace(file);
  ImportOptions options;
  options.salvage = settings_.salvage;
  options.progress = &progress_;
  Trace trace = ImportFile(file, options);
  if (hash) stamp.sha256 = hash->Wait();
  SourceStamp after = StampOf(file);
  after.sha256 = stamp.sha256;
  if (after != stamp) throw Error(file.string() + " changed while it was being read");
  return trace;
}

void FileImporter::Store(const Trace& trace, const SourceStamp& stamp, const fs::path& stored,
                         ImportedFile& result) {
  result.stored = stored.string();
  result.kind_counts = trace.tables().kind_counts;
  result.log = trace.log();
  result.source_bytes = stamp.bytes;
  if (settings_.dry_run) {
    result.outcome = ImportOutcome::kWouldWrite;
    return;
  }
  if (stored.has_parent_path()) fs::create_directories(stored.parent_path());
  const AccessAs access(readable_as_);
  const std::vector<RankTables> ranks = MakeRankTables(Hierarchy(trace), job_);
  WriteStoredTrace(trace, stamp, stored, &progress_, &ranks);
  result.stored_bytes = BytesBelow(stored);
}

ImportedFile FileImporter::Import(const ImportJob& job) {
  const auto begin = Clock::now();
  const fs::path file = SourceFileOf(job.file);
  SourceStamp stamp = StampOf(file);
  readable_as_ = {file};
  ImportedFile result;
  const bool occupied = LookAtTarget(job.stored, "") != Standing::kNothing;
  if (occupied) {
    stamp.sha256 = Sha256OfFile(file, &progress_);
    // Whether it has the same names, nothing tells.
    if (IsUpToDate(job, stamp.sha256) && settings_.graph_names.empty()) {
      const StoredManifest manifest = ReadManifest(job.stored);
      result.sources = {SourceOf(job.file, manifest.info, manifest.source.sha256)};
      result.source_bytes = stamp.bytes;
      FillUpToDate(job.stored, manifest, result);
      return result;
    }
  }
  if (!settings_.dry_run) CheckWritable(job.stored);
  Trace trace = ReadAndHash(file, stamp);
  job_ = ReadJobFacts(file);
  if (!settings_.graph_names.empty()) {
    trace = NameReplayedKernels(std::move(trace), settings_.graph_names, progress_, settings_.quiet,
                                result.graph_names.emplace());
  }
  result.sources = {SourceOf(job.file, trace.info(), stamp.sha256)};
  Store(trace, stamp, job.stored, result);
  if (occupied && !settings_.dry_run) result.outcome = ImportOutcome::kReplaced;
  result.elapsed = Since(begin);
  return result;
}

FileImporter::ReadFile FileImporter::Read(const fs::path& name) {
  CheckExists(name);
  const fs::path file = SourceFileOf(name);
  SourceStamp stamp = StampOf(file);
  Trace trace = ReadAndHash(file, stamp);
  return {file, std::move(trace), std::move(stamp), ReadJobFacts(file)};
}

ImportedFile FileImporter::Merge(const std::vector<std::string>& files, const fs::path& stored) {
  const auto begin = Clock::now();
  if (!settings_.dry_run) CheckWritable(stored);
  ImportedFile result;
  std::vector<Recording> recordings;
  std::vector<SourceStamp> stamps;
  for (const std::string& name : files) {
    CheckExists(name);
    if (IsStoredTrace(name)) {
      throw Error(name + ": a stored trace; --merge joins the files that were recorded",
                  "give the .sqlite or .json itself");
    }
    const fs::path file = SourceFileOf(name);
    SourceStamp& stamp = stamps.emplace_back(StampOf(file));
    readable_as_.push_back(file);
    recordings.push_back({file, ReadAndHash(file, stamp)});
    result.sources.push_back(SourceOf(name, recordings.back().trace.info(), stamp.sha256));
  }
  RefuseCopies(files, stamps);
  const SourceStamp stamp = StampOfAll(stamps);
  const bool occupied = LookAtTarget(stored, "") != Standing::kNothing;
  if (occupied && IsUpToDate({stamp.name, stored}, stamp.sha256)) {
    result.source_bytes = stamp.bytes;
    FillUpToDate(stored, ReadManifest(stored), result);
    return result;
  }
  const MergedRecordings merged = MergeRecordings(std::move(recordings));
  Store(merged.trace, stamp, stored, result);
  result.joined = WordsOf(merged.joined);
  result.notes = merged.notes;
  if (occupied && !settings_.dry_run) result.outcome = ImportOutcome::kReplaced;
  result.elapsed = Since(begin);
  return result;
}

}  // namespace xsp
