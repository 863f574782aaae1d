#include "sim/ranks/operations_job.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/error.h"

namespace xsp {
namespace {

// What an operation does in a step, as its name tells.
enum class Role : std::uint8_t {
  kForward,
  kBackward,
  kForwardSend,
  kForwardReceive,
  kBackwardSend,
  kBackwardReceive,
  kGatherParameters,
  kReduceGradients,
  kOther,  // In its turn between the passes, or behind them.
};

// With whom an operation is a joint one.
enum class Joins : std::uint8_t { kNobody, kPartner, kReplicas, kEmbeddings, kAll };

struct KnownType {
  std::string_view name;
  Role role;
  Joins joins;
  bool is_communication;
  std::string_view shown;
};

constexpr std::array kKnownTypes = {
    KnownType{"forward-compute", Role::kForward, Joins::kNobody, false, ""},
    KnownType{"backward-compute", Role::kBackward, Joins::kNobody, false, ""},
    KnownType{"forward-send", Role::kForwardSend, Joins::kPartner, true, "forward-pp-comm"},
    KnownType{"forward-recv", Role::kForwardReceive, Joins::kPartner, true, "forward-pp-comm"},
    KnownType{"backward-send", Role::kBackwardSend, Joins::kPartner, true, "backward-pp-comm"},
    KnownType{"backward-recv", Role::kBackwardReceive, Joins::kPartner, true, "backward-pp-comm"},
    KnownType{"params-all-gather", Role::kGatherParameters, Joins::kReplicas, true, ""},
    KnownType{"grads-reduce-scatter", Role::kReduceGradients, Joins::kReplicas, true, ""},
    KnownType{"gc", Role::kOther, Joins::kNobody, false, ""},
    KnownType{"layernorm-grads-all-reduce", Role::kOther, Joins::kNobody, true, ""},
    KnownType{"embedding-grads-all-reduce", Role::kOther, Joins::kEmbeddings, true, ""},
    KnownType{"separate-grads-all-reduce", Role::kOther, Joins::kReplicas, true, ""},
    KnownType{"optimizer-clip-main-grad", Role::kOther, Joins::kAll, true, ""},
    KnownType{"optimizer", Role::kOther, Joins::kNobody, false, ""},
};
constexpr std::string_view kSeparateGradients = "separate-grads-all-reduce";

// Names of other tracers: a collective is one of the replicas, anything else is computed.
KnownType TypeCalled(std::string_view name) {
  for (const KnownType& known : kKnownTypes) {
    if (known.name == name) return known;
  }
  for (const std::string_view word :
       {"all-reduce", "all_reduce", "allreduce", "all-gather", "all_gather", "allgather",
        "reduce-scatter", "reduce_scatter", "all-to-all", "all_to_all", "alltoall", "broadcast",
        "barrier"}) {
    if (name.find(word) != name.npos) return {name, Role::kOther, Joins::kReplicas, true, ""};
  }
  return {name, Role::kOther, Joins::kNobody, false, ""};
}

// A message may be noted this much before what it waits for.
constexpr DurationNs kClockSlack = 50'000;

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Builds the job step by step, worker by worker.
class JobBuilder {
 public:
  explicit JobBuilder(const OperationsTable& table) : table_(table) {
    for (const std::string& name : table.types) {
      known_.push_back(TypeCalled(name));
      const auto place = std::find_if(kKnownTypes.begin(), kKnownTypes.end(),
                                      [&](const KnownType& known) { return known.name == name; });
      turn_of_type_.push_back(place - kKnownTypes.begin());
    }
    beside_ =
        std::find(table.types.begin(), table.types.end(), kSeparateGradients) != table.types.end();
  }

  JobOperations Build() {
    AddTypes();
    AddWorkersAndSteps();
    AddOperations();
    for (std::size_t i = 0; i < job_.size();) i = AddWaits(i);
    job_.waits_for = RowLists::Of(job_.size(), waits_);
    AddJoints();
    LinkMicroBatches();
    return std::move(job_);
  }

 private:
  static constexpr std::int64_t kNone = -1;

