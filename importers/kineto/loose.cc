#include "importers/kineto/loose.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "importers/kineto/places.h"

namespace xsp {
namespace {

// A row without a correlation id, in whichever piece it is.
struct LooseRow {
  std::uint32_t* correlation = nullptr;
  TimeNs begin = 0;
  std::int64_t external_id = 0;
  bool is_call = false;
  bool launches = false;
  std::pair<std::int64_t, std::int64_t> place;  // Process and thread, or device and stream.
};

Events& EventsOf(KinetoRows& rows, EventKind kind) {
  switch (kind) {
    case EventKind::kMemcpy:
      return rows.copies.events;
    case EventKind::kMemset:
      return rows.memsets.events;
    case EventKind::kApi:
      return rows.calls.events;
    default:
      return rows.kernels.events;
  }
}

std::vector<LooseRow> LooseRowsOf(std::vector<KinetoRows>& pieces) {
  std::vector<LooseRow> found;
  for (KinetoRows& rows : pieces) {
    for (const KinetoRows::Loose& loose : rows.loose) {
      Events& events = EventsOf(rows, loose.kind);
      const KinetoTrack& track = rows.tracks[events.track[loose.row].value];
      LooseRow& row = found.emplace_back();
      row.correlation = &events.correlation[loose.row];
      row.begin = events.begin[loose.row];
      row.external_id = loose.external_id;
      row.is_call = loose.kind == EventKind::kApi;
      row.launches = loose.launches;
      row.place = row.is_call ? std::pair(track.process, track.thread)
                              : std::pair(track.device, track.stream);
    }
  }
  return found;
}

void LinkByArrows(const std::vector<KinetoRows>& pieces, std::vector<LooseRow>& loose) {
  using Place = std::tuple<bool, std::pair<std::int64_t, std::int64_t>, TimeNs>;
  std::map<Place, std::uint32_t> ids;
  for (const KinetoRows& rows : pieces) {
    for (const KinetoRows::LaunchEnd& end : rows.launch_ends) {
      ids.try_emplace({end.is_call, {end.process, end.thread}, end.time}, Correlation(end.id));
    }
  }
  for (LooseRow& row : loose) {
    const auto it = ids.find({row.is_call, row.place, row.begin});
    if (it != ids.end()) *row.correlation = it->second;
  }
}

std::uint32_t HighestId(std::vector<KinetoRows>& pieces) {
  std::uint32_t highest = 0;
  for (KinetoRows& rows : pieces) {
    for (EventKind kind :
         {EventKind::kKernel, EventKind::kMemcpy, EventKind::kMemset, EventKind::kApi}) {
      for (std::uint32_t id : EventsOf(rows, kind).correlation) highest = std::max(highest, id);
    }
  }
  return highest;
}

void LinkByOperators(std::vector<KinetoRows>& pieces, std::vector<LooseRow>& loose) {
  std::set<std::uint64_t> operators;
  for (const KinetoRows& rows : pieces) {
    operators.insert(rows.operators.id.begin(), rows.operators.id.end());
  }
  struct Group {
    std::vector<LooseRow*> calls, work;
  };
  std::map<std::int64_t, Group> groups;
  for (LooseRow& row : loose) {
    if (*row.correlation != 0 || !operators.contains(Large(row.external_id))) continue;
    if (row.is_call && !row.launches) continue;
    Group& group = groups[row.external_id];
    (row.is_call ? group.calls : group.work).push_back(&row);
  }
  std::uint32_t next = HighestId(pieces);
  auto earlier = [](const LooseRow* a, const LooseRow* b) { return a->begin < b->begin; };
  for (auto& [id, group] : groups) {
    if (group.calls.size() != group.work.size() || next >= kNone32 - group.calls.size() - 1) {
      continue;
    }
    std::stable_sort(group.calls.begin(), group.calls.end(), earlier);
    std::stable_sort(group.work.begin(), group.work.end(), earlier);
    for (std::size_t i = 0; i < group.calls.size(); ++i) {
      *group.calls[i]->correlation = *group.work[i]->correlation = ++next;
    }
  }
}

}  // namespace

void LinkLooseRows(std::vector<KinetoRows>& pieces) {
  std::vector<LooseRow> loose = LooseRowsOf(pieces);
  if (loose.empty()) return;
  LinkByArrows(pieces, loose);
  LinkByOperators(pieces, loose);
}

}  // namespace xsp
