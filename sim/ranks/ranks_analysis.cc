#include "sim/ranks/ranks_analysis.h"

namespace xsp {

RanksAnalysis AnalyzeJob(JobOperations job, DurationNs clock_noise) {
  RanksAnalysis analysis;
  analysis.job = std::move(job);
  analysis.measured = MeasuredTimes(analysis.job);
  const JobSimulation simulation(analysis.job);
  analysis.contradictions = simulation.contradictions();
  analysis.all = FindSlowdown(analysis.job, simulation, analysis.measured, Ideal::kAll);
  std::vector<WorkerRow> worst;
  for (const auto& row : analysis.all.by_worker) worst.push_back(row.key);
  analysis.peers = FindSlowdown(analysis.job, simulation, analysis.measured, Ideal::kPeers, worst);
  analysis.waits = FindWaits(analysis.job, clock_noise);
  analysis.blame =
      FindBlame(analysis.job, simulation, analysis.measured, analysis.all, analysis.peers);
  return analysis;
}

}  // namespace xsp
