#include "hierarchy/ranks/kernel_collectives.h"

#include <algorithm>
#include <array>
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

// A group of calls is launched when it ends, as one kernel or several.
void KernelCollectives::AddFromGroup(EventId call, Collectives::Row& to) {
  const Trace& trace = hierarchy_.trace();
  const Collectives& rows = trace.collectives();
  const auto it = threads_.find(trace.track_of(call));
  if (it == threads_.end()) return;
  Thread& thread = it->second;
  std::uint64_t bytes = 0;
  bool is_mixed = false;
  const std::size_t first = thread.launched;
  while (thread.launched < thread.rows.size() &&
         trace.begin(rows.event[thread.rows[thread.launched]]) < trace.begin(call)) {
    const std::uint32_t row = thread.rows[thread.launched++];
    bytes += rows.bytes[row];
    is_mixed =
        is_mixed || trace.name(rows.event[row]) != trace.name(rows.event[thread.rows[first]]);
  }
  if (thread.launched == first) return;
  AddFrom(thread.rows[first], to);
  to.bytes = bytes;
  // Its first call does not name it, then; the kernel does.
  if (is_mixed) to.operation = {};
}

Collectives::Row KernelCollectives::Of(EventId kernel) {
  Collectives::Row facts;
  if (const auto it = row_of_.find(kernel); it != row_of_.end()) AddFrom(it->second, facts);
  const EventId call = hierarchy_.trace().call_of(kernel);
  if (!call.valid()) return facts;
  const bool is_in_range = AddFromRanges(call, facts);
  Collectives::Row of_group;
  AddFromGroup(call, of_group);  // Those before it are launched now, whoever told of it.
  if (!is_in_range && facts.communicator == kMissing<std::uint64_t> && !facts.group.valid()) {
    facts = of_group;
  }
  return facts;
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
