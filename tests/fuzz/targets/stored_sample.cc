#include "tests/fuzz/targets/stored_sample.h"

#include "store/dataset/rank_store.h"
#include "store/stored_trace.h"
#include "tests/unit/store/sample_trace.h"

namespace xsp::fuzz {

void WriteStoredSample(const std::filesystem::path& folder) {
  WriteStoredTrace(test::SampleTrace(5), {"sample.sqlite", 1, 1, ""}, folder);
}

std::vector<std::string> TablesOf(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& [name, table] : ReadManifest(folder).tables) {
    if (table.rows > 0) names.push_back(name);
  }
  return names;
}

void WriteStoredRank(const std::filesystem::path& folder) {
  RankTables rank;
  rank.facts.host = "node";
  rank.steps = {{1, "step 1", "", "cold", -5, 10}, {2, "", "decode", "counted", 10, 40}};
  rank.budget = {{1, "compute", "", 15}, {2, "blocking", "", 30}};
  CollectiveInstance collective;
  collective.operation = "all_reduce";
  collective.participants = 8;
  rank.collectives = {collective, collective};
  rank.segments = {RankSegment()};
  const std::vector<RankTables> ranks = {rank};
  WriteStoredTrace(test::SampleTrace(5), {"sample.sqlite", 1, 1, ""}, folder, nullptr, &ranks);
}

KeptResult KeptRankIndex(const std::filesystem::path& folder) {
  return KeptResult(folder, "ranks", "ranks " + std::to_string(kRankTablesVersion));
}

}  // namespace xsp::fuzz
