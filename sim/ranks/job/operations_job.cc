#include "sim/ranks/job/operations_job.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "sim/ranks/job/micro_batches.h"
#include "sim/ranks/job/operation_types.h"
#include "sim/ranks/job/operation_waits.h"

namespace xsp {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Builds the job step by step, worker by worker.
class JobBuilder {
 public:
  explicit JobBuilder(const OperationsTable& table) : table_(table) {
    for (const std::string& name : table.types) {
      columns_.types.push_back(OperationTypeCalled(name));
      turn_of_type_.push_back(TurnInStep(name));
    }
    columns_.beside =
        std::find(table.types.begin(), table.types.end(), kSeparateGradients) != table.types.end();
  }

  JobOperations Build() {
    AddTypes();
    AddWorkersAndSteps();
    AddOperations();
    waits_ = FindOperationWaits(job_, columns_);
    job_.waits_for = RowLists::Of(job_.size(), waits_.pairs);
    AddJoints();
    job_.micro_batch_link = MicroBatchLink(job_, columns_);
    return std::move(job_);
  }

 private:
  static constexpr std::int64_t kNone = -1;

  static std::int64_t Value(const std::vector<std::int64_t>& column, std::size_t row,
                            std::int64_t otherwise) {
    return column.empty() || column[row] < 0 ? otherwise : column[row];
  }

  void AddTypes() {
    for (const OperationType& known : columns_.types) {
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
    columns_.sequence = ByOperation(table_.sequence, rows);
    if (columns_.sequence.empty()) columns_.sequence.assign(rows.size(), kNone);
    columns_.chunk = ByOperation(table_.chunk, rows);
    columns_.micro_batch = ByOperation(table_.micro_batch, rows);
    if (!table_.chunk.empty()) {
      columns_.last_chunk = *std::max_element(table_.chunk.begin(), table_.chunk.end());
    }
  }

  // A column of the table in the order of the job's operations.
  static std::vector<std::int64_t> ByOperation(const std::vector<std::int64_t>& column,
                                               const std::vector<std::uint32_t>& rows) {
    std::vector<std::int64_t> values;
    if (column.empty()) return values;
    for (const std::uint32_t row : rows) values.push_back(column[row]);
    return values;
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
    switch (columns_.types[job_.type[op]].joins) {
      case OpJoins::kNobody:
        return std::nullopt;
      case OpJoins::kReplicas:
        return JointKey{job_.step[op], type, worker.stage, kNone, waits_.sequence[op]};
      case OpJoins::kEmbeddings:
        return JointKey{job_.step[op], type, worker.data_parallel, kNone, waits_.sequence[op]};
      case OpJoins::kAll:
        return JointKey{job_.step[op], type, kNone, kNone, waits_.sequence[op]};
      case OpJoins::kPartner:
        break;
    }
    if (waits_.is_idle_message[op]) return std::nullopt;
    const OpRole role = columns_.types[job_.type[op]].role;
    const bool is_forward = role == OpRole::kForwardSend || role == OpRole::kForwardReceive;
    std::int64_t from = worker.stage;
    if (role == OpRole::kForwardReceive) from = Neighbour(worker.stage, -1);
    if (role == OpRole::kBackwardReceive) from = Neighbour(worker.stage, +1);
    const auto kind = static_cast<std::uint32_t>(job_.types.size() + (is_forward ? 0 : 1));
    return JointKey{job_.step[op], kind, worker.data_parallel, from, waits_.sequence[op]};
  }

  // The stage before or after; with several chunks per stage the pipeline goes round.
  std::int64_t Neighbour(std::int64_t stage, int direction) const {
    const std::int64_t stages = last_stage_ - first_stage_ + 1;
    const bool goes_round = columns_.last_chunk >= stages;
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
        if (columns_.types[job_.type[keyed[i].second]].joins == OpJoins::kPartner) ++job_.unpaired;
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

  const OperationsTable& table_;
  std::vector<std::size_t> turn_of_type_;  // Which comes first of what begins together.
  OperationColumns columns_;
  JobOperations job_;
  std::vector<std::uint32_t> worker_of_;  // By row of the table.
  OperationWaits waits_;
  std::int64_t first_stage_ = 0, last_stage_ = 0;
};

}  // namespace

JobOperations JobOfOperations(const OperationsTable& table) { return JobBuilder(table).Build(); }

}  // namespace xsp
