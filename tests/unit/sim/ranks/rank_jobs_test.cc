#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "base/error.h"
#include "sim/ranks/ranks_analysis.h"
#include "tests/support/rank_job.h"

// Generated jobs of known truth: the named culprit is right, and so is what it costs.
namespace xsp {
namespace {

RanksAnalysis Analyzed(const RankJobOptions& options, const JobWhatIfs& whatifs = {}) {
  const RankJob job = RunRankJob(options);
  return AnalyzeRanks(job.ranks, whatifs);
}

// The same job with nothing wrong in it.
RankJobOptions Sound(RankJobOptions options) {
  const RankJobOptions sound;
  options.slower = sound.slower;
  options.pause = sound.pause;
  options.slower_link = sound.slower_link;
  return options;
}

std::vector<std::int64_t> Named(const RanksAnalysis& analysis) {
  std::vector<std::int64_t> ranks;
  for (const WorkerRow w : analysis.blame.workers) ranks.push_back(analysis.job.workers[w].rank);
  return ranks;
}

// How much slower the job really is, and what the analysis says of it: within 3 %. The simulated
// step is that of the job, within half a per cent.
void CheckCost(const RankJobOptions& options, const RanksAnalysis& analysis) {
  const double truth = RunRankJob(options).step_ns / RunRankJob(Sound(options)).step_ns;
  CHECK(analysis.blame.slowdown == Approx(truth).epsilon(0.03));
  CHECK(analysis.peers.step_ns == Approx(RunRankJob(options).step_ns).epsilon(0.005));
}

TEST_CASE("a slow rank is named, and what it costs") {
  for (const int ranks : {8, 64}) {
    RankJobOptions options;
    options.ranks = ranks;
    options.slower = [](int, int rank) { return rank == 3 ? 1.5 : 1.0; };
    const RanksAnalysis analysis = Analyzed(options);
    CHECK(analysis.blame.culprit == Culprit::kWorker);
    CHECK(Named(analysis) == std::vector<std::int64_t>{3});
    CHECK(analysis.blame.longer == Approx(1.5).epsilon(0.02));
    CHECK(analysis.blame.steps_share == 1);
    CHECK(analysis.all.m_w.value() == Approx(1).epsilon(0.05));
    CheckCost(options, analysis);
  }
}

TEST_CASE("a slow rank among tensor-parallel peers is named") {
  RankJobOptions options;
  options.ranks = 64;
  options.tensor = 8;
  options.slower = [](int, int rank) { return rank == 21 ? 1.4 : 1.0; };
  const RanksAnalysis analysis = Analyzed(options);
  CHECK(analysis.blame.culprit == Culprit::kWorker);
  CHECK(Named(analysis) == std::vector<std::int64_t>{21});
  CheckCost(options, analysis);
}

TEST_CASE("a slow node is one culprit, not eight") {
  RankJobOptions options;
  options.ranks = 64;
  options.slower = [](int, int rank) { return rank / 8 == 3 ? 1.4 : 1.0; };
  const RanksAnalysis analysis = Analyzed(options);
  CHECK(analysis.blame.culprit == Culprit::kHost);
  CHECK(analysis.blame.host == "node3");
  CHECK(Named(analysis) == std::vector<std::int64_t>{24, 25, 26, 27, 28, 29, 30, 31});
  CheckCost(options, analysis);
}

TEST_CASE("a slow link shows in the transfers of those that share it") {
  RankJobOptions options;
  options.ranks = 64;
  options.tensor = 8;
  options.slower_link = [](const std::vector<int>& ranks) {
    return ranks[0] == 3 && ranks[1] == 11 ? 3.0 : 1.0;
  };
  const RanksAnalysis analysis = Analyzed(options);
  CHECK(analysis.blame.culprit == Culprit::kCommunication);
  CHECK(Named(analysis) == std::vector<std::int64_t>{3, 11, 19, 27, 35, 43, 51, 59});
  CheckCost(options, analysis);
}

TEST_CASE("a late last stage is unequal work, and no rank's fault") {
  RankJobOptions options;
  options.ranks = 16;
  options.stages = 4;
  options.more_work = [](int rank) { return rank >= 12 ? 1.3 : 1.0; };
  const RanksAnalysis analysis = Analyzed(options);
  CHECK(analysis.blame.culprit == Culprit::kStage);
  CHECK(analysis.blame.stage == 3);
  CHECK(analysis.peers.slowdown < 1.01);
  CHECK(analysis.all.m_s.value() > 1);
}

TEST_CASE("a slow rank in a pipeline is named, stage and replica are known") {
  RankJobOptions options;
  options.ranks = 16;
  options.stages = 4;
  options.slower = [](int, int rank) { return rank == 6 ? 1.5 : 1.0; };
  const RanksAnalysis analysis = Analyzed(options);
  CHECK(analysis.blame.culprit == Culprit::kWorker);
  CHECK(Named(analysis) == std::vector<std::int64_t>{6});
  CHECK(analysis.job.workers[6].stage == 1);
  CHECK(analysis.job.workers[6].data_parallel == 2);
  CheckCost(options, analysis);
}

TEST_CASE("receives that are posted long before leave stages as they are") {
  RankJobOptions options;
  options.ranks = 8;
  options.stages = 4;
  options.slower = [](int, int rank) { return rank == 5 ? 1.4 : 1.0; };
  RankJob job = RunRankJob(options);
  for (RankTables& rank : job.ranks) {
    for (CollectiveInstance& message : rank.collectives) {
      if (message.operation != "receive" || message.step < 1) continue;
      message.begin_ns = rank.steps[static_cast<std::size_t>(message.step) - 1].begin_ns;
    }
  }
  const RanksAnalysis posted = AnalyzeRanks(job.ranks, {});
  const RanksAnalysis usual = Analyzed(options);
  for (std::size_t w = 0; w < usual.job.workers.size(); ++w) {
    CHECK(posted.job.workers[w].stage == usual.job.workers[w].stage);
    CHECK(posted.job.workers[w].data_parallel == usual.job.workers[w].data_parallel);
  }
}

TEST_CASE("a part of the ranks that stays slow is named, whatever host they are of") {
  RankJobOptions options;
  options.ranks = 32;
  options.slower = [](int, int rank) { return rank >= 8 && rank < 20 ? 1.3 : 1.0; };
  RankJob job = RunRankJob(options);
  for (RankTables& rank : job.ranks) rank.facts.host.clear();
  const RanksAnalysis analysis = AnalyzeRanks(job.ranks, {});
  CHECK(analysis.blame.culprit == Culprit::kWorkers);
  std::vector<std::int64_t> expected;
  for (std::int64_t rank = 8; rank < 20; ++rank) expected.push_back(rank);
  CHECK(Named(analysis) == expected);
  CheckCost(options, analysis);
}

TEST_CASE("most ranks of the only host are no slow host") {
  RankJobOptions options;
  options.slower = [](int, int rank) { return rank >= 2 ? 1.5 : 1.0; };  // Two are of another kind.
  const RanksAnalysis analysis = Analyzed(options);
  CHECK(analysis.blame.culprit == Culprit::kWorkers);
  CHECK(Named(analysis) == std::vector<std::int64_t>{2, 3, 4, 5, 6, 7});
  CHECK(analysis.blame.longer == Approx(1.5).epsilon(0.02));
}

// As where neither payloads of NCCL nor arguments of a framework were recorded.
void ForgetCommunicators(RankJob& job) {
  for (RankTables& rank : job.ranks) {
    std::map<std::string, std::int64_t> counts;
    for (CollectiveInstance& one : rank.collectives) {
      if (IsMessage(one)) one.operation = "send_receive";
      one.communicator = "kernel:" + one.operation;
      one.participants = one.peer = one.bytes = kMissing<std::int64_t>;
      one.sequence = counts[one.communicator]++;
      one.sequence_is_recorded = false;
    }
  }
}

TEST_CASE("ranks that communicate with each other are told by what ends together") {
  RankJobOptions options;
  options.tensor = 4;
  options.slower = [](int, int rank) { return rank == 5 ? 1.3 : 1.0; };
  RankJob job = RunRankJob(options);
  ForgetCommunicators(job);
  const RanksAnalysis analysis = AnalyzeRanks(job.ranks, {});
  CHECK(analysis.blame.culprit == Culprit::kWorker);
  CHECK(Named(analysis) == std::vector<std::int64_t>{5});
  CHECK(analysis.trust.level == TrustLevel::kFair);
}

TEST_CASE("where it is not known who sends to whom, nobody is blamed for transfers") {
  for (const int slow : {-1, 5}) {
    RankJobOptions options;
    options.stages = 4;
    options.slower = [slow](int, int rank) { return rank == slow ? 1.4 : 1.0; };
    RankJob job = RunRankJob(options);
    ForgetCommunicators(job);
    const RanksAnalysis analysis = AnalyzeRanks(job.ranks, {});
    CAPTURE(slow, NameOf(analysis.blame.culprit));
    const Culprit culprit = analysis.blame.culprit;
    CHECK(culprit != Culprit::kCommunication);
    CHECK(culprit != Culprit::kHost);
    if (!analysis.blame.workers.empty()) CHECK(Named(analysis) == std::vector<std::int64_t>{slow});
  }
}

TEST_CASE("pauses that rotate are nobody's") {
  RankJobOptions options;
  options.pause = [](int step, int rank) { return step % 8 == rank ? 6'000'000 : 0; };
  const RanksAnalysis analysis = Analyzed(options);
  CHECK(analysis.blame.culprit == Culprit::kRotates);
  CHECK(analysis.blame.type == kHostType);
  // In the mean each host stops for an eighth of that. The first step has its pause, too.
  RankJobOptions even = options;
  even.pause = [](int, int) { return 6'000'000 / 8; };
  const double step = RunRankJob(options).step_ns;
  CHECK(analysis.peers.step_ns == Approx(step).epsilon(0.002));
  CHECK(analysis.peers.slowdown == Approx(step / RunRankJob(even).step_ns).epsilon(0.01));
}

TEST_CASE("lengths of sequences are nobody's") {
  RankJobOptions options;
  options.slower = [](int step, int rank) { return 1 + (step * 7919 + rank * 104729) % 13 / 26.0; };
  const RanksAnalysis analysis = Analyzed(options);
  CHECK(analysis.blame.culprit == Culprit::kRotates);
  CHECK(analysis.blame.type == "backward compute");
}

TEST_CASE("random lengths of few steps are nobody's") {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    RankJobOptions options;
    options.steps = 9;
    std::vector<double> slower(1000);
    std::mt19937 random(seed);
    for (double& one : slower) one = 1 + static_cast<double>(random() % 1000) / 2000;
    options.slower = [&](int step, int rank) { return slower[(step * 31 + rank) % 1000]; };
    INFO("seed " << seed);
    CHECK(Analyzed(options).blame.culprit == Culprit::kRotates);
  }
}

TEST_CASE("a rank that is slow in every second step is named") {
  RankJobOptions options;
  options.slower = [](int step, int rank) { return rank == 3 && step % 2 == 0 ? 1.6 : 1.0; };
  const RanksAnalysis analysis = Analyzed(options);
  CHECK(analysis.blame.culprit == Culprit::kWorker);
  CHECK(Named(analysis) == std::vector<std::int64_t>{3});
  CHECK(analysis.blame.steps_share == Approx(0.5).margin(0.11));
}

TEST_CASE("clocks that differ and drift are fitted within five microseconds") {
  RankJobOptions options;
  options.ranks = 32;
  options.steps = 100;
  options.clock_ahead_ns = [](int host) { return host * 50'000'000LL - 3'000'000; };
  options.drift_ppm = [](int host) { return host * 3.0 - 4; };
  options.slower = [](int, int rank) { return rank == 21 ? 1.3 : 1.0; };
  for (const bool is_counted : {false, true}) {
    options.is_counted = is_counted;
    const RanksAnalysis analysis = Analyzed(options);
    CHECK(Named(analysis) == std::vector<std::int64_t>{21});
    CheckCost(options, analysis);
    REQUIRE(analysis.clocks.size() == 4);
    for (int host = 0; host < 4; ++host) {
      const HostClock& clock = analysis.clocks[static_cast<std::size_t>(host)];
      CHECK(clock.residual_p95 <= 5'000);
      CHECK(clock.drift_ppm == Approx(3.0 * host).margin(0.1));
    }
  }
}

TEST_CASE("clocks of hosts that only messages join are fitted by these") {
  RankJobOptions options;
  options.ranks = 16;
  options.stages = 2;  // Each on a host of its own.
  options.clock_ahead_ns = [](int host) { return host * 5'000'000LL; };
  options.slower = [](int, int rank) { return rank == 3 ? 1.5 : 1.0; };
  const RanksAnalysis analysis = Analyzed(options);
  REQUIRE(analysis.clocks.size() == 2);
  CHECK(analysis.clocks[1].by_messages);
  CHECK(std::abs(analysis.clocks[1].offset + 5'000'000) <= 20'000);
  CHECK(Named(analysis) == std::vector<std::int64_t>{3});
  CHECK(analysis.trust.level == TrustLevel::kHigh);
  CheckCost(options, analysis);
}

TEST_CASE("clocks of hosts that nothing joins are not called fitted") {
  RankJobOptions options;
  options.ranks = 16;
  RankJob job = RunRankJob(options);
  for (RankTables& rank : job.ranks) {
    for (CollectiveInstance& instance : rank.collectives) instance.operation = "send_receive";
  }
  const RanksAnalysis analysis = AnalyzeRanks(job.ranks, {});
  REQUIRE(analysis.clocks.size() == 2);
  CHECK(!analysis.clocks[1].is_joined);
  CHECK(analysis.trust.level == TrustLevel::kFair);
  CHECK(analysis.trust.reasons.front().starts_with("nothing joins the clocks of hosts"));
}

TEST_CASE("a rank that was not recorded is said to be missing") {
  RankJobOptions options;
  options.not_recorded = {5};
  options.slower = [](int, int rank) { return rank == 3 ? 1.5 : 1.0; };
  const RanksAnalysis analysis = Analyzed(options);
  CHECK(Named(analysis) == std::vector<std::int64_t>{3});
  REQUIRE(analysis.notes.size() == 1);
  CHECK(
      analysis.notes.front() ==
      "7 of 8 ranks were recorded: the verdict speaks of those, and to wait for the others counts "
      "as transfer.");
  CHECK(analysis.trust.level == TrustLevel::kFair);
}

TEST_CASE("a slow node that was not recorded is no slow network") {
  RankJobOptions options;
  options.ranks = 32;
  options.slower = [](int, int rank) { return rank >= 24 ? 1.3 : 1.0; };
  for (int rank = 16; rank < 32; ++rank) options.not_recorded.insert(rank);
  const RanksAnalysis analysis = Analyzed(options);
  CAPTURE(NameOf(analysis.blame.culprit));
  CHECK(analysis.blame.workers.empty());
  CHECK(analysis.blame.culprit != Culprit::kCommunication);
}

TEST_CASE("a recording that was cut off does not cut off the others") {
  RankJobOptions options;
  options.cut_rank = 2;
  options.cut_after = 4;
  options.slower = [](int, int rank) { return rank == 3 ? 1.5 : 1.0; };
  RanksAnalysis analysis = Analyzed(options);
  CHECK(analysis.job.workers.size() == 7);
  CHECK(analysis.job.steps.size() == 20);
  CHECK(Named(analysis) == std::vector<std::int64_t>{3});
  options.cut_after = 15;  // Enough of it is left.
  options.is_counted = true;
  analysis = Analyzed(options);
  CHECK(analysis.job.workers.size() == 8);
  CHECK(analysis.job.steps.size() == 15);
  CHECK(Named(analysis) == std::vector<std::int64_t>{3});
}

TEST_CASE("a step that is odd on one of many ranks is still a step of the job") {
  RankJobOptions options;
  options.ranks = 64;
  options.steps = 10;
  options.slower = [](int, int rank) { return rank == 3 ? 1.5 : 1.0; };
  RankJob job = RunRankJob(options);
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    job.ranks[rank].steps[rank % 10].role = rank % 2 == 0 ? "left_out" : "outlier";
  }
  const RanksAnalysis analysis = AnalyzeRanks(job.ranks, {});
  CHECK(analysis.job.steps.size() == 10);
  CHECK(Named(analysis) == std::vector<std::int64_t>{3});
}

TEST_CASE("ranks without NCCL are matched and put on one clock by MPI") {
  RankJobOptions options;
  options.ranks = 16;
  options.mpi = true;
  options.clock_ahead_ns = [](int host) { return host * 5'000'000LL; };
  options.slower = [](int, int rank) { return rank == 3 ? 1.5 : 1.0; };
  const RanksAnalysis analysis = Analyzed(options);
  CHECK(Named(analysis) == std::vector<std::int64_t>{3});
  CHECK(analysis.clocks.back().residual_p95 <= 5'000);
  CheckCost(options, analysis);
}

TEST_CASE("nobody is blamed where nothing is wrong") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    RankJobOptions options;
    options.seed = seed;
    options.jitter = 0.001 * static_cast<double>(1 + seed % 20);
    options.ranks = seed % 10 == 0 ? 64 : 8;
    options.tensor = seed % 2 == 0 ? 4 : 1;
    options.stages = seed % 5 == 1 ? 4 : 1;
    options.steps = 8;
    if (options.stages > 1) options.tensor = 1;
    CAPTURE(seed);
    CHECK(Analyzed(options).blame.culprit == Culprit::kNobody);
  }
}

TEST_CASE("times of a rank add up to its step") {
  RankJobOptions options;
  options.slower = [](int, int rank) { return rank == 3 ? 1.5 : 1.0; };
  const RanksAnalysis analysis = Analyzed(options);
  for (const WorkerTimes& times : analysis.waits.workers) {
    CHECK(times.compute_ns + times.transfer_ns + times.waiting_ns + times.idle_ns ==
          Approx(times.step_ns));
  }
  // Gradients are summed when the slow one has them; it never waits, and keeps all others waiting.
  CHECK(analysis.waits.workers[3].last_count == analysis.waits.workers[3].joined);
  CHECK(analysis.waits.workers[3].inflicted_ns > analysis.waits.workers[0].suffered_ns);
}

TEST_CASE("a rank like its peers, a faster network, fewer buckets") {
  RankJobOptions options;
  options.ranks = 16;
  options.slower = [](int, int rank) { return rank == 3 ? 1.5 : 1.0; };
  JobWhatIfs whatifs;
  whatifs.without_stragglers = true;
  whatifs.like_peers = {3, 4};
  whatifs.network = 2;
  whatifs.buckets = 1;
  const RanksAnalysis analysis = Analyzed(options, whatifs);
  REQUIRE(analysis.forecasts.size() == 5);
  for (const JobForecast& forecast : analysis.forecasts) {
    CHECK(forecast.applies);
    CHECK(forecast.low_ns < forecast.forecast_ns);
    CHECK(forecast.high_ns > forecast.forecast_ns);
  }
  const double sound = RunRankJob(Sound(options)).step_ns;
  CHECK(analysis.forecasts[1].forecast_ns == Approx(sound).epsilon(0.01));
  CHECK(analysis.forecasts[2].Speedup() == Approx(1).epsilon(0.005));  // Nobody waits for rank 4.
  CHECK(analysis.forecasts[3].Speedup() > 1);
  // One bucket: all transfers come behind the last gradient.
  CHECK(analysis.forecasts[4].forecast_ns ==
        Approx(analysis.peers.step_ns + 3 * 1'500'000).epsilon(0.02));
  whatifs = {};
  whatifs.buckets = 9;
  CHECK_FALSE(Analyzed(options, whatifs).forecasts.front().applies);
  whatifs = {};
  whatifs.like_peers = {99};
  CHECK_THROWS_AS(Analyzed(options, whatifs), Error);
}

TEST_CASE("collectives are told by size, with their speed over the link") {
  RankJobOptions options;
  options.ranks = 16;
  options.tensor = 8;
  const RanksAnalysis analysis = Analyzed(options);
  REQUIRE(analysis.sorts.size() == 2);
  for (const CollectiveRow& row : analysis.sorts) {
    const bool is_inside = row.link == "one host";
    CHECK(row.participants == (is_inside ? 8 : 2));
    CHECK(row.unmatched == 0);
    const double factor = is_inside ? 2 * 7 / 8.0 : 1;
    const double bytes = is_inside ? 8 << 20 : 100 << 20;
    const double seconds = is_inside ? 150e-6 : 1500e-6;
    CHECK(row.bus_bandwidth.value() == Approx(bytes * factor / seconds).epsilon(0.02));
    CHECK(row.link_share.has_value() == is_inside);
  }
  CHECK(analysis.collectives.size() == 2 + 8);  // By communicator.
}

}  // namespace
}  // namespace xsp
