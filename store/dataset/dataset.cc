#include "store/dataset/dataset.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "store/baselines/baselines.h"
#include "store/dataset/rank_store.h"
#include "store/folder_in_progress.h"
#include "store/stored_trace.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRankPrefix = "global_rank=";
constexpr std::string_view kRunPrefix = "run=";
constexpr std::size_t kRankDigits = 5;

// The names in a folder, sorted. Throws Error.
std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      names.push_back(entry.path().filename().string());
    }
  } catch (const fs::filesystem_error& error) {
    throw Error(folder.string() + ": " + error.code().message());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// "run=a" of "runs/run=a/", too.
std::string LastName(const fs::path& folder) {
  return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

bool IsFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::uint64_t BytesIn(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::directory_iterator file(folder, error); !error && file != fs::directory_iterator();
       file.increment(error)) {
    std::error_code gone;
    const std::uint64_t size = file->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

// What is wrong with the tables that a manifest lists; empty: nothing that can be seen from
// outside.
std::string MissingTables(const fs::path& folder, const StoredManifest& manifest) {
  for (const auto& [name, table] : manifest.tables) {
    if (table.rows == 0) continue;
    std::error_code error;
    const std::string file = name + ".parquet";
    const std::uint64_t bytes = fs::file_size(folder / file, error);
    if (error) return file + " is missing: half-copied?";
    if (bytes != table.file.bytes) return file + " has another size: half-copied?";
  }
  return {};
}

DatasetRank LookAtRank(const fs::path& folder, std::uint32_t rank) {
  DatasetRank found;
  found.rank = rank;
  found.folder = folder;
  found.bytes = BytesIn(folder);
  try {
    const StoredManifest manifest = ReadManifest(folder);
    found.source = manifest.source.name;
    found.source_sha256 = manifest.source.sha256;
    found.trouble = MissingTables(folder, manifest);
    if (found.trouble.empty()) found.has_tables = HasRankTables(folder);
  } catch (const Error& error) {
    found.trouble = error.what();
  }
  return found;
}

// "3", "3 to 7": ranks that are not there.
std::string GapWords(std::uint32_t first, std::uint32_t last) {
  const std::string from = std::to_string(first);
  return first == last ? "rank " + from + " is"
                       : "ranks " + from + " to " + std::to_string(last) + " are";
}

// A file becomes one rank: what was made from the same one is a copy under another number.
void NoteCopies(DatasetRun& run) {
  std::map<std::pair<std::string, std::string>, std::uint32_t> first;
  for (const DatasetRank& rank : run.ranks) {
    if (rank.source_sha256.empty()) continue;
    const auto [at, is_new] = first.emplace(std::pair(rank.source, rank.source_sha256), rank.rank);
    if (!is_new) {
      run.oddities.push_back("rank " + std::to_string(rank.rank) + " is a copy of rank " +
                             std::to_string(at->second));
    }
  }
}

void NoteOddities(DatasetRun& run) {
  std::uint32_t expected = 0;
  for (const DatasetRank& rank : run.ranks) {
    if (!rank.trouble.empty()) {
      run.oddities.push_back("rank " + std::to_string(rank.rank) + ": " + rank.trouble);
    }
    if (rank.rank > expected) {
      run.oddities.push_back(GapWords(expected, rank.rank - 1) + " not there");
    }
    expected = rank.rank + 1;
  }
}

}  // namespace

std::string FolderOfRank(std::uint32_t rank) {
  const std::string digits = std::to_string(rank);
  const std::size_t zeros = kRankDigits - std::min(kRankDigits, digits.size());
  return std::string(kRankPrefix) + std::string(zeros, '0') + digits;
}

std::optional<std::uint32_t> RankOfFolder(std::string_view folder_name) {
  if (!folder_name.starts_with(kRankPrefix)) return std::nullopt;
  folder_name.remove_prefix(kRankPrefix.size());
  std::uint32_t rank = 0;
  const char* const end = folder_name.data() + folder_name.size();
  const auto [last, error] = std::from_chars(folder_name.data(), end, rank);
  if (error != std::errc() || last != end) return std::nullopt;
  return rank;
}

std::string FolderOfRun(std::string_view name) {
  return std::string(kRunPrefix) + FolderOfBaseline(name);
}

std::optional<std::string> RunOfFolder(std::string_view folder_name) {
  if (!folder_name.starts_with(kRunPrefix)) return std::nullopt;
  return BaselineOfFolder(folder_name.substr(kRunPrefix.size()));
}

std::vector<const DatasetRank*> DatasetRun::Readable() const {
  std::vector<const DatasetRank*> readable;
  for (const DatasetRank& rank : ranks) {
    if (rank.trouble.empty()) readable.push_back(&rank);
  }
  return readable;
}

bool IsRun(const fs::path& folder) {
  if (!IsFolder(folder) || IsStoredTrace(folder)) return false;
  if (RunOfFolder(LastName(folder))) return true;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (RankOfFolder(entry->path().filename().string()) && IsFolder(entry->path())) return true;
  }
  return false;
}

bool IsDataset(const fs::path& folder) {
  std::error_code error;
  if (!IsFolder(folder)) return false;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (RunOfFolder(entry->path().filename().string()) && IsFolder(entry->path())) return true;
  }
  return false;
}

