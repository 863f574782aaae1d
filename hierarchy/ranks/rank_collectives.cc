#include "hierarchy/ranks/rank_collectives.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <tuple>

namespace xsp {
namespace {

template <class T>
std::int64_t Number(T value) {
  return value == kMissing<T> ? kMissing<std::int64_t> : static_cast<std::int64_t>(value);
}

std::int64_t StepNumber(std::uint32_t step) {
  return step == Steps::kOutside ? 0 : std::int64_t{step} + 1;
}

std::string Hexadecimal(std::uint64_t number) {
  char digits[16];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), number, 16);
  return "0x" + std::string(digits, end);
}

class Finder {
 public:
  Finder(const Hierarchy& hierarchy, ProcessId process, const RankEvents& events,
         KernelCollectives& facts, const DisjointRanges& others)
      : hierarchy_(hierarchy),
        trace_(hierarchy.trace()),
        process_(process),
        events_(events),
        work_(events.work),
        facts_(facts),
        others_(others) {}

  RankCollectives Run(const std::vector<ComputeGap>& gaps) {
    AddKernels(gaps);
    AddMpiCalls();
    std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
      return std::tie(a.row.begin_ns, a.row.end_ns) < std::tie(b.row.begin_ns, b.row.end_ns);
    });
    RankCollectives result;
    for (Found& one : found_) {
      if (one.work != ComputeGap::kNone) {
        result.row_of_work[one.work] = static_cast<std::uint32_t>(result.rows.size());
      }
      result.rows.push_back(std::move(one.row));
    }
    return result;
  }

 private:
  struct Found {
    std::uint32_t work = ComputeGap::kNone;
    CollectiveInstance row;
  };

  // In order of launch: that is how communicators count, whatever runs first.
  void AddKernels(const std::vector<ComputeGap>& gaps) {
    std::vector<std::uint32_t> launched;
    for (std::uint32_t i = 0; i < work_.size(); ++i) {
      if (work_[i].activity == Activity::kCommunication) launched.push_back(i);
    }
    std::stable_sort(launched.begin(), launched.end(), [&](std::uint32_t a, std::uint32_t b) {
      return work_[a].launch < work_[b].launch;
    });
    std::unordered_map<std::uint32_t, DurationNs> blocking;
    for (const ComputeGap& gap : gaps) {
      if (gap.cause != GapCause::kBlocking) continue;
      blocking[gap.held_by] +=
          std::max<DurationNs>(0, gap.time.Clip(work_[gap.held_by].time).Length());
    }
    for (std::uint32_t i : launched) {
      Found& one = found_.emplace_back(Found{i, RowOf(work_[i])});
      if (const auto it = blocking.find(i); it != blocking.end()) one.row.blocking_ns = it->second;
    }
  }

  CollectiveInstance RowOf(const RankWork& work) {
    const ToldCollective facts = facts_.Of(work.event);
    const Collectives::Row& told = facts.row;
    CollectiveInstance row;
    const std::string_view said = trace_.strings().Get(told.operation);
    row.operation = OperationWord(said.empty() ? trace_.name(work.event) : said);
    if (row.operation.empty()) row.operation = said;
    if (facts.is_exchange) row.operation = "exchange";
    row.communicator = CommunicatorOf(told, row.operation);
    Count(Number(told.sequence), row);
    row.bytes = Number(told.bytes);
    row.participants = Number(told.ranks);
    row.peer = Number(told.peer);
    row.begin_ns = work.time.begin;
    row.end_ns = work.time.end;
    row.step = StepNumber(work.step);
    row.exposed_ns = work.time.Length() - others_.Within(work.time);
    row.stream = Number(trace_.track(work.stream).stream);
    return row;
  }

  std::string CommunicatorOf(const Collectives::Row& told, const std::string& operation) const {
    if (told.communicator != kMissing<std::uint64_t>) return Hexadecimal(told.communicator);
    const std::string_view group = trace_.strings().Get(told.group);
    if (!group.empty()) return "group:" + std::string(group);
    return "kernel:" + (operation.empty() ? std::string("unknown") : operation);
  }

  // Not all ranks send as often as they take part in collectives.
  void Count(std::int64_t recorded, CollectiveInstance& row) {
    std::int64_t& next = counted_[{row.communicator, IsMessage(row)}];
    row.sequence_is_recorded = recorded != kMissing<std::int64_t>;
    row.sequence = row.sequence_is_recorded ? recorded : next;
    ++next;
  }

  // Handles of communicators differ from process to process; the order in which they are used does
  // not.
  void AddMpiCalls() {
    const MpiCalls& calls = trace_.mpi();
    std::map<std::uint64_t, std::size_t> communicators;
    for (EventId event : events_.mpi) {
      const std::uint32_t row = trace_.Row(event, EventKind::kMpi);
      const std::size_t number =
          communicators.try_emplace(calls.communicator[row], communicators.size()).first->second;
      const TimeRange time = {trace_.begin(event), trace_.end(event)};
      CollectiveInstance one;
      one.communicator = "mpi:" + std::to_string(number);
      one.operation = OperationWord(trace_.name(event));
      Count(kMissing<std::int64_t>, one);
      one.bytes = calls.bytes[row];
      one.begin_ns = time.begin;
      one.end_ns = time.end;
      one.step = StepNumber(hierarchy_.steps().StepAt(process_, time.begin));
      one.exposed_ns = time.Length() - others_.Within(time);
      found_.push_back({ComputeGap::kNone, std::move(one)});
    }
  }

  const Hierarchy& hierarchy_;
  const Trace& trace_;
  ProcessId process_;
  const RankEvents& events_;
  const std::vector<RankWork>& work_;
  KernelCollectives& facts_;
  const DisjointRanges& others_;
  // By communicator: its collectives, and its messages.
  std::map<std::pair<std::string, bool>, std::int64_t> counted_;
  std::vector<Found> found_;
};

}  // namespace

RankCollectives FindCollectives(const Hierarchy& hierarchy, ProcessId process,
                                const RankEvents& events, KernelCollectives& facts,
                                const DisjointRanges& others, const std::vector<ComputeGap>& gaps) {
  return Finder(hierarchy, process, events, facts, others).Run(gaps);
}

}  // namespace xsp
