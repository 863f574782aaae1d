#include "graph/waits/mpi_calls.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

namespace xsp {
namespace {

// Names behind "MPI_"; the first that fits decides.
constexpr std::array<std::pair<std::string_view, MpiRole>, 30> kRoles = {{
    {"Barrier", MpiRole::kMeeting},
    {"Allreduce", MpiRole::kMeeting},
    {"Allgather", MpiRole::kMeeting},
    {"Alltoall", MpiRole::kMeeting},
    {"Reduce_scatter", MpiRole::kMeeting},
    {"Reduce_local", MpiRole::kNone},
    {"Comm_dup", MpiRole::kMeeting},
    {"Comm_split", MpiRole::kMeeting},
    {"Comm_create", MpiRole::kMeeting},
    {"Bcast", MpiRole::kFromRoot},
    {"Scatter", MpiRole::kFromRoot},
    {"Reduce", MpiRole::kToRoot},
    {"Gather", MpiRole::kToRoot},
    {"Send_init", MpiRole::kNone},
    {"Recv_init", MpiRole::kNone},
    {"Sendrecv", MpiRole::kExchange},
    {"Send", MpiRole::kSend},
    {"Ssend_init", MpiRole::kNone},
    {"Ssend", MpiRole::kSend},
    {"Rsend_init", MpiRole::kNone},
    {"Rsend", MpiRole::kSend},
    {"Bsend_init", MpiRole::kNone},
    {"Bsend", MpiRole::kSend},
    {"Recv", MpiRole::kReceive},
    {"Isend", MpiRole::kPostSend},
    {"Issend", MpiRole::kPostSend},
    {"Irecv", MpiRole::kPostReceive},
    {"Waitall", MpiRole::kAwaitAll},
    {"Waitsome", MpiRole::kAwaitOne},
    {"Wait", MpiRole::kAwaitOne},
}};

bool IsCollective(MpiRole role) { return MpiRole::kMeeting <= role && role <= MpiRole::kToRoot; }
bool Sends(MpiRole role) {
  return role == MpiRole::kSend || role == MpiRole::kPostSend || role == MpiRole::kExchange;
}
bool Receives(MpiRole role) {
  return role == MpiRole::kReceive || role == MpiRole::kPostReceive || role == MpiRole::kExchange;
}

// The rank in "MPI Rank 3", as threads are named; -1 for other names.
std::int32_t RankInName(std::string_view name) {
  constexpr std::string_view kRank = "MPI Rank ";
  std::int32_t rank = -1;
  if (!name.starts_with(kRank)) return rank;
  name.remove_prefix(kRank.size());
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
  return error == std::errc() && end == name.data() + name.size() ? rank : -1;
}

// The processes that call MPI by their ranks: as was recorded, as threads are named, else in the
// order in which they were started.
std::map<ProcessId, std::int32_t> RanksOf(const Trace& trace, const std::vector<MpiCall>& calls) {
  std::map<ProcessId, std::int32_t> ranks;
  for (const MpiCall& call : calls) ranks.emplace(call.process, -1);
  std::vector<std::pair<std::uint32_t, ProcessId>> by_pid;
  for (const auto& [process, rank] : ranks) {
    by_pid.emplace_back(trace.process(process).pid, process);
  }
  std::sort(by_pid.begin(), by_pid.end());
  for (std::size_t i = 0; i < by_pid.size(); ++i) {
    const std::uint32_t recorded = trace.process(by_pid[i].second).rank;
    ranks[by_pid[i].second] = recorded != kMissing<std::uint32_t>
                                  ? static_cast<std::int32_t>(recorded)
                                  : static_cast<std::int32_t>(i);
  }
  for (const Track& track : trace.tracks()) {
    const auto process = ranks.find(track.process);
    if (process == ranks.end() || !track.name.valid()) continue;
    const std::int32_t rank = RankInName(trace.strings().Get(track.name));
    if (rank >= 0) process->second = rank;
  }
  return ranks;
}

class MpiMatcher {
 public:
  MpiMatcher(const Trace& trace, const std::vector<MpiCall>& calls)
      : trace_(trace), calls_(calls), ranks_(RanksOf(trace, calls)) {}

  std::vector<MpiWait> Run() {
    MatchCollectives();
    MatchMessages();
    return std::move(waits_);
  }

 private:
  using Calls = std::vector<const MpiCall*>;

  // --- Collectives.

