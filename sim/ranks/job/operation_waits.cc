#include "sim/ranks/job/operation_waits.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace xsp {
namespace {

// A message may be noted this much before what it waits for.
constexpr DurationNs kClockSlack = 50'000;

// Goes through the job worker by worker, step by step.
class WaitFinder {
 public:
  WaitFinder(const JobOperations& job, const OperationColumns& columns)
      : job_(job), columns_(columns) {
    result_.sequence = columns.sequence;
    result_.is_idle_message.assign(job.size(), false);
  }

  OperationWaits Run() {
    for (std::size_t i = 0; i < job_.size();) i = AddWaits(i);
    return std::move(result_);
  }

 private:
  OpRole RoleOf(OpRow op) const { return columns_.types[job_.type[op]].role; }
  void Wait(OpRow op, OpRow for_op) { result_.pairs.emplace_back(op, for_op); }

  // Operations of one worker in one step, by what they do; those of a role in their order.
  struct Turn {
    std::array<std::vector<OpRow>, kOpRoles> by_role;
    std::vector<OpRow> chain;  // What follows each other.

    std::vector<OpRow>& operator[](OpRole role) { return by_role[static_cast<std::size_t>(role)]; }
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
                       [&](OpRow a, OpRow b) { return result_.sequence[a] < result_.sequence[b]; });
    }
    ChainWorker(turn, first, end);
    AddMessages(turn[OpRole::kForward], turn[OpRole::kForwardReceive], turn[OpRole::kForwardSend],
                +1);
    AddMessages(turn[OpRole::kBackward], turn[OpRole::kBackwardReceive],
                turn[OpRole::kBackwardSend], -1);
    HoldFirstBackwardMessages(turn);
    AddReplicaStream(turn);
    return end;
  }

  // The order among operations of a type: as recorded, else by their begins.
  void NumberByType(std::size_t first, std::size_t end) {
    counts_.assign(job_.types.size(), 0);
    for (std::size_t op = first; op < end; ++op) {
      const std::int64_t by_begin = counts_[job_.type[op]]++;
      if (result_.sequence[op] < 0) result_.sequence[op] = by_begin;
    }
  }

  bool InChain(OpRow op) const {
    switch (RoleOf(op)) {
      case OpRole::kForward:
      case OpRole::kBackward:
      case OpRole::kOther:
        return true;
      case OpRole::kReduceGradients:
        return !columns_.beside;
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
    if (messages == passes.size() || columns_.chunk.empty()) return passes;
    std::vector<OpRow> some;
    for (const OpRow pass : passes) {
      const std::int64_t chunk = columns_.chunk[pass];
      if (at_first_chunk ? chunk > 0 : chunk < columns_.last_chunk) some.push_back(pass);
    }
    return some.size() == messages ? some : passes;
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
      result_.is_idle_message[message] = is_idle;
      if (!is_idle) kept.push_back(message);
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
      result_.sequence[kept[i]] = static_cast<std::int64_t>(i);
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
    if (turn[OpRole::kBackward].empty()) return;
    const OpRow first_backward = turn[OpRole::kBackward].front();
    std::optional<OpRow> last, before_last;
    for (const OpRow pass : turn[OpRole::kForward]) {
      if (pass >= first_backward) break;
      before_last = last;
      last = pass;
    }
    if (!before_last) return;
    for (const OpRole role : {OpRole::kBackwardReceive, OpRole::kBackwardSend}) {
      if (!turn[role].empty()) Wait(turn[role].front(), *before_last);
    }
  }

  // What replicas of a stage do together beside the passes.
  void AddReplicaStream(Turn& turn) {
    std::vector<OpRow> stream = turn[OpRole::kGatherParameters];
    if (!turn[OpRole::kForward].empty() && !stream.empty()) {
      const OpRow first_pass = turn[OpRole::kForward].front();
      for (const OpRow gather : stream) {
        if (job_.begin[gather] <= job_.begin[first_pass]) Wait(first_pass, gather);
      }
    }
    const std::vector<OpRow>& reduces = turn[OpRole::kReduceGradients];
    stream.insert(stream.end(), reduces.begin(), reduces.end());
    std::sort(stream.begin(), stream.end());
    ChainStream(stream);
    if (!columns_.beside || reduces.empty()) return;
    for (const OpRow reduce : reduces) {
      if (const auto pass = LastEndedBefore(turn[OpRole::kBackward], job_.begin[reduce])) {
        Wait(reduce, *pass);
      }
    }
    for (const OpRow op : turn.chain) {
      if (op > reduces.back() && columns_.types[job_.type[op]].is_communication) {
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

  const JobOperations& job_;
  const OperationColumns& columns_;
  OperationWaits result_;
  std::vector<std::int64_t> counts_;  // By type, of the worker and step at hand.
};

}  // namespace

OperationWaits FindOperationWaits(const JobOperations& job, const OperationColumns& columns) {
  return WaitFinder(job, columns).Run();
}

}  // namespace xsp
