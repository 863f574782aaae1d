#include "tests/support/rank_job.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace xsp {
namespace {

using Ns = std::int64_t;

constexpr int kLayers = 4;
constexpr Ns kForward = 2'000'000, kBackward = 4'000'000, kOptimizer = 1'000'000;
constexpr Ns kTensorTransfer = 150'000, kGradientTransfer = 1'500'000, kMessage = 100'000;
constexpr Ns kBetweenSteps = 20'000;
constexpr Ns kIssue = 2'000;      // From the end of compute to the begin of a collective.
constexpr Ns kEndSpread = 1'000;  // Ranks leave a collective within this time.
constexpr std::int64_t kTensorBytes = 8 << 20, kGradientBytes = 100 << 20, kMessageBytes = 16 << 20;
constexpr std::int64_t kComputeStream = 7, kGradientStream = 20, kReceiveStream = 30,
                       kSendStream = 31;
constexpr Ns kEpoch = 1'700'000'000'000'000'000;

class Cluster {
 public:
  explicit Cluster(const RankJobOptions& options)
      : options_(options),
        random_(options.seed),
        tables_(static_cast<std::size_t>(options.ranks)),
        busy_until_(tables_.size(), 0),
        gradients_until_(tables_.size(), 0),
        start_(tables_.size()) {
    for (int rank = 0; rank < options.ranks; ++rank) {
      start_[At(rank)] = -static_cast<Ns>(random_() % 300'000'000);
    }
  }

  RankJob Run() {
    Ns first_end = 0, end = 0;
    for (int step = 0; step < options_.steps; ++step) {
      RunStep(step);
      end = *std::max_element(busy_until_.begin(), busy_until_.end());
      if (step == 0) first_end = end;
    }
    RankJob job;
    job.step_ns = static_cast<double>(end - first_end) / std::max(1, options_.steps - 1);
    for (int rank = 0; rank < options_.ranks; ++rank) {
      if (options_.not_recorded.contains(rank)) continue;
      FillFacts(rank);
      job.ranks.push_back(std::move(tables_[At(rank)]));
    }
    return job;
  }

 private:
  static std::size_t At(int rank) { return static_cast<std::size_t>(rank); }
  int HostOf(int rank) const { return rank / options_.per_host; }
  int Replicas() const { return options_.ranks / options_.stages / options_.tensor; }

  // Tensor-parallel ranks are neighbours, then come replicas, then stages.
  int StageOf(int rank) const { return rank / (options_.ranks / options_.stages); }

  double Jitter() { return 1 + options_.jitter * std::normal_distribution<double>(0, 1)(random_); }

  // What a rank's own clock shows.
  Ns Clock(int rank, Ns time) const {
    const int host = HostOf(rank);
    const double drift = options_.drift_ppm(host) * 1e-6 * static_cast<double>(time);
    return time + options_.clock_ahead_ns(host) + std::llround(drift);
  }
  Ns OnRank(int rank, Ns time) const { return Clock(rank, time) - Clock(rank, start_[At(rank)]); }

  bool IsCut(int rank, int step) const {
    return rank == options_.cut_rank && step >= options_.cut_after;
  }

  void Compute(int rank, int step, const char* phase, Ns length, std::int64_t waits_for) {
    const double took = static_cast<double>(length) * options_.slower(step, rank) *
                        options_.more_work(rank) * Jitter();
    const Ns begin = busy_until_[At(rank)];
    const Ns end = begin + std::llround(took);
    busy_until_[At(rank)] = end;
    if (IsCut(rank, step)) return;
    RankSegment segment;
    segment.step = step + 1;
    segment.sequence = segments_of_step_[rank]++;
    segment.work_class = "gemm";
    segment.phase = phase;
    segment.begin_ns = OnRank(rank, begin);
    segment.end_ns = OnRank(rank, end);
    segment.busy_ns = segment.end_ns - segment.begin_ns;
    segment.operations = 10;
    segment.waits_for = waits_for;
    tables_[At(rank)].segments.push_back(segment);
  }

  // A collective of some ranks: each comes at its time, all leave together. Returns by rank: its
  // end, and the row of its table.
  struct Left {
    Ns end = 0;
    std::int64_t row = kMissing<std::int64_t>;
  };
  std::map<int, Left> Join(const std::vector<int>& ranks, const std::map<int, Ns>& come, int step,
                           const std::string& communicator, std::int64_t bytes, Ns transfer,
                           std::int64_t stream) {
    Ns last = 0;
    for (const auto& [rank, begin] : come) last = std::max(last, begin);
    const Ns took =
        std::llround(static_cast<double>(transfer) * options_.slower_link(ranks) * Jitter());
    const std::int64_t sequence = sequences_[communicator]++;
    std::map<int, Left> left;
    for (const int rank : ranks) {
      Left& own = left[rank];
      own.end = last + took + static_cast<Ns>(random_() % kEndSpread);
      if (IsCut(rank, step)) continue;
      own.row = Record(rank, step, communicator, sequence, "all_reduce", bytes,
                       static_cast<std::int64_t>(ranks.size()), come.at(rank), own.end, stream);
    }
    return left;
  }