DatasetRun LookAtRun(const fs::path& folder) {
  DatasetRun run;
  run.folder = folder;
  run.name = RunOfFolder(LastName(folder)).value_or(LastName(folder));
  std::set<std::uint32_t> seen;
  std::vector<std::string> strangers;
  for (const std::string& name : NamesIn(folder)) {
    if (name.starts_with('.')) continue;  // Of those who are writing.
    const std::optional<std::uint32_t> rank = RankOfFolder(name);
    if (!rank || !IsFolder(folder / name)) {
      strangers.push_back(name);
    } else if (!seen.insert(*rank).second) {
      run.oddities.push_back("rank " + std::to_string(*rank) + " is there twice: " + name +
                             " is left out");
    } else {
      run.ranks.push_back(LookAtRank(folder / name, *rank));
    }
  }
  std::sort(run.ranks.begin(), run.ranks.end(),
            [](const DatasetRank& a, const DatasetRank& b) { return a.rank < b.rank; });
  NoteOddities(run);
  NoteCopies(run);
  if (!strangers.empty()) {
    run.oddities.push_back("holds what is no rank: " + Joined(strangers, ", "));
  }
  return run;
}

std::vector<DatasetRun> ListRuns(const fs::path& dataset) {
  std::vector<DatasetRun> runs;
  for (const std::string& name : NamesIn(dataset)) {
    if (RunOfFolder(name) && IsFolder(dataset / name)) runs.push_back(LookAtRun(dataset / name));
  }
  return runs;
}

fs::path FolderOfRank(const fs::path& run, std::uint32_t rank) {
  // Others may have written it with fewer zeros.
  std::vector<std::uint32_t> known;
  for (const std::string& name : NamesIn(run)) {
    const std::optional<std::uint32_t> found = RankOfFolder(name);
    if (found == rank && IsFolder(run / name)) return run / name;
    if (found) known.push_back(*found);
  }
  std::sort(known.begin(), known.end());
  std::string hint = "there is none";
  if (!known.empty()) {
    hint = "there are " + std::to_string(known.size()) + ": " + std::to_string(known.front()) +
           " to " + std::to_string(known.back());
  }
  throw Error(run.string() + " has no rank " + std::to_string(rank), hint);
}

void RemoveRank(const DatasetRun& run, std::uint32_t rank) {
  RemoveStoredTrace(FolderOfRank(run.folder, rank));
}

void RemoveRun(const DatasetRun& run) {
  for (const DatasetRank& rank : run.ranks) RemoveStoredTrace(rank.folder);
  std::error_code error;
  // Only if nothing else is in it.
  if (!fs::remove(run.folder, error) || error) {
    throw Error(run.folder.string() + " still holds something that xsp did not write: left alone");
  }
}

}  // namespace xsp