  static std::int64_t Value(const std::vector<std::int64_t>& column, std::size_t row,
                            std::int64_t otherwise) {
    return column.empty() || column[row] < 0 ? otherwise : column[row];
  }

  void AddTypes() {
    for (const KnownType& known : known_) {
      const std::string name(known.name);
      job_.types.push_back(
          {name, known.shown.empty() ? name : std::string(known.shown), known.is_communication});
    }
  }

  void AddWorkersAndSteps() {
    job_.steps = Sorted(table_.step);
    const std::vector<std::int64_t> ranks = Sorted(table_.rank);
    job_.workers.resize(ranks.size());
    std::vector<bool> is_known(ranks.size(), false);
    worker_of_.resize(table_.size());
    for (std::size_t row = 0; row < table_.size(); ++row) {
      worker_of_[row] = PlaceOf(ranks, table_.rank[row]);
      JobWorker worker;
      worker.rank = table_.rank[row];
      worker.stage = Value(table_.stage, row, 0);
      worker.data_parallel = Value(table_.data_parallel, row, worker_of_[row]);
      if (!table_.host.empty()) worker.host = table_.hosts[table_.host[row]];
      JobWorker& known = job_.workers[worker_of_[row]];
      if (!is_known[worker_of_[row]]) {
        known = worker;
        is_known[worker_of_[row]] = true;
      } else if (known.stage != worker.stage || known.data_parallel != worker.data_parallel) {
        throw Error("rank " + std::to_string(worker.rank) + " has two places in the job: stage " +
                        std::to_string(known.stage) + " and " + std::to_string(worker.stage) +
                        ", data-parallel rank " + std::to_string(known.data_parallel) + " and " +
                        std::to_string(worker.data_parallel),
                    "one table holds one job");
      }
    }
    NumberGroups();
  }

  // Workers of a stage do equal work.
  void NumberGroups() {
    std::vector<std::int64_t> stages;
    for (const JobWorker& worker : job_.workers) stages.push_back(worker.stage);
    stages = Sorted(stages);
    for (JobWorker& worker : job_.workers) worker.group = PlaceOf(stages, worker.stage);
    last_stage_ = stages.back();
    first_stage_ = stages.front();
  }

  static std::vector<std::int64_t> Sorted(std::vector<std::int64_t> values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
  }

