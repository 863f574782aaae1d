#include "store/baselines/baselines.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>

#include "base/dates.h"
#include "base/error.h"
#include "store/baselines/baseline_index.h"
#include "store/checksum.h"
#include "store/folder_in_progress.h"
#include "store/output_file.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRunSuffix = ".xsp";
constexpr std::string_view kNewPrefix = ".new-";
constexpr std::size_t kContentDigits = 12;

Error CannotUse(const fs::path& folder, const std::error_code& error) {
  return Error("the folder of baselines " + folder.string() + ": " + error.message(),
               "choose another with --dir DIR or XSP_BASELINES");
}

// Names of the folders in a folder that are not hidden, sorted.
std::vector<std::string> FoldersIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (!name.starts_with('.') && it->is_directory(ignored)) names.push_back(name);
  }
  if (error && error != std::errc::no_such_file_or_directory) throw CannotUse(folder, error);
  std::sort(names.begin(), names.end());
  return names;
}

struct RunFolders {
  std::vector<std::string> ids;   // Of those that are stored traces, oldest first.
  std::vector<fs::path> damaged;  // The others: a cache that was restored in part, say.
};

RunFolders RunFoldersIn(const fs::path& baseline) {
  RunFolders runs;
  for (const std::string& name : FoldersIn(baseline)) {
    if (!name.ends_with(kRunSuffix)) continue;
    if (IsStoredTrace(baseline / name)) {
      runs.ids.push_back(name.substr(0, name.size() - kRunSuffix.size()));
    } else {
      runs.damaged.push_back(baseline / name);
    }
  }
  return runs;
}

IndexEntry Describe(const fs::path& run, const DescribeRun& describe) {
  const Trace trace = LoadStoredTrace(run);
  return {ReadManifest(run).source.name, describe(trace)};
}

// What a run holds, whatever file it came from and whenever it was stored.
std::string ContentOf(const StoredManifest& manifest) {
  std::string all;
  for (const auto& [name, table] : manifest.tables) {
    all += name + " " + std::to_string(table.rows) + " " + table.file.sha256 + "\n";
  }
  return Sha256Of(all).substr(0, kContentDigits);
}

std::string StampOf(std::int64_t time) {
  const UtcTime utc = UtcOf(time);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d%02u%02uT%02u%02u%02uZ", utc.year, utc.month,
                utc.day, utc.hour, utc.minute, utc.second);
  return text.data();
}

bool HasContent(const std::vector<std::string>& ids, const std::string& content) {
  return std::any_of(ids.begin(), ids.end(),
                     [&](const std::string& id) { return id.ends_with("-" + content); });
}

void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw CannotUse(folder, error);
}

// Moves a run out of sight, then removes it: nobody sees half of one.
void RemoveRun(const fs::path& run) {
  const fs::path hidden = run.parent_path() / (std::string(kNewPrefix) + run.filename().string());
  std::error_code error;
  fs::rename(run, hidden, error);
  if (error) throw CannotUse(run, error);
  fs::remove_all(hidden, error);
}

// What killed writers left in a baseline: hidden folders that nobody has locked.
void RemoveUnfinishedRuns(const fs::path& baseline) {
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator it(baseline, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with(kNewPrefix)) left.push_back(it->path());
  }
  for (const fs::path& folder : left) {
    if (FolderLock(folder, FolderLock::Wait::kNo).held()) fs::remove_all(folder, error);
  }
}

// Brings the index up to what was found. Left for the next one where somebody else is at it: a
// writer, or a reader in this process.
void RepairIndex(const fs::path& folder, const BaselineIndex& found) {
  const FolderLock turn(folder, FolderLock::Wait::kNo);
  if (!turn.held()) return;
  BaselineIndex index = ReadIndex(folder);
  std::erase_if(index, [&](const auto& run) {
    const auto& [baseline, id] = run.first;
    return !IsStoredTrace(folder / FolderOfBaseline(baseline) / (id + std::string(kRunSuffix)));
  });
  index.insert(found.begin(), found.end());
  try {
    WriteIndex(folder, index);
  } catch (const Error&) {
    // A folder that cannot be written to can still be read.
  }
}

}  // namespace

BaselineLock::BaselineLock(const fs::path& folder)
    : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (fd_ >= 0) ::flock(fd_, LOCK_SH);
}

BaselineLock::~BaselineLock() {
  if (fd_ >= 0) ::close(fd_);
}

std::vector<Baseline> ListBaselines(const fs::path& folder, const DescribeRun& describe) {
  std::optional<BaselineLock> reading(folder);
  const BaselineIndex index = ReadIndex(folder);
  BaselineIndex found;
  std::vector<Baseline> baselines;
  for (const std::string& name : FoldersIn(folder)) {
    const std::optional<std::string> shown = BaselineOfFolder(name);
    if (!shown) continue;
    RunFolders runs = RunFoldersIn(folder / name);
    Baseline baseline{*shown, {}, ReadNoise(folder / name), std::move(runs.damaged)};
    for (const std::string& id : runs.ids) {
      const fs::path run = folder / name / (id + std::string(kRunSuffix));
      const auto known = index.find({*shown, id});
      const IndexEntry entry = known != index.end() ? known->second : Describe(run, describe);
      found[{*shown, id}] = entry;
      baseline.runs.push_back({id, run, entry.source, entry.facts});
    }
    const bool has_any = !baseline.runs.empty() || !baseline.damaged.empty();
    if (has_any) baselines.push_back(std::move(baseline));
  }
  reading.reset();
  if (found != index) RepairIndex(folder, found);
  return baselines;
}