  // The collectives of each process in one communicator. What communicators are called differs from
  // process to process: those that come first are one, those that come second, and so on.
  std::vector<std::map<ProcessId, Calls>> Groups() const {
    std::map<std::pair<ProcessId, std::uint64_t>, std::size_t> number;
    std::map<ProcessId, std::size_t> count;
    std::vector<std::map<ProcessId, Calls>> groups;
    for (const MpiCall& call : calls_) {
      if (!IsCollective(call.role)) continue;
      const auto [place, is_new] = number.try_emplace({call.process, call.group}, 0);
      if (is_new) place->second = count[call.process]++;
      if (groups.size() <= place->second) groups.resize(place->second + 1);
      groups[place->second][call.process].push_back(&call);
    }
    return groups;
  }

  bool HaveSameNames(const std::map<ProcessId, Calls>& group) const {
    const Calls& first = group.begin()->second;
    return std::all_of(group.begin(), group.end(), [&](const auto& entry) {
      return std::equal(first.begin(), first.end(), entry.second.begin(), entry.second.end(),
                        [&](const MpiCall* a, const MpiCall* b) {
                          return trace_.name_of(a->event) == trace_.name_of(b->event);
                        });
    });
  }

  // Who of those that take part in a collective must have come before one can leave.
  std::vector<EventId> AwaitedBy(const MpiCall& call, const Calls& all) const {
    const bool root_known = call.peer >= 0;
    const bool is_root = root_known && ranks_.at(call.process) == call.peer;
    std::vector<EventId> others;
    for (const MpiCall* other : all) {
      if (other == &call) continue;
      const bool other_is_root = root_known && ranks_.at(other->process) == call.peer;
      if (call.role == MpiRole::kFromRoot && root_known && !other_is_root) continue;
      if (call.role == MpiRole::kToRoot && root_known && !is_root) continue;
      // Without a known root the times tell: who left before another came did not wait for it.
      if (!root_known && call.role != MpiRole::kMeeting &&
          trace_.begin(other->event) > trace_.end(call.event)) {
        continue;
      }
      others.push_back(other->event);
    }
    return others;
  }

  // Whether nearly all left after those came that they wait for: else these calls do not belong
  // together.
  bool GoTogether(const std::vector<MpiWait>& waits) const {
    std::size_t wrong = 0;
    for (const MpiWait& wait : waits) {
      wrong += std::any_of(wait.others.begin(), wait.others.end(), [&](EventId other) {
        return trace_.begin(other) > trace_.end(wait.call);
      });
    }
    return 20 * wrong <= waits.size();
  }

  void MatchCollectives() {
    for (const std::map<ProcessId, Calls>& group : Groups()) {
      std::vector<MpiWait> found;
      if (group.size() > 1 && HaveSameNames(group)) {
        for (std::size_t i = 0; i < group.begin()->second.size(); ++i) {
          Calls all;
          for (const auto& [process, calls] : group) all.push_back(calls[i]);
          for (const MpiCall* call : all) {
            std::vector<EventId> others = AwaitedBy(*call, all);
            if (!others.empty()) found.push_back({call->event, std::move(others)});
          }
        }
      }
      if (!found.empty() && GoTogether(found)) {
        waits_.insert(waits_.end(), found.begin(), found.end());
        continue;
      }
      for (const auto& [process, calls] : group) {
        for (const MpiCall* call : calls) waits_.push_back({call->event, {}});
      }
    }
  }

  // --- Messages.

  // From whom to whom, and with which tag; where a rank was not recorded and there are two, it is
  // the other one.
  using Way = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

  std::int32_t PeerOf(const MpiCall& call) const {
    if (call.peer >= 0 || ranks_.size() != 2) return call.peer;
    const auto& [process, rank] = *ranks_.begin();
    return process == call.process ? std::next(ranks_.begin())->second : rank;
  }

  // A call that is over when messages are there: a receive, or what waits for some that were
  // posted.
  struct Ended {
    const MpiCall* by;
    Calls receives;
  };

  // Which calls end the receives of a process: each its own, or a wait for what was posted before.
  std::vector<Ended> EndsOfReceives() const {
    std::map<TrackId, std::deque<const MpiCall*>> posted;
    std::vector<Ended> ends;
    for (const MpiCall& call : calls_) {
      std::deque<const MpiCall*>& open = posted[call.track];
      if (call.role == MpiRole::kReceive || call.role == MpiRole::kExchange) {
        ends.push_back({&call, {&call}});
      } else if (call.role == MpiRole::kPostReceive || call.role == MpiRole::kPostSend) {
        open.push_back(&call);
      } else if (call.role == MpiRole::kAwaitOne || call.role == MpiRole::kAwaitAll) {
        const std::size_t count =
            std::min<std::size_t>(open.size(), call.role == MpiRole::kAwaitAll ? open.size() : 1);
        Ended end{&call, {}};
        for (std::size_t i = 0; i < count; ++i) {
          if (open[i]->role == MpiRole::kPostReceive) end.receives.push_back(open[i]);
        }
        open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(count));
        ends.push_back(std::move(end));
      }
    }
    return ends;
  }

