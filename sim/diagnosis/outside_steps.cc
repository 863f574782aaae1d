#include "sim/diagnosis/outside_steps.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "hierarchy/names/name_patterns.h"
#include "model/duration.h"

namespace xsp {
namespace {

bool OverlapsStep(const Steps& steps, TimeNs begin, TimeNs end) {
  const auto step = std::partition_point(steps.steps.begin(), steps.steps.end(),
                                         [&](const Step& one) { return one.time.end <= begin; });
  return step != steps.steps.end() && step->time.begin < end;
}

// The outermost range around a piece of work that lies beside all steps; none: there is no such.
NodeId RangeBeside(const Hierarchy& hierarchy, EventId work) {
  const Nodes& nodes = hierarchy.nodes();
  NodeId outermost;
  for (NodeId node = hierarchy.NodeOfWork(work); node.valid(); node = nodes.parent[node.value]) {
    const EventId range = nodes.event[node.value];
    const bool is_range = range.valid() && IsNvtxRange(hierarchy.trace().KindOf(range));
    if (!is_range) continue;
    const TimeNs begin = nodes.host_begin[node.value], end = nodes.host_end[node.value];
    if (OverlapsStep(hierarchy.steps(), begin, end)) break;
    outermost = node;
  }
  return outermost;
}

}  // namespace

OutsideSteps LookOutsideSteps(const Hierarchy& hierarchy) {
  OutsideSteps result;
  const Steps& steps = hierarchy.steps();
  const Trace& trace = hierarchy.trace();
  if (steps.size() == 0) return result;
  if (steps.source == StepSource::kRange) result.taken = KindOfName(steps.steps.front().name);
  DurationNs all = 0, outside = 0;
  std::map<NodeId, DurationNs> by_range;
  for (EventId work : trace.DeviceWork()) {
    all += trace.duration(work);
    if (hierarchy.StepOfWork(work) != Steps::kOutside) continue;
    outside += trace.duration(work);
    if (const NodeId range = RangeBeside(hierarchy, work); range.valid()) {
      by_range[range] += trace.duration(work);
    }
  }
  result.share = ShareOf(outside, std::max<DurationNs>(1, all));
  std::map<std::string, DurationNs> by_name;
  for (const auto& [node, ns] : by_range) {
    std::string kind = KindOfName(hierarchy.Name(node));
    std::replace(kind.begin(), kind.end(), '#', '*');
    by_name[kind] += ns;
  }
  const auto most =
      std::max_element(by_name.begin(), by_name.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != by_name.end()) std::tie(result.largest, result.largest_ns) = *most;
  return result;
}

}  // namespace xsp