std::optional<Baseline> FindBaseline(const fs::path& folder, std::string_view name,
                                     const DescribeRun& describe) {
  for (Baseline& baseline : ListBaselines(folder, describe)) {
    if (baseline.name == name) return std::move(baseline);
  }
  return std::nullopt;
}

struct BaselineWriter::Work {
  fs::path folder;
  std::string name;
  fs::path baseline;  // FOLDER/NAME.
  fs::path incoming;  // Where new runs lie until they are committed.
  FolderLock lock;    // Of `incoming`: shows others that its writer lives.
  struct NewRun {
    fs::path place;
    std::string content;
    IndexEntry entry;
  };
  std::vector<NewRun> runs;
};

BaselineWriter::BaselineWriter(const fs::path& folder, std::string_view name)
    : work_(std::make_unique<Work>()) {
  static std::atomic<unsigned> count = 0;
  work_->folder = folder;
  work_->name = name;
  work_->baseline = folder / FolderOfBaseline(name);
  MakeFolder(work_->folder);
  // Locked, so that nobody takes the new folder for a leftover before it is locked itself, or
  // removes the baseline under it.
  const FolderLock turn(work_->folder, FolderLock::Wait::kYes);
  MakeFolder(work_->baseline);
  if (turn.held()) RemoveUnfinishedRuns(work_->baseline);
  work_->incoming = work_->baseline / (std::string(kNewPrefix) + std::to_string(::getpid()) + "-" +
                                       std::to_string(count++));
  MakeFolder(work_->incoming);
  work_->lock = FolderLock(work_->incoming, FolderLock::Wait::kNo);
}

BaselineWriter::~BaselineWriter() {
  std::error_code ignored;
  fs::remove_all(work_->incoming, ignored);
  fs::remove(work_->baseline, ignored);  // Only where it is empty.
}

void BaselineWriter::Add(const Trace& trace, const SourceStamp& source, const RunFacts& facts,
                         Progress* progress) {
  // Storing locks the folder that it stores in, so that must not be the one that is locked here.
  const fs::path place = work_->incoming / std::to_string(work_->runs.size()) / "run.xsp";
  MakeFolder(place.parent_path());
  WriteStoredTrace(trace, source, place, progress);
  work_->runs.push_back({place, ContentOf(ReadManifest(place)), {source.name, facts}});
}

BaselineWriter::Result BaselineWriter::Commit(bool replace, std::int64_t time) {
  const FolderLock turn(work_->folder, FolderLock::Wait::kYes);
  MakeFolder(work_->baseline);
  Result result;
  RunFolders there = RunFoldersIn(work_->baseline);
  if (!replace && !there.damaged.empty()) {
    throw Error("baseline '" + work_->name + "': " + there.damaged.front().string() +
                    " is damaged: not a stored trace",
                "--replace makes the baseline anew");
  }
  const std::vector<std::string>& before = there.ids;
  std::vector<std::string> present = before;
  BaselineIndex index = ReadIndex(work_->folder);
  std::vector<std::string> kept;  // Of those before: what is saved once more.
  for (const Work::NewRun& run : work_->runs) {
    if (HasContent(present, run.content)) {
      ++result.known;
      for (const std::string& id : before) {
        if (HasContent({id}, run.content)) kept.push_back(id);
      }
      continue;
    }
    const std::string id = StampOf(time) + "-" + run.content;
    const fs::path place = work_->baseline / (id + std::string(kRunSuffix));
    // Saved and damaged within the same second, it has the very name.
    if (std::erase(there.damaged, place) > 0) {
      RemoveRun(place);
      ++result.removed;
    }
    std::error_code error;
    fs::rename(run.place, place, error);
    if (error) throw CannotUse(place, error);
    present.push_back(id);
    index[{work_->name, id}] = run.entry;
    ++result.added;
  }
  std::vector<RunFacts> leaving;
  for (const std::string& id : before) {
    if (!replace || std::find(kept.begin(), kept.end(), id) != kept.end()) continue;
    RemoveRun(work_->baseline / (id + std::string(kRunSuffix)));
    if (const auto run = index.find({work_->name, id}); run != index.end()) {
      leaving.push_back(run->second.facts);
      index.erase(run);
    }
    ++result.removed;
  }
  for (const fs::path& run : there.damaged) RemoveRun(run);
  result.removed += there.damaged.size();
  RememberNoise(work_->baseline, leaving);
  WriteIndex(work_->folder, index);
  return result;
}

bool RemoveBaseline(const fs::path& folder, std::string_view name) {
  const fs::path baseline = folder / FolderOfBaseline(name);
  const FolderLock turn(folder, FolderLock::Wait::kYes);
  const RunFolders runs = RunFoldersIn(baseline);
  if (runs.ids.empty() && runs.damaged.empty()) return false;
  BaselineIndex index = ReadIndex(folder);
  for (const std::string& id : runs.ids) {
    RemoveRun(baseline / (id + std::string(kRunSuffix)));
    index.erase({std::string(name), id});
  }
  for (const fs::path& run : runs.damaged) RemoveRun(run);
  RemoveUnfinishedRuns(baseline);
  std::error_code ignored;
  fs::remove(baseline / kNoiseFile, ignored);
  fs::remove(baseline, ignored);  // Not where somebody else keeps something in it.
  WriteIndex(folder, index);
  return true;
}

}  // namespace xsp
