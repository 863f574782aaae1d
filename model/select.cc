#include "model/select.h"

#include <cassert>

namespace xsp {
namespace {

// The rows of `table` that `keep` names: row i of the table is event `first` + i.
template <class Table>
Table KeptRows(const Table& table, const EventMask& keep, std::uint32_t first) {
  Table kept;
  ForEachColumn<Table>([&](const Column&, auto member) {
    const auto& from = table.*member;
    auto& to = kept.*member;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (keep[first + i]) to.push_back(from[i]);
    }
  });
  return kept;
}

// The new number of each event; none for those that go.
std::vector<EventId> NewIds(const EventMask& keep) {
  std::vector<EventId> ids(keep.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) ids[i] = EventId(next++);
  }
  return ids;
}

// The rows of a table that names its events in a column `event`.
template <class Table>
Table KeptRowsByEvent(const Table& all, const std::vector<EventId>& new_ids) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < all.event.size(); ++row) {
    if (new_ids[all.event[row].value].valid()) rows.push_back(row);
  }
  Table kept = all;
  PermuteRows(kept, rows);
  for (EventId& event : kept.event) event = new_ids[event.value];
  return kept;
}

}  // namespace

Trace Select(const Trace& trace, const EventMask& keep) {
  assert(keep.size() == trace.event_count());
  const TraceTables& from = trace.tables();
  const std::vector<EventId> new_ids = NewIds(keep);

  TraceTables to;
  to.info = from.info;
  to.log = from.log;
  for (std::size_t i = 0; i < from.strings.size(); ++i) {
    to.strings.Intern(from.strings[StringId(i)]);
  }
  to.processes = from.processes;
  to.tracks = from.tracks;
  to.gpus = from.gpus;
  to.contexts = from.contexts;
  to.domains = from.domains;
  to.categories = from.categories;
  to.frames = from.frames;
  to.operands = from.operands;

  to.events = KeptRows(from.events, keep, 0);
  for (EventId& call : to.events.call) {
    if (call.valid()) call = new_ids[call.value];
  }
  for (EventKind kind : AllEventKinds()) {
    for (EventId e : trace.OfKind(kind)) {
      to.kind_counts[IndexOf(kind)] += keep[e.value] ? 1 : 0;
    }
  }
  ForEachDetailTable(to.details, [&]<class Table>(const KindGroup& group, Table& table) {
    table = KeptRows(std::get<Table>(from.details), keep, trace.OfKind(group.first).first);
  });
  to.collectives = KeptRowsByEvent(from.collectives, new_ids);
  to.operators = KeptRowsByEvent(from.operators, new_ids);
  return Trace(std::move(to));
}

}  // namespace xsp
