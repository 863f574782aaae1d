// How long it takes to say who is late in a large job, and how that grows.
//
//   ranks_bench RANKS STEPS DATASET    a quarter, half and all of the ranks, as runs of a dataset
//                                      that hold nothing but small tables: `xsp ranks` reads them
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "model/building/trace_builder.h"
#include "store/dataset/dataset.h"
#include "store/stored_trace.h"
#include "tests/support/rank_job.h"

namespace xsp {
namespace {

// Data- and tensor-parallel, one rank slow.
void WriteRun(int ranks, int steps, const std::filesystem::path& dataset) {
  RankJobOptions options;
  options.ranks = ranks;
  options.steps = steps;
  options.tensor = 8;
  options.slower = [](int, int rank) { return rank == 12 ? 1.9 : 1.0; };
  RankJob job = RunRankJob(options);
  const std::filesystem::path run = dataset / FolderOfRun(std::to_string(ranks));
  std::filesystem::create_directories(run);
  for (RankTables& rank : job.ranks) {
    const auto number = static_cast<std::uint32_t>(rank.facts.global_rank);
    SourceStamp source;
    source.name = "rank " + std::to_string(number);
    const std::vector<RankTables> tables = {std::move(rank)};
    WriteStoredTrace(TraceBuilder().Build(), source, run / FolderOfRank(number), nullptr, &tables);
  }
}

}  // namespace
}  // namespace xsp

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("ranks_bench RANKS STEPS DATASET\n", stderr);
    return 2;
  }
  for (const int part : {4, 2, 1}) {
    xsp::WriteRun(std::atoi(argv[1]) / part, std::atoi(argv[2]), argv[3]);
  }
}