  static std::uint32_t PlaceOf(const std::vector<std::int64_t>& sorted, std::int64_t value) {
    return static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), value) -
                                      sorted.begin());
  }

  void AddOperations() {
    std::vector<std::uint32_t> rows(table_.size());
    std::iota(rows.begin(), rows.end(), 0);
    // Of what begins together, first what is known to come first in a step.
    const auto key = [&](std::uint32_t row) {
      return std::tuple(table_.step[row], worker_of_[row], table_.begin[row],
                        turn_of_type_[table_.type[row]], Value(table_.sequence, row, 0), row);
    };
    std::sort(rows.begin(), rows.end(),
              [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    for (const std::uint32_t row : rows) {
      job_.step.push_back(PlaceOf(job_.steps, table_.step[row]));
      job_.worker.push_back(worker_of_[row]);
      job_.type.push_back(static_cast<std::uint16_t>(table_.type[row]));
      job_.begin.push_back(table_.begin[row]);
      job_.duration.push_back(table_.duration[row]);
    }
    job_.joint.assign(job_.size(), kNoJoint);
    job_.kind.assign(job_.type.begin(), job_.type.end());
    job_.lane.assign(job_.type.begin(), job_.type.end());
    job_.kinds = static_cast<std::uint32_t>(job_.types.size());
    job_.groups_share_kinds = true;
    row_of_ = std::move(rows);
    sequence_.resize(job_.size());
    is_idle_message_.assign(job_.size(), false);
  }

  Role RoleOf(OpRow op) const { return known_[job_.type[op]].role; }
  void Wait(OpRow op, OpRow for_op) { waits_.emplace_back(op, for_op); }

  // Operations of one worker in one step, by what they do; those of a role in their order.
  struct Turn {
    std::array<std::vector<OpRow>, static_cast<std::size_t>(Role::kOther) + 1> by_role;
    std::vector<OpRow> chain;  // What follows each other.

    std::vector<OpRow>& operator[](Role role) { return by_role[static_cast<std::size_t>(role)]; }
  };

  // The waits of the worker and step whose first operation is `first`; returns where they end.
  std::size_t AddWaits(std::size_t first) {
    Turn turn;
    std::size_t end = first;
    for (; end < job_.size() && job_.step[end] == job_.step[first] &&
           job_.worker[end] == job_.worker[first];
         ++end) {
      turn[RoleOf(static_cast<OpRow>(end))].push_back(static_cast<OpRow>(end));
    }
    NumberByType(first, end);
    for (std::vector<OpRow>& ops : turn.by_role) {
      std::stable_sort(ops.begin(), ops.end(),
                       [&](OpRow a, OpRow b) { return sequence_[a] < sequence_[b]; });
    }
    ChainWorker(turn, first, end);
    AddMessages(turn[Role::kForward], turn[Role::kForwardReceive], turn[Role::kForwardSend], +1);
    AddMessages(turn[Role::kBackward], turn[Role::kBackwardReceive], turn[Role::kBackwardSend], -1);
    HoldFirstBackwardMessages(turn);
    AddReplicaStream(turn);
    return end;
  }

  // The order among operations of a type: as recorded, else by their begins.
  void NumberByType(std::size_t first, std::size_t end) {
    counts_.assign(job_.types.size(), 0);
    for (std::size_t op = first; op < end; ++op) {
      const std::int64_t by_begin = counts_[job_.type[op]]++;
      sequence_[op] = Value(table_.sequence, row_of_[op], by_begin);
    }
  }

  bool InChain(OpRow op) const {
    switch (RoleOf(op)) {
      case Role::kForward:
      case Role::kBackward:
      case Role::kOther:
        return true;
      case Role::kReduceGradients:
        return !beside_;
      default:
        return false;
    }
  }

  void ChainWorker(Turn& turn, std::size_t first, std::size_t end) {
    for (auto op = static_cast<OpRow>(first); op < end; ++op) {
      if (!InChain(op)) continue;
      if (!turn.chain.empty()) Wait(op, turn.chain.back());
      turn.chain.push_back(op);
    }
  }

  void ChainStream(const std::vector<OpRow>& ops) {
    for (std::size_t i = 1; i < ops.size(); ++i) Wait(ops[i], ops[i - 1]);
  }

  // Passes that get a message, or send one: not those of the chunk at that end of the model.
  std::vector<OpRow> PassesWithMessage(const std::vector<OpRow>& passes, std::size_t messages,
                                       bool at_first_chunk) const {
    if (messages == passes.size() || table_.chunk.empty()) return passes;
    std::vector<OpRow> some;
    for (const OpRow pass : passes) {
      const std::int64_t chunk = table_.chunk[row_of_[pass]];
      if (at_first_chunk ? chunk > 0 : chunk < last_chunk()) some.push_back(pass);
    }
    return some.size() == messages ? some : passes;
  }

  std::int64_t last_chunk() const {
    if (last_chunk_ == kNone && !table_.chunk.empty()) {
      last_chunk_ = *std::max_element(table_.chunk.begin(), table_.chunk.end());
    }
    return last_chunk_;
  }

  // Messages beyond the last pass, or before the first one, belong to none: some tracers note such.
  void SetAsideIdleMessages(const std::vector<OpRow>& passes, std::vector<OpRow>& messages,
                            bool are_sends) {
    if (passes.empty() || messages.size() <= passes.size()) return;
    std::vector<OpRow> kept;
    for (const OpRow message : messages) {
      const bool is_idle = are_sends
                               ? job_.End(message) < job_.End(passes.front()) - kClockSlack
                               : job_.begin[message] > job_.begin[passes.back()] + kClockSlack;
      is_idle_message_[message] = is_idle;
      if (!is_idle) kept.push_back(message);
    }
    for (std::size_t i = 0; i < kept.size(); ++i) sequence_[kept[i]] = static_cast<std::int64_t>(i);
    messages = std::move(kept);
  }

  // `direction`: to the next stage (+1) or to the one before (-1).
  void AddMessages(const std::vector<OpRow>& passes, std::vector<OpRow>& receives,
                   std::vector<OpRow>& sends, int direction) {
    SetAsideIdleMessages(passes, receives, false);
    SetAsideIdleMessages(passes, sends, true);
    ChainStream(receives);
    ChainStream(sends);
    const auto receiving = PassesWithMessage(passes, receives.size(), direction > 0);
    for (std::size_t i = 0; i < receives.size() && i < receiving.size(); ++i) {
      if (i > 0) Wait(receives[i], receiving[i - 1]);
      Wait(receiving[i], receives[i]);
    }
    const auto sending = PassesWithMessage(passes, sends.size(), direction < 0);
    for (std::size_t i = 0; i < sends.size() && i < sending.size(); ++i) Wait(sends[i], sending[i]);
  }

  // The first messages of the backward passes are asked for behind the forward pass before the last
  // one in front of them.
  void HoldFirstBackwardMessages(Turn& turn) {
    if (turn[Role::kBackward].empty()) return;
    const OpRow first_backward = turn[Role::kBackward].front();
    std::optional<OpRow> last, before_last;
    for (const OpRow pass : turn[Role::kForward]) {
      if (pass >= first_backward) break;
      before_last = last;
      last = pass;
    }
    if (!before_last) return;
    for (const Role role : {Role::kBackwardReceive, Role::kBackwardSend}) {
      if (!turn[role].empty()) Wait(turn[role].front(), *before_last);
    }
  }

  // What replicas of a stage do together beside the passes.
  void AddReplicaStream(Turn& turn) {
    std::vector<OpRow> stream = turn[Role::kGatherParameters];
    if (!turn[Role::kForward].empty() && !stream.empty()) {
      const OpRow first_pass = turn[Role::kForward].front();
      for (const OpRow gather : stream) {
        if (job_.begin[gather] <= job_.begin[first_pass]) Wait(first_pass, gather);
      }
    }
    const std::vector<OpRow>& reduces = turn[Role::kReduceGradients];
    stream.insert(stream.end(), reduces.begin(), reduces.end());
    std::sort(stream.begin(), stream.end());
    ChainStream(stream);
    if (!beside_ || reduces.empty()) return;
    for (const OpRow reduce : reduces) {
      if (const auto pass = LastEndedBefore(turn[Role::kBackward], job_.begin[reduce])) {
        Wait(reduce, *pass);
      }
    }
    for (const OpRow op : turn.chain) {
      if (op > reduces.back() && known_[job_.type[op]].is_communication) {
        Wait(op, reduces.back());
        return;
      }
    }
  }

  std::optional<OpRow> LastEndedBefore(const std::vector<OpRow>& passes, TimeNs time) const {
    std::optional<OpRow> found;
    for (const OpRow pass : passes) {
      if (job_.End(pass) <= time + kClockSlack) found = pass;
    }
    return found;
  }

  // By what participants of a joint operation find each other.
  struct JointKey {
    std::uint32_t step;
    std::uint32_t kind;  // The type of a collective; of messages, forward or backward.
    std::int64_t among;  // The stage or replica whose workers take part; of messages: the replica,
    std::int64_t from;   // and the stage that sends.
    std::int64_t sequence;

    auto operator<=>(const JointKey&) const = default;
  };

  std::optional<JointKey> KeyOf(OpRow op) const {
    const JobWorker& worker = job_.workers[job_.worker[op]];
    const auto type = static_cast<std::uint32_t>(job_.type[op]);
    switch (known_[job_.type[op]].joins) {
      case Joins::kNobody:
        return std::nullopt;
      case Joins::kReplicas:
        return JointKey{job_.step[op], type, worker.stage, kNone, sequence_[op]};
      case Joins::kEmbeddings:
        return JointKey{job_.step[op], type, worker.data_parallel, kNone, sequence_[op]};
      case Joins::kAll:
        return JointKey{job_.step[op], type, kNone, kNone, sequence_[op]};
      case Joins::kPartner:
        break;
    }
    if (is_idle_message_[op]) return std::nullopt;
    const Role role = RoleOf(op);
    const bool is_forward = role == Role::kForwardSend || role == Role::kForwardReceive;
    std::int64_t from = worker.stage;
    if (role == Role::kForwardReceive) from = Neighbour(worker.stage, -1);
    if (role == Role::kBackwardReceive) from = Neighbour(worker.stage, +1);
    const auto kind = static_cast<std::uint32_t>(job_.types.size() + (is_forward ? 0 : 1));
    return JointKey{job_.step[op], kind, worker.data_parallel, from, sequence_[op]};
  }

  // The stage before or after; with several chunks per stage the pipeline goes round.
  std::int64_t Neighbour(std::int64_t stage, int direction) const {
    const std::int64_t stages = last_stage_ - first_stage_ + 1;
    const bool goes_round = last_chunk() >= stages;
    const std::int64_t next = stage - first_stage_ + direction;
    return first_stage_ + (goes_round ? (next + stages) % stages : next);
  }

  void AddJoints() {
    std::vector<std::pair<JointKey, OpRow>> keyed;
    for (OpRow op = 0; op < job_.size(); ++op) {
      if (const auto key = KeyOf(op)) keyed.emplace_back(*key, op);
    }
    std::sort(keyed.begin(), keyed.end());
    Pairs members;
    JointRow joints = 0;
    for (std::size_t i = 0; i < keyed.size();) {
      std::size_t end = i;
      while (end < keyed.size() && keyed[end].first == keyed[i].first) ++end;
      if (end - i == 1) {
        if (known_[job_.type[keyed[i].second]].joins == Joins::kPartner) ++job_.unpaired;
      } else {
        for (std::size_t k = i; k < end; ++k) {
          job_.joint[keyed[k].second] = joints;
          members.emplace_back(joints, keyed[k].second);
        }
        ++joints;
      }
      i = end;
    }
    job_.members = RowLists::Of(joints, members);
  }

  // Passes of the same micro-batch on a worker, against the mean of that worker.
  void LinkMicroBatches() {
    if (table_.micro_batch.empty()) return;
    using Batch = std::tuple<std::uint32_t, WorkerRow, std::int64_t>;
    std::map<Batch, std::array<double, 2>> passes;
    std::vector<std::array<double, 4>> sums(job_.workers.size(), {0, 0, 0, 0});
    for (OpRow op = 0; op < job_.size(); ++op) {
      const Role role = RoleOf(op);
      if (role != Role::kForward && role != Role::kBackward) continue;
      const std::size_t place = role == Role::kForward ? 0 : 1;
      const auto took = static_cast<double>(job_.duration[op]);
      passes[{job_.step[op], job_.worker[op], table_.micro_batch[row_of_[op]]}][place] += took;
      sums[job_.worker[op]][place] += took;
      ++sums[job_.worker[op]][2 + place];
    }
    double xx = 0, yy = 0, xy = 0;
    for (const auto& [batch, took] : passes) {
      const std::array<double, 4>& sum = sums[std::get<1>(batch)];
      if (took[0] == 0 || took[1] == 0 || sum[2] == 0 || sum[3] == 0) continue;
      const double x = took[0] / (sum[0] / sum[2]) - 1, y = took[1] / (sum[1] / sum[3]) - 1;
      xx += x * x;
      yy += y * y;
      xy += x * y;
    }
    if (xx > 0 && yy > 0) job_.micro_batch_link = xy / std::sqrt(xx * yy);
  }

  const OperationsTable& table_;
  std::vector<KnownType> known_;              // By type.
  std::vector<std::ptrdiff_t> turn_of_type_;  // Which comes first of what begins together.
  bool beside_ = false;                       // Gradients are reduced beside the backward passes.
  JobOperations job_;
  std::vector<std::uint32_t> worker_of_;  // By row of the table.
  std::vector<std::uint32_t> row_of_;     // By operation.
  std::vector<std::int64_t> sequence_;    // By operation.
  std::vector<bool> is_idle_message_;     // By operation.
  std::vector<std::int64_t> counts_;      // By type, of the worker and step at hand.
  std::int64_t first_stage_ = 0, last_stage_ = 0;
  mutable std::int64_t last_chunk_ = kNone;
  Pairs waits_;
};

}  // namespace

JobOperations JobOfOperations(const OperationsTable& table) { return JobBuilder(table).Build(); }

}  // namespace xsp
