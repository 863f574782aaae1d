#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace.h"
#include "store/baselines/baseline_noise.h"
#include "store/stored_trace.h"

// The folder of named baselines: what later runs are compared with.
//
//   FOLDER/index.json                            facts about all runs; made anew from the rest
//   FOLDER/NAME/20260131T120000Z-1a2b3c4d5e6f.xsp  one stored trace per run
//   FOLDER/NAME/noise.json                       how far runs that were replaced lay apart
//
// It can be copied, kept in the cache of a CI system and written by several processes at once: a
// run appears as a whole or not at all, and writers take turns where they touch more than their
// own files. Nothing but the stored traces must survive: an index that is missing, damaged or
// behind is made anew.
namespace xsp {

// What is worth knowing of a run without reading it; told by the caller, who can read traces.
struct RunFacts {
  std::string gpu;            // Names of the GPUs that worked; empty: unknown.
  std::uint64_t steps = 0;    // Steady ones.
  std::uint64_t step_ns = 0;  // Their mean; 0: there are none.
  std::uint64_t span_ns = 0;  // The GPU span; 0: no device did anything.

  bool operator==(const RunFacts&) const = default;
};
using DescribeRun = std::function<RunFacts(const Trace&)>;

// One run of a baseline.
struct BaselineRun {
  std::string id;  // When it was saved and what it holds: "20260131T120000Z-1a2b3c4d5e6f".
  std::filesystem::path folder;
  std::string source;  // The name of the file it was made from.
  RunFacts facts;

  // "2026-01-31 12:00:00 UTC".
  std::string Created() const;
};

struct Baseline {
  std::string name;
  std::vector<BaselineRun> runs;  // The oldest first.
  BaselineNoise noise = {};       // Of runs that are no longer there.
  // Folders of runs that are no stored traces (any more): whoever compares with the others alone
  // should know that.
  std::vector<std::filesystem::path> damaged = {};
};

// Keeps others from taking runs away while it lives; for those who read them.
class BaselineLock {
 public:
  explicit BaselineLock(const std::filesystem::path& folder);
  ~BaselineLock();
  BaselineLock(const BaselineLock&) = delete;
  BaselineLock& operator=(const BaselineLock&) = delete;

 private:
  int fd_;
};

// All baselines of a folder, by name, also those of which only damaged runs are left; none where
// there is no such folder. Runs that the index does
// not know (or knows otherwise) are read and described, and the index is written anew if that is
// possible. Throws Error for a folder that cannot be read.
std::vector<Baseline> ListBaselines(const std::filesystem::path& folder,
                                    const DescribeRun& describe);

// One of them; nothing if there is none of that name.
std::optional<Baseline> FindBaseline(const std::filesystem::path& folder, std::string_view name,
                                     const DescribeRun& describe);

// New runs of a baseline. They become part of it with Commit, all of them or, where one fails,
// none; without it nothing remains. The folder is made if need be.
class BaselineWriter {
 public:
  // Throws Error for a name that is none, and where the folder cannot be written to.
  BaselineWriter(const std::filesystem::path& folder, std::string_view name);
  ~BaselineWriter();
  BaselineWriter(const BaselineWriter&) = delete;
  BaselineWriter& operator=(const BaselineWriter&) = delete;

  void Add(const Trace& trace, const SourceStamp& source, const RunFacts& facts,
           Progress* progress = nullptr);

  struct Result {
    std::size_t added = 0;
    std::size_t known = 0;    // Runs with the same content were there already: left out.
    std::size_t removed = 0;  // By `replace`.
  };
  // `replace`: the runs that were there before go. `time`: seconds since 1970 at which the runs
  // count as saved. Throws Error where runs are damaged that would stay.
  Result Commit(bool replace, std::int64_t time);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

// Removes a baseline; false if there is none of that name. Throws Error.
bool RemoveBaseline(const std::filesystem::path& folder, std::string_view name);

// The name of a baseline as a folder: letters, digits, '.', '_' and '-' stay, anything else is
// written as %XX. Throws Error for a name that is empty or too long.
std::string FolderOfBaseline(std::string_view name);
// The reverse; nothing for what is no such folder.
std::optional<std::string> BaselineOfFolder(std::string_view folder_name);

}  // namespace xsp
