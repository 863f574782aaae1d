#include "cli/datasets/open_ranks.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/workers.h"
#include "cli/datasets/rank_numbers.h"
#include "cli/inputs/open_trace.h"
#include "hierarchy/ranks/make_rank_tables.h"
#include "hierarchy/ranks/odd_ranks.h"
#include "importers/job_facts.h"
#include "store/dataset/rank_store.h"

namespace xsp {
namespace fs = std::filesystem;

std::vector<RankTables> OpenRankTables(const fs::path& path, Progress* progress,
                                       const NoteSink& note) {
  const std::optional<StoredPlace> stored = FindStored(path);
  if (stored) {
    if (auto ranks = ReadRankTables(stored->folder)) return *std::move(ranks);
  }
  const OpenedTrace opened = OpenTrace(path, progress, note);
  const bool is_file = fs::is_regular_file(path);
  std::vector<RankTables> ranks =
      MakeRankTables(Hierarchy(opened.trace), is_file ? ReadJobFacts(path) : JobFacts());
  if (stored && opened.from_store) {
    KeepRankTables(ranks, stored->folder);
    const auto rank = RankOfFolder(stored->folder.filename().string());
    if (rank && ranks.size() == 1) ranks.front().facts.global_rank = *rank;
  }
  return ranks;
}

std::vector<std::string> TracesOf(const std::vector<std::string>& paths,
                                  std::optional<std::uint32_t> rank) {
  std::vector<std::string> traces;
  for (const std::string& path : paths) {
    if (!IsRun(path)) {
      traces.push_back(path);
    } else if (rank) {
      traces.push_back(FolderOfRank(path, *rank).string());
    } else {
      const DatasetRun run = LookAtRun(path);
      if (run.Readable().empty()) throw Error(path + ": no rank of this run can be read");
      for (const DatasetRank* one : run.Readable()) traces.push_back(one->folder.string());
    }
  }
  return traces;
}

OpenedRanks OpenRun(const DatasetRun& run, Progress* progress, const NoteSink& note) {
  OpenedRanks opened;
  opened.oddities = run.oddities;
  const std::vector<const DatasetRank*> readable = run.Readable();
  std::vector<std::vector<RankTables>> found(readable.size());
  std::vector<std::string> troubles(readable.size());
  // Small files, many of them: several at once, on a disk that is far away as well.
  constexpr unsigned kMostThreads = 8;
  ForEachOnThreads(readable.size(), ThreadsUpTo(kMostThreads), [&](std::size_t i, unsigned) {
    if (!readable[i]->has_tables) return;
    if (auto ranks = ReadRankTables(readable[i]->folder)) found[i] = *std::move(ranks);
  });
  for (std::size_t i = 0; i < readable.size(); ++i) {
    try {
      if (found[i].empty()) found[i] = OpenRankTables(readable[i]->folder, progress, note);
    } catch (const Error& error) {
      opened.oddities.push_back("rank " + std::to_string(readable[i]->rank) + ": " + error.what());
    }
    std::move(found[i].begin(), found[i].end(), std::back_inserter(opened.ranks));
  }
  if (opened.ranks.empty()) {
    const std::string why = opened.oddities.empty() ? "it is empty" : opened.oddities.front();
    throw Error(run.folder.string() + ": no rank of this run can be read: " + why);
  }
  for (std::string& odd : OddRanks(opened.ranks)) opened.oddities.push_back(std::move(odd));
  return opened;
}

OpenedRanks OpenRanks(const std::vector<std::string>& paths, Progress* progress,
                      const NoteSink& note) {
  if (paths.size() == 1 && IsRun(paths.front())) {
    return OpenRun(LookAtRun(paths.front()), progress, note);
  }
  OpenedRanks opened;
  for (const std::string& path : paths) {
    std::vector<RankTables> ranks = OpenRankTables(path, progress, note);
    std::move(ranks.begin(), ranks.end(), std::back_inserter(opened.ranks));
  }
  const std::optional<std::string> numbered = NumberRanks(paths, opened.ranks);
  std::stable_sort(opened.ranks.begin(), opened.ranks.end(), [](const auto& a, const auto& b) {
    return a.facts.global_rank < b.facts.global_rank;
  });
  opened.oddities = OddRanks(opened.ranks);
  if (numbered) opened.oddities.push_back(*numbered);
  return opened;
}

}  // namespace xsp