  std::int64_t Record(int rank, int step, const std::string& communicator, std::int64_t sequence,
                      const char* operation, std::int64_t bytes, std::int64_t participants,
                      Ns begin, Ns end, std::int64_t stream) {
    CollectiveInstance instance;
    instance.communicator = communicator;
    instance.sequence = options_.is_counted ? counted_[{communicator, rank}]++ : sequence;
    instance.sequence_is_recorded = !options_.is_counted;
    instance.operation = operation;
    instance.bytes = bytes;
    instance.participants = participants;
    instance.begin_ns = OnRank(rank, begin);
    instance.end_ns = OnRank(rank, end);
    instance.step = step + 1;
    instance.stream = stream;
    tables_[At(rank)].collectives.push_back(instance);
    return static_cast<std::int64_t>(tables_[At(rank)].collectives.size()) - 1;
  }

  std::vector<int> TensorGroup(int first) const {
    std::vector<int> ranks;
    for (int i = 0; i < options_.tensor; ++i) ranks.push_back(first + i);
    return ranks;
  }

  // Ranks that hold the same part of the model.
  std::vector<int> ReplicasOf(int part) const {
    const int of_stage = options_.ranks / options_.stages;
    const int stage = part / options_.tensor, place = part % options_.tensor;
    std::vector<int> ranks;
    for (int i = 0; i < Replicas(); ++i) {
      ranks.push_back(stage * of_stage + i * options_.tensor + place);
    }
    return ranks;
  }

  void Layer(int step, const char* phase, Ns length) {
    for (int rank = 0; rank < options_.ranks; ++rank) {
      Compute(rank, step, phase, length, waits_for_[rank]);
      waits_for_[rank] = kMissing<std::int64_t>;
    }
    if (options_.tensor == 1) return;
    for (int first = 0; first < options_.ranks; first += options_.tensor) {
      const std::vector<int> ranks = TensorGroup(first);
      std::map<int, Ns> come;
      for (const int rank : ranks) come[rank] = busy_until_[At(rank)] + kIssue;
      for (const auto& [rank, left] : Join(ranks, come, step, "tp:" + std::to_string(first),
                                           kTensorBytes, kTensorTransfer, kComputeStream)) {
        busy_until_[At(rank)] = left.end;
        waits_for_[rank] = left.row;
      }
    }
  }

  // Gradients of what was computed last, beside what follows.
  void Gradients(int step) {
    if (Replicas() == 1) return;
    for (int part = 0; part < options_.stages * options_.tensor; ++part) {
      const std::vector<int> ranks = ReplicasOf(part);
      std::map<int, Ns> come;
      for (const int rank : ranks) {
        come[rank] = std::max(busy_until_[At(rank)] + kIssue, gradients_until_[At(rank)]);
      }
      const std::string name = (options_.mpi ? "mpi:" : "dp:") + std::to_string(part);
      for (const auto& [rank, left] :
           Join(ranks, come, step, name, kGradientBytes, kGradientTransfer,
                options_.mpi ? kMissing<std::int64_t> : kGradientStream)) {
        gradients_until_[At(rank)] = left.end;
        gradients_row_[rank] = left.row;
        if (options_.mpi) busy_until_[At(rank)] = left.end;
      }
    }
  }

  // One forward, one backward of each stage, behind a warm-up; every receive is waited for.
  void Pipeline(int step) {
    const int of_stage = options_.ranks / options_.stages;
    const int batches = 2 * options_.stages;
    for (int replica = 0; replica < of_stage; ++replica) {
      std::vector<std::vector<std::pair<bool, int>>> orders(
          static_cast<std::size_t>(options_.stages));
      for (int stage = 0; stage < options_.stages; ++stage) {
        orders[At(stage)] = Order(stage, batches);
      }
      std::vector<std::size_t> next(At(options_.stages), 0);
      std::map<std::tuple<bool, int, int>, Ns> done;
      for (bool is_any = true; is_any;) {
        is_any = false;
        for (int stage = 0; stage < options_.stages; ++stage) {
          while (next[At(stage)] < orders[At(stage)].size()) {
            const auto [is_forward, batch] = orders[At(stage)][next[At(stage)]];
            if (!Pass(step, replica, of_stage, stage, is_forward, batch, done)) break;
            ++next[At(stage)];
            is_any = true;
          }
        }
      }
    }
  }

