#include "graph/rules/load_ranges.h"

namespace xsp {

std::vector<LoadRanges> FindLoadRanges(const Hierarchy& hierarchy) {
  const Trace& trace = hierarchy.trace();
  std::vector<LoadRanges> loads(trace.tracks().size());
  for (EventId range : trace.OfKind(EventKind::kNvtxPushPop)) {
    if (hierarchy.names().OfRange(trace.name_of(range)).phase != Phase::kDataLoading) continue;
    LoadRanges& list = loads[trace.track_of(range).value];
    if (list.empty() || trace.end(list.back()) <= trace.begin(range)) list.push_back(range);
  }
  return loads;
}

}  // namespace xsp
