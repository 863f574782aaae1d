#include "cli/datasets/dataset_importer.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/workers.h"
#include "cli/datasets/memory_room.h"
#include "cli/inputs/access_as.h"
#include "cli/inputs/source_stamp.h"
#include "cli/terminal/console.h"
#include "hierarchy/ranks/make_rank_tables.h"
#include "report/tables/units.h"
#include "store/dataset/rank_store.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

// What several imports at once say of their progress: the bytes of the files that are done. Still
// hears Ctrl-C for each of them.
class QuietProgress final : public Progress {
 public:
  explicit QuietProgress(Progress& whole) : whole_(whole) {}
  void Start(std::string_view, std::uint64_t, std::string_view) override {}
  void Advance(std::uint64_t) override { whole_.Advance(0); }

 private:
  Progress& whole_;
};

ImportedRank Failed(const std::string& file, const Error& error) {
  ImportedRank rank;
  rank.file = file;
  rank.trouble = error.what();
  if (!error.hint().empty()) rank.trouble += "; " + std::string(error.hint());
  return rank;
}

}  // namespace

DatasetImporter::DatasetImporter(const DatasetSettings& settings, const ImportSettings& import,
                                 ProgressBar& progress)
    : settings_(settings),
      import_(import),
      progress_(progress),
      run_folder_(fs::path(settings.dataset) / FolderOfRun(settings.run)) {
  if (!settings.rank_regex.empty()) pattern_.emplace(settings.rank_regex);
  std::error_code error;
  if (!fs::is_directory(run_folder_, error)) return;
  for (const DatasetRank& rank : LookAtRun(run_folder_).ranks) {
    if (rank.trouble.empty() && rank.has_tables) known_.emplace(rank.source, rank.folder);
  }
}

void DatasetImporter::SayWhatItTakes(const std::vector<std::string>& files) const {
  std::uint64_t read = 0, stored = 0, missing = 0;
  for (const std::string& file : files) {
    if (KnownRank(file)) continue;  // It takes its room already.
    ++missing;
    read += BytesOf(file);
    stored += DiskToStore(file);
  }
  if (missing == 0) return;
  fs::path folder = fs::absolute(settings_.dataset);
  std::error_code error;
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  const fs::space_info space = fs::space(folder, error);
  const std::string needs = "about " + FormatBytes(stored) + " for " + std::to_string(missing) +
                            (missing == 1 ? " file of " : " files of ") + FormatBytes(read);
  if (!error && space.available < stored) {
    throw Error(settings_.dataset + ": " + FormatBytes(space.available) +
                    " are free, and the run will take " + needs,
                "choose another place for --dataset");
  }
  if (!import_.quiet) {
    SayNote(run_folder_.string() + " will take " + needs +
            (error ? "" : "; " + FormatBytes(space.available) + " are free"));
  }
}

std::vector<ImportedRank> DatasetImporter::Run(const std::vector<std::string>& files) {
  if (files.size() == 1 && !pattern_) default_rank_ = 0;  // A job of one.
  SayWhatItTakes(files);
  if (!import_.dry_run) {
    std::error_code error;
    fs::create_directories(run_folder_, error);
    CheckWritable(run_folder_ / FolderOfRank(0));
  }
  // One mask for the whole process: no rank may be read by more than all of the files.
  const AccessAs access({files.begin(), files.end()});
  std::uint64_t bytes = 0;
  for (const std::string& file : files) bytes += BytesOf(file);
  progress_.Start("importing " + std::to_string(files.size()) + " files", bytes, "bytes");
  MemoryRoom memory(MemoryForImports());
  std::vector<std::vector<ImportedRank>> ranks(files.size());
  const auto threads = static_cast<unsigned>(std::clamp<std::size_t>(settings_.jobs, 1, 256));
  ForEachOnThreads(files.size(), threads, [&](std::size_t i, unsigned) {
    const MemoryRoom::Part part(memory, MemoryToImport(files[i]));
    progress_.Advance(0);
    ranks[i] = ImportOne(files[i]);
    progress_.Advance(BytesOf(files[i]));
  });
  std::vector<ImportedRank> all;
  for (auto& of_file : ranks) std::move(of_file.begin(), of_file.end(), std::back_inserter(all));
  return all;
}

