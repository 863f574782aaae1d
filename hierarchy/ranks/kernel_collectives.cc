#include "hierarchy/ranks/kernel_collectives.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "model/names/collective.h"

namespace xsp {

KernelCollectives::KernelCollectives(const Hierarchy& hierarchy) : hierarchy_(hierarchy) {
  const Trace& trace = hierarchy.trace();
  const Collectives& rows = trace.collectives();
  for (std::uint32_t row = 0; row < rows.event.size(); ++row) {
    const EventId event = rows.event[row];
    if (!row_of_.emplace(event, row).second) continue;
    // Communicators are made, too: only what moves data is ever launched.
    const bool moves_data = rows.bytes[row] != kMissing<std::uint64_t>;
    if (moves_data && !trace.DeviceWork().Contains(event)) {
      threads_[trace.track_of(event)].rows.push_back(row);
    }
  }
  for (auto& [track, thread] : threads_) {
    std::stable_sort(thread.rows.begin(), thread.rows.end(), [&](std::uint32_t a, std::uint32_t b) {
      return trace.begin(rows.event[a]) < trace.begin(rows.event[b]);
    });
  }
}

void KernelCollectives::AddFrom(std::uint32_t row, Collectives::Row& to) const {
  const Collectives& rows = hierarchy_.trace().collectives();
  ForEachColumn<Collectives, Collectives::Row>([&](const Column&, auto column, auto field) {
    using T = std::remove_cvref_t<decltype(to.*field)>;
    if (to.*field == kMissing<T>) to.*field = (rows.*column)[row];
  });
  // A range of NCCL is called as what it does.
  const StringId name = hierarchy_.trace().name_of(rows.event[row]);
  const std::string_view text = hierarchy_.trace().strings().Get(name);
  if (!to.operation.valid() && !OperationWord(text).empty()) to.operation = name;
}

bool KernelCollectives::AddFromRanges(EventId call, Collectives::Row& to) const {
  const HostRanges& ranges = hierarchy_.ranges();
  bool has_any = false;
  // Not by time alone: what another thread had open says nothing of this call.
  for (HostRanges::Place place = ranges.OfCall(call);
       place.range != HostRanges::kNone && !place.temporal; place = ranges.parent(place.range)) {
    const auto it = row_of_.find(ranges.event(place.range));
    if (it == row_of_.end()) continue;
    AddFrom(it->second, to);
    has_any = true;
  }
  return has_any;
}

// Those that all ranks take part in send to all others, or receive from all of them.
bool KernelCollectives::IsExchange(std::span<const std::uint32_t> group) const {
  const Collectives& rows = hierarchy_.trace().collectives();
  std::set<std::uint32_t> peers;
  for (const std::uint32_t row : group) {
    if (rows.peer[row] == kMissing<std::uint32_t>) return false;
    peers.insert(rows.peer[row]);
  }
  const std::uint32_t ranks = rows.ranks[group.front()];
  return ranks != kMissing<std::uint32_t> && group.size() > 1 && peers.size() + 1 < ranks;
}

// A group of calls is launched when it ends, as one kernel or several.
ToldCollective KernelCollectives::TakeGroup(EventId call) {
  const Trace& trace = hierarchy_.trace();
  const Collectives& rows = trace.collectives();
  ToldCollective told;
  const auto it = threads_.find(trace.track_of(call));
  if (it == threads_.end()) return told;
  Thread& thread = it->second;
  const std::size_t first = thread.launched;
  while (thread.launched < thread.rows.size() &&
         trace.begin(rows.event[thread.rows[thread.launched]]) < trace.begin(call)) {
    ++thread.launched;
  }
  const auto group = std::span(thread.rows).subspan(first, thread.launched - first);
  if (group.empty()) return told;
  AddFrom(group.front(), told.row);
  told.row.bytes = 0;
  bool is_mixed = false, is_one_peer = true;
  for (const std::uint32_t row : group) {
    told.row.bytes += rows.bytes[row];
    is_mixed |= trace.name(rows.event[row]) != trace.name(rows.event[group.front()]);
    is_one_peer &= rows.peer[row] == rows.peer[group.front()];
  }
  // Its first call does not name it, then; the kernel does.
  if (is_mixed) told.row.operation = {};
  told.is_exchange = (is_mixed || !is_one_peer) && IsExchange(group);
  if (!is_one_peer) told.row.peer = kMissing<std::uint32_t>;
  return told;
}

ToldCollective KernelCollectives::Of(EventId kernel) {
  ToldCollective told;
  if (const auto it = row_of_.find(kernel); it != row_of_.end()) AddFrom(it->second, told.row);
  const EventId call = hierarchy_.trace().call_of(kernel);
  if (!call.valid()) return told;
  const bool is_in_range = AddFromRanges(call, told.row);
  // Those before it are launched now, whoever told of it.
  const ToldCollective of_group = TakeGroup(call);
  const bool is_known = told.row.communicator != kMissing<std::uint64_t> || told.row.group.valid();
  return is_in_range || is_known ? told : of_group;
}

std::string_view OperationWord(std::string_view name) {
  if (const auto collective = CollectiveOf(name)) return NameOf(*collective);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kWords = {
      {{"barrier", "barrier"},
       {"gather", "gather"},
       {"scatter", "scatter"},
       {"bcast", "broadcast"},
       {"recv", "receive"},
       {"send", "send"}}};
  std::string lowered;
  for (const char c : name) lowered += LowerCase(c);
  for (const auto& [word, operation] : kWords) {
    if (lowered.find(word) != std::string::npos) return operation;
  }
  return {};
}

}  // namespace xsp