  // The send of each receive.
  std::map<const MpiCall*, const MpiCall*> SendOfReceive() const {
    std::map<Way, std::deque<const MpiCall*>> sent;
    for (const MpiCall& call : calls_) {
      if (Sends(call.role)) {
        sent[{ranks_.at(call.process), PeerOf(call), call.tag}].push_back(&call);
      }
    }
    std::map<const MpiCall*, const MpiCall*> send_of;
    for (const MpiCall& call : calls_) {
      if (!Receives(call.role)) continue;
      const auto way = sent.find({PeerOf(call), ranks_.at(call.process), call.tag});
      if (way == sent.end() || way->second.empty()) continue;
      send_of[&call] = way->second.front();
      way->second.pop_front();
    }
    return send_of;
  }

  void MatchMessages() {
    const std::map<const MpiCall*, const MpiCall*> send_of = SendOfReceive();
    std::vector<MpiWait> found;
    for (const Ended& end : EndsOfReceives()) {
      MpiWait wait{end.by->event, {}, true};
      for (const MpiCall* receive : end.receives) {
        const auto send = send_of.find(receive);
        if (send != send_of.end()) wait.others.push_back(send->second->event);
      }
      // What waits for sends alone is over soon; what waits for somebody unknown is told so.
      if (wait.others.size() < end.receives.size()) wait.others.clear();
      if (!end.receives.empty()) found.push_back(std::move(wait));
    }
    if (!GoTogether(found)) {
      for (MpiWait& wait : found) wait.others.clear();
    }
    waits_.insert(waits_.end(), found.begin(), found.end());
    AddSends(send_of);
  }

  // A send of a large message waits for the receive: where it lasted until then, and it did so more
  // often than not on its way.
  void AddSends(const std::map<const MpiCall*, const MpiCall*>& send_of) {
    for (const auto& [receive, send] : send_of) {
      if (send->role != MpiRole::kSend) continue;
      const TimeNs came = trace_.begin(receive->event);
      if (came <= trace_.begin(send->event) || came > trace_.end(send->event)) continue;
      waits_.push_back({send->event, {receive->event}, true});
    }
  }

  const Trace& trace_;
  const std::vector<MpiCall>& calls_;
  const std::map<ProcessId, std::int32_t> ranks_;
  std::vector<MpiWait> waits_;
};

}  // namespace

MpiRole MpiRoleOf(std::string_view name) {
  if (!name.starts_with("MPI_")) return MpiRole::kNone;
  name.remove_prefix(4);
  for (const auto& [prefix, role] : kRoles) {
    if (name.starts_with(prefix)) return role;
  }
  return MpiRole::kNone;
}

std::vector<MpiCall> MpiCallsOf(const Trace& trace) {
  std::vector<MpiCall> calls;
  auto add = [&](EventId event) -> MpiCall* {
    const MpiRole role = MpiRoleOf(trace.name(event));
    if (role == MpiRole::kNone) return nullptr;
    return &calls.emplace_back(
        MpiCall{event, role, trace.process_of(event), trace.track_of(event)});
  };
  const MpiCalls& rows = trace.mpi();
  for (EventId event : trace.OfKind(EventKind::kMpi)) {
    MpiCall* call = add(event);
    if (call == nullptr) continue;
    const std::uint32_t row = trace.Row(event, EventKind::kMpi);
    auto known = [](auto value, auto otherwise) {
      return value == kMissing<decltype(value)> ? otherwise : value;
    };
    call->group = known(rows.communicator[row], std::uint64_t{0});
    call->tag = known(rows.tag[row], -1);
    call->peer = known(rows.peer[row], -1);
  }
  for (EventId event : trace.OfKind(EventKind::kNvtxPushPop)) {
    const DomainId domain = trace.nvtx().domain[trace.Row(event)];
    if (domain.valid() && trace.strings().Get(trace.domain(domain).name) == "MPI") add(event);
  }
  std::stable_sort(calls.begin(), calls.end(), [&](const MpiCall& a, const MpiCall& b) {
    return trace.begin(a.event) < trace.begin(b.event);
  });
  return calls;
}

std::vector<MpiWait> FindMpiWaits(const Trace& trace, const std::vector<MpiCall>& calls) {
  return MpiMatcher(trace, calls).Run();
}

}  // namespace xsp
