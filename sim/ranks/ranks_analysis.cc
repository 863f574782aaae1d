#include "sim/ranks/ranks_analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/ranks/job/operations_job.h"
#include "sim/ranks/job/tables_job.h"

namespace xsp {
namespace {

// A doubt with where trust is fair, and where it is low.
void RaiseDoubt(double share, double fair, double low, const std::string& words, JobTrust& trust) {
  if (share < fair) return;
  trust.level = std::max(trust.level, share < low ? TrustLevel::kFair : TrustLevel::kLow);
  const auto percent = std::to_string(std::lround(share * 1000) / 10);
  trust.reasons.push_back(percent + "." + std::to_string(std::lround(share * 1000) % 10) + " % " +
                          words);
}

// Where trust is low.
constexpr double kLowReplayError = 0.05;
constexpr double kLowContradictions = 0.05;
constexpr double kLowUnmatched = 0.3;

// The share of communication whose partners are not known.
double UnmatchedShare(const JobOperations& job) {
  double all = 0, alone = 0;
  for (OpRow op = 0; op < job.size(); ++op) {
    if (!job.IsCommunication(op)) continue;
    all += static_cast<double>(job.duration[op]);
    if (job.joint[op] == kNoJoint) alone += static_cast<double>(job.duration[op]);
  }
  return all > 0 ? alone / all : 0;
}

void Judge(std::size_t contradictions, double missing_ranks, DurationNs clock_noise,
           RanksAnalysis& analysis) {
  JobTrust& trust = analysis.trust;
  const double step = std::max(1.0, analysis.all.step_ns);
  RaiseDoubt(std::abs(analysis.ReplayError()), 0.02, kLowReplayError, "replay error", trust);
  RaiseDoubt(missing_ranks, 0.001, 0.5, "of the ranks were not recorded", trust);
  RaiseDoubt(static_cast<double>(contradictions) / static_cast<double>(analysis.job.size()), 0.001,
             kLowContradictions,
             "of the operations wait in a circle: times or sequences contradict each other", trust);
  RaiseDoubt(static_cast<double>(clock_noise) / step, 0.01, 0.05,
             "of a step is what clocks of hosts differ by", trust);
}

// Where the replay does not hold, or most communication has no partner, nobody is blamed: by what
// would that be? Only compute is measured against that of peers, whoever waits for it. Transfers
// hold waiting where ranks were put together by guess, or some of them were not recorded.
void TakeBackBlame(bool are_all_known, double unmatched, std::size_t contradictions,
                   RanksAnalysis& analysis) {
  Blame& blame = analysis.blame;
  const auto operations = static_cast<double>(analysis.job.size());
  const bool is_replayed = std::abs(analysis.ReplayError()) < kLowReplayError &&
                           static_cast<double>(contradictions) < kLowContradictions * operations;
  const bool is_compute = blame.type.empty() && !blame.workers.empty();
  const bool are_transfers = blame.culprit == Culprit::kCommunication;
  const bool is_founded =
      (are_all_known || !are_transfers) && (unmatched < kLowUnmatched || is_compute);
  if (is_replayed && is_founded) return;
  blame = Blame();
  blame.culprit = Culprit::kUnknown;
}

// All that follows from the operations.
// Returns how many waits contradict each other.
std::size_t Analyze(JobOperations job, DurationNs clock_noise, double missing_ranks,
                    const JobWhatIfs& whatifs, RanksAnalysis& analysis) {
  analysis.job = std::move(job);
  analysis.measured = MeasuredTimes(analysis.job);
  const JobSimulation simulation(analysis.job);
  analysis.all = FindSlowdown(analysis.job, simulation, analysis.measured, Ideal::kAll);
  std::vector<WorkerRow> worst;
  for (const auto& row : analysis.all.by_worker) worst.push_back(row.key);
  analysis.peers = FindSlowdown(analysis.job, simulation, analysis.measured, Ideal::kPeers, worst);
  analysis.waits = FindWaits(analysis.job, clock_noise);
  analysis.blame =
      FindBlame(analysis.job, simulation, analysis.measured, analysis.all, analysis.peers);
  Judge(simulation.contradictions(), missing_ranks, clock_noise, analysis);
  analysis.forecasts =
      ForecastJob(analysis.job, simulation, analysis.measured, whatifs, analysis.ReplayError());
  return simulation.contradictions();
}

// From the first begin to the last end of a step on all workers, the mean over steps.
double WholeStep(const JobOperations& job) {
  std::vector<TimeRange> steps(
      job.steps.size(), {std::numeric_limits<TimeNs>::max(), std::numeric_limits<TimeNs>::min()});
  for (OpRow op = 0; op < job.size(); ++op) {
    TimeRange& step = steps[job.step[op]];
    step.begin = std::min(step.begin, job.begin[op]);
    step.end = std::max(step.end, job.End(op));
  }
  double sum = 0;
  for (const TimeRange& step : steps) sum += static_cast<double>(step.Length());
  return sum / static_cast<double>(steps.size());
}

// The mean step that ranks recorded, of the steps that are looked at.
double RecordedStep(std::span<const RankTables> ranks, const TablesJob& tables) {
  double sum = 0, count = 0;
  for (const std::uint32_t rank : tables.rank_of) {
    for (const RankStep& step : ranks[rank].steps) {
      const std::int64_t number = step.step + tables.step_moved[rank];
      if (!std::binary_search(tables.job.steps.begin(), tables.job.steps.end(), number)) continue;
      sum += static_cast<double>(step.end_ns - step.begin_ns);
      ++count;
    }
  }
  return count > 0 ? sum / count : 0;
}

// Communication that no other work covers, and that held compute back; means per step.
void AddExposed(std::span<const RankTables> ranks, const TablesJob& tables, RankWaits& waits) {
  const auto steps = static_cast<double>(std::max<std::size_t>(1, tables.steps));
  for (std::size_t w = 0; w < tables.rank_of.size(); ++w) {
    const std::uint32_t rank = tables.rank_of[w];
    double exposed = 0, blocking = 0;
    for (const std::uint32_t row : tables.collectives_of[w]) {
      exposed += static_cast<double>(ranks[rank].collectives[row].exposed_ns);
      blocking += static_cast<double>(ranks[rank].collectives[row].blocking_ns);
    }
    waits.workers[w].exposed_ns = exposed / steps;
    waits.workers[w].blocking_ns = blocking / steps;
  }
}

}  // namespace

RanksAnalysis AnalyzeOperations(const OperationsTable& table, const JobWhatIfs& whatifs) {
  RanksAnalysis analysis;
  JobOperations job = JobOfOperations(table);
  analysis.measured_step_ns = WholeStep(job);
  Analyze(std::move(job), 0, 0, whatifs, analysis);
  analysis.collectives = analysis.sorts = CollectivesByType(analysis.job);
  return analysis;
}

RanksAnalysis AnalyzeRanks(std::span<const RankTables> ranks, const JobWhatIfs& whatifs) {
  RanksAnalysis analysis;
  TablesJob tables = JobOfTables(ranks);
  analysis.clocks = std::move(tables.clocks);
  analysis.notes = std::move(tables.notes);
  analysis.measured_step_ns = RecordedStep(ranks, tables);
  const std::size_t contradictions =
      Analyze(std::move(tables.job), tables.clock_noise, tables.missing_ranks, whatifs, analysis);
  AddExposed(ranks, tables, analysis.waits);
  if (tables.is_whole) {
    analysis.trust.level = std::max(analysis.trust.level, TrustLevel::kFair);
    analysis.trust.reasons.emplace_back("what happens once counts: there are no steps");
  }
  const bool all_joined = std::all_of(analysis.clocks.begin(), analysis.clocks.end(),
                                      [](const HostClock& clock) { return clock.is_joined; });
  if (!all_joined) {
    analysis.trust.level = std::max(analysis.trust.level, TrustLevel::kFair);
    analysis.trust.reasons.emplace_back(
        "nothing joins the clocks of hosts: who waited for whom is as good as they were set");
  }
  const double unmatched = UnmatchedShare(analysis.job);
  RaiseDoubt(unmatched, 0.05, kLowUnmatched, "of communication has no partner in the recordings",
             analysis.trust);
  if (tables.is_guessed) {
    analysis.trust.level = std::max(analysis.trust.level, TrustLevel::kFair);
    analysis.trust.reasons.emplace_back(
        "which ranks communicate with which was not recorded (NCCL's payloads, with --trace=nvtx): "
        "it is told by what ends together");
  }
  TakeBackBlame(!tables.is_guessed && tables.missing_ranks <= 0, unmatched, contradictions,
                analysis);
  analysis.collectives = CollectivesOfRanks(ranks, tables, analysis.job, true);
  analysis.sorts = CollectivesOfRanks(ranks, tables, analysis.job, false);
  return analysis;
}

}  // namespace xsp