  std::vector<std::pair<bool, int>> Order(int stage, int batches) const {
    const int warm_up = std::min(batches, options_.stages - stage);
    std::vector<std::pair<bool, int>> order;
    for (int i = 0; i < warm_up; ++i) order.emplace_back(true, i);
    for (int i = 0; i < batches; ++i) {
      order.emplace_back(false, i);
      if (warm_up + i < batches) order.emplace_back(true, warm_up + i);
    }
    return order;
  }

  bool Pass(int step, int replica, int of_stage, int stage, bool is_forward, int batch,
            std::map<std::tuple<bool, int, int>, Ns>& done) {
    const int source = is_forward ? stage - 1 : stage + 1;
    const int rank = stage * of_stage + replica;
    std::int64_t waits_for = kMissing<std::int64_t>;
    if (source >= 0 && source < options_.stages) {
      const auto ready = done.find({is_forward, source, batch});
      if (ready == done.end()) return false;
      const int sender = source * of_stage + replica;
      const Ns asked = busy_until_[At(rank)] + kIssue;
      const Ns arrived = std::max(asked, ready->second + kIssue) + kMessage;
      if (!IsCut(rank, step)) {
        waits_for = Message(rank, sender, step, "receive", asked, arrived, kReceiveStream);
      }
      if (!IsCut(sender, step)) {
        Message(sender, rank, step, "send", ready->second + kIssue, arrived, kSendStream);
      }
      busy_until_[At(rank)] = arrived;
    }
    Compute(rank, step, is_forward ? "forward" : "backward", is_forward ? kForward : kBackward,
            waits_for);
    done[{is_forward, stage, batch}] = busy_until_[At(rank)];
    return true;
  }

  std::int64_t Message(int rank, int peer, int step, const char* operation, Ns begin, Ns end,
                       std::int64_t stream) {
    const std::int64_t row = Record(rank, step, "world", 0, operation, kMessageBytes,
                                    options_.ranks, begin, end, stream);
    tables_[At(rank)].collectives.back().peer = peer;
    return row;
  }

  void RunStep(int step) {
    segments_of_step_.clear();
    const std::vector<Ns> began = busy_until_;
    for (int rank = 0; rank < options_.ranks; ++rank) {
      waits_for_[rank] = kMissing<std::int64_t>;
      busy_until_[At(rank)] += kBetweenSteps + options_.pause(step, rank);
    }
    if (options_.stages > 1) {
      Pipeline(step);
      Gradients(step);
    } else {
      for (int layer = 0; layer < kLayers; ++layer) Layer(step, "forward", kForward);
      for (int layer = 0; layer < kLayers; ++layer) {
        Layer(step, "backward", kBackward);
        Gradients(step);
      }
    }
    for (int rank = 0; rank < options_.ranks; ++rank) {
      const bool has_gradients = gradients_row_.contains(rank);
      busy_until_[At(rank)] = std::max(busy_until_[At(rank)], gradients_until_[At(rank)]);
      Compute(rank, step, "optimizer", kOptimizer,
              has_gradients && !options_.mpi ? gradients_row_[rank] : kMissing<std::int64_t>);
      if (IsCut(rank, step)) continue;
      RankStep row;
      row.step = step + 1;
      row.role = "counted";
      row.begin_ns = OnRank(rank, began[At(rank)]);
      row.end_ns = OnRank(rank, busy_until_[At(rank)]);
      tables_[At(rank)].steps.push_back(row);
    }
  }

  void FillFacts(int rank) {
    RankTables& tables = tables_[At(rank)];
    std::stable_sort(tables.segments.begin(), tables.segments.end(),
                     [](const RankSegment& a, const RankSegment& b) { return a.step < b.step; });
    RankFacts& facts = tables.facts;
    facts.global_rank = rank;
    facts.world_size = options_.ranks;
    facts.local_rank = rank % options_.per_host;
    facts.host = "node" + std::to_string(HostOf(rank));
    facts.gpu = "NVIDIA H100 80GB HBM3";
    facts.clock_source = "utc";
    facts.session_start_ns = kEpoch + Clock(rank, start_[At(rank)]);
    facts.fingerprint = options_.stages == 1 ? "gemm 90 | all_reduce" : "gemm 90 | messages";
  }

  const RankJobOptions& options_;
  std::mt19937_64 random_;
  std::vector<RankTables> tables_;
  std::vector<Ns> busy_until_;       // By rank: its compute.
  std::vector<Ns> gradients_until_;  // By rank: its stream of gradients.
  std::vector<Ns> start_;            // By rank: of its recording.
  std::map<int, std::int64_t> gradients_row_, waits_for_, segments_of_step_;
  std::map<std::string, std::int64_t> sequences_;
  std::map<std::pair<std::string, int>, std::int64_t> counted_;
};

}  // namespace

RankJob RunRankJob(const RankJobOptions& options) { return Cluster(options).Run(); }

}  // namespace xsp
