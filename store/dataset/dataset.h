#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Runs of a job, each with the stored traces of its ranks, in folders that engines know:
//
//   DATASET/run=NAME/global_rank=00007/   a stored trace with its small tables
//
// Any number of processes, on any machines, may add ranks at once: a rank appears as a whole, and
// nothing but its folder is written. docs/dataset.md describes it to others.
namespace xsp {

// "global_rank=00007", and the reverse; nothing for what is no such name.
std::string FolderOfRank(std::uint32_t rank);
std::optional<std::uint32_t> RankOfFolder(std::string_view folder_name);

// "run=NAME": letters, digits, '.', '_' and '-' stay, anything else is %XX. Throws Error for a name
// that is empty or too long. And the reverse.
std::string FolderOfRun(std::string_view name);
std::optional<std::string> RunOfFolder(std::string_view folder_name);

// A rank of a run as far as its folder tells.
struct DatasetRank {
  std::uint32_t rank = 0;
  std::filesystem::path folder;
  std::string source;              // The name of the file that it was made from,
  std::string source_sha256 = {};  // and its content; empty: unknown.
  std::uint64_t bytes = 0;         // All files in the folder.
  std::string trouble;             // Why it cannot be read, in one line; empty: it can.
  bool has_tables = false;         // Small tables, perhaps of other rules.
};

struct DatasetRun {
  std::string name;
  std::filesystem::path folder;
  std::vector<DatasetRank> ranks;  // By rank.
  // What is odd about it, a line each: ranks that cannot be read, that are there twice or missing
  // in between, copies of others, half-copied folders, files of others.
  std::vector<std::string> oddities;

  std::vector<const DatasetRank*> Readable() const;
};

// Whether this is the folder of a run: it is called run=NAME, or holds ranks.
bool IsRun(const std::filesystem::path& folder);
// Whether this holds runs.
bool IsDataset(const std::filesystem::path& folder);

// Looks at the folders of one run; reads manifests, no tables. Throws Error if there is no such
// folder.
DatasetRun LookAtRun(const std::filesystem::path& folder);

// All runs, by name. Throws Error if the folder cannot be read.
std::vector<DatasetRun> ListRuns(const std::filesystem::path& dataset);

// The folder of one rank of a run. Throws Error that says which there are.
std::filesystem::path FolderOfRank(const std::filesystem::path& run, std::uint32_t rank);

// Removes a run, or one rank of it, and nothing that xsp did not write. Throws Error.
void RemoveRun(const DatasetRun& run);
void RemoveRank(const DatasetRun& run, std::uint32_t rank);

}  // namespace xsp
