#include "sim/floor.h"

#include <algorithm>
#include <vector>

#include "graph/unit/beside.h"

namespace xsp {
namespace {

// Sums by row of something.
class Sums {
 public:
  void Add(std::uint32_t row, double ns) {
    if (row >= sums_.size()) sums_.resize(row + 1);
    sums_[row] += ns;
  }
  double Most() const { return sums_.empty() ? 0 : *std::max_element(sums_.begin(), sums_.end()); }

 private:
  std::vector<double> sums_;
};

// Whether it counts for the unit by the time of its launch.
bool IsInUnit(const Unit& unit, const Steps& steps, const GraphThread& thread, TimeNs launch) {
  if (!unit.is_step) return true;
  return !IsBeside(steps, thread) && steps.StepAt(thread.process, launch) != Steps::kOutside;
}

}  // namespace

DurationNs LeastTimeOf(const TaskGraph& graph, const Overlay& overlay,
                       const PerTask<std::uint8_t>& is_in, const Unit& unit, const Steps& steps) {
  const PerTask<DurationNs>& own = overlay.own.empty() ? graph.own : overlay.own;
  Sums streams, engines, channels, multiprocessors;
  for (TaskId op : graph.ops()) {
    const OpIndex row = graph.RowOf(op);
    const TaskId call = graph.call[row];
    const GraphThread& thread = graph.threads[graph.lane[call]];
    if (is_in[op] == 0 || !IsInUnit(unit, steps, thread, graph.measured_begin[call])) continue;
    double alone = static_cast<double>(own[op]);
    if (!graph.interference.empty()) {
      const OpInterference& of = graph.interference[row];
      alone *= of.alone_share;
      multiprocessors.Add(graph.DeviceOf(op), alone * of.demand);
    }
    if ((graph.flags[op] & (kNode | kOverlaps)) == 0) streams.Add(graph.lane[op], alone);
    if (graph.engine[row] != TaskGraph::kNoEngine) engines.Add(graph.engine[row], alone);
    if (const ChannelPlace* place = graph.PlaceOnChannel(op)) channels.Add(place->channel, alone);
  }
  return static_cast<DurationNs>(
      std::max({streams.Most(), engines.Most(), channels.Most(), multiprocessors.Most()}));
}

}  // namespace xsp
