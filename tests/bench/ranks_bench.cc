// How long it takes to say who is late in a large job, and how that grows.
//
//   ranks_bench [RANKS] [STEPS]    a quarter, half and all of the ranks: seconds, processor seconds
//                                  and memory to make the job of its small tables and to analyse it
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "sim/ranks/ranks_analysis.h"
#include "tests/support/rank_job.h"

namespace xsp {
namespace {

double ProcessorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void Measure(int ranks, int steps) {
  RankJobOptions options;
  options.ranks = ranks;
  options.steps = steps;
  options.tensor = 8;
  options.slower = [](int, int rank) { return rank == 12 ? 1.9 : 1.0; };
  const RankJob job = RunRankJob(options);
  const auto begin = std::chrono::steady_clock::now();
  const double before = ProcessorSeconds();
  const RanksAnalysis analysis = AnalyzeRanks(job.ranks, {});
  const double processor = ProcessorSeconds() - before;
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf(
      "%5d ranks x %d steps: %9zu operations, %6.2f s, %6.2f processor s, peak %5.0f MB; "
      "S %.3f, M_W %.2f, culprit %s\n",
      ranks, steps, analysis.job.size(), wall, processor, PeakMegabytes(), analysis.all.slowdown,
      analysis.all.m_w.value_or(0), std::string(NameOf(analysis.blame.culprit)).c_str());
}

}  // namespace
}  // namespace xsp

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 1024;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 50;
  for (const int part : {4, 2, 1}) xsp::Measure(ranks / part, steps);
}