std::vector<ImportedRank> DatasetImporter::ImportOne(const std::string& file) {
  try {
    if (auto known = KnownRank(file)) return {*std::move(known)};
    QuietProgress progress(progress_);
    FileImporter importer(import_, progress);
    const FileImporter::ReadFile read = importer.Read(file);
    const std::vector<RecordedRank> ranks =
        RanksIn(read.trace, read.job, fs::path(file).filename().string(),
                pattern_ ? &*pattern_ : nullptr, default_rank_);
    for (const RecordedRank& rank : ranks) Claim(rank, read.stamp);
    std::vector<ImportedRank> stored;
    for (const RecordedRank& rank : ranks) {
      stored.push_back(Store(read, rank));
      stored.back().file = file;
    }
    return stored;
  } catch (const Error& error) {  // The others can still be imported.
    progress_.Clear();
    SayError(error.what(), error.hint());
    return {Failed(file, error)};
  }
}

std::optional<ImportedRank> DatasetImporter::KnownRank(const std::string& file) const {
  if (import_.force) return std::nullopt;
  const SourceStamp now = StampOf(file);
  const auto [first, last] = known_.equal_range(now.name);
  for (auto it = first; it != last; ++it) {
    const StoredManifest manifest = ReadManifest(it->second);
    if (!IsFresh(manifest, now)) continue;
    ImportedRank rank;
    rank.file = file;
    rank.rank = RankOfFolder(it->second.filename().string());
    rank.outcome = ImportOutcome::kUpToDate;
    rank.stored = it->second.string();
    for (const std::uint32_t count : manifest.kind_counts) rank.events += count;
    return rank;
  }
  return std::nullopt;
}

void DatasetImporter::Claim(const RecordedRank& rank, const SourceStamp& stamp) {
  const std::lock_guard lock(mutex_);
  const SourceStamp& first = claimed_.emplace(rank.rank, stamp).first->second;
  if (first.sha256 == stamp.sha256) return;
  throw Error(stamp.name + ": is rank " + std::to_string(rank.rank) + ", as " + first.name + " is",
              rank.source == "nccl"
                  ? "NCCL numbers ranks in parts of the job: give the run another name, and take "
                    "ranks from names of files, as in --rank-regex 'rank_?([0-9]+)'"
                  : "two runs mixed? give each a --run of its own");
}

bool DatasetImporter::IsThere(const fs::path& stored, const SourceStamp& stamp,
                              std::uint32_t rank) const {
  const Standing standing = LookAtTarget(stored, stamp.sha256);
  if (standing == Standing::kSame) return HasRankTables(stored);
  if (standing == Standing::kNothing || standing == Standing::kDamaged) return false;
  throw Error(stamp.name + ": rank " + std::to_string(rank) + " of run " + settings_.run +
                  " is there already, made from another file",
              "--force replaces it; another --run keeps both");
}

ImportedRank DatasetImporter::Store(const FileImporter::ReadFile& read, const RecordedRank& rank) {
  ImportedRank result;
  result.rank = rank.rank;
  result.rank_source = rank.source;
  const fs::path stored = run_folder_ / FolderOfRank(rank.rank);
  result.stored = stored.string();
  const std::optional<Trace> part =
      rank.process ? std::optional<Trace>(OnlyProcess(read.trace, *rank.process)) : std::nullopt;
  const Trace& trace = part ? *part : read.trace;
  result.events = trace.event_count();
  if (!import_.force && IsThere(stored, read.stamp, rank.rank)) {
    result.outcome = ImportOutcome::kUpToDate;
    return result;
  }
  if (import_.dry_run) {
    result.outcome = ImportOutcome::kWouldWrite;
    return result;
  }
  SourceStamp stamp = read.stamp;
  // Only a file that is one rank can be known by its name again.
  if (part) stamp.name += " (rank " + std::to_string(rank.rank) + ")";
  const std::vector<RankTables> tables = MakeRankTables(Hierarchy(trace), read.job);
  std::error_code error;
  const bool was_there = fs::exists(stored, error);
  try {
    QuietProgress progress(progress_);
    WriteStoredTrace(trace, stamp, stored, &progress, &tables);
    result.outcome = was_there ? ImportOutcome::kReplaced : ImportOutcome::kWritten;
  } catch (const Error&) {
    // Where nothing can be locked, another one may have come first with the very same.
    if (LookAtTarget(stored, stamp.sha256) != Standing::kSame) throw;
    result.outcome = ImportOutcome::kUpToDate;
  }
  std::uint64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(stored, error)) {
    bytes += BytesOf(entry.path());
  }
  result.stored_bytes = bytes;
  return result;
}

}  // namespace xsp
