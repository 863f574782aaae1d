#include "hierarchy/analyses/layer_times.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>

#include "model/spans.h"

namespace xsp {
namespace {

class LayerMeasure {
 public:
  LayerMeasure(const Hierarchy& hierarchy, const LayerMap& layers, const DeviceStep& step)
      : h_(hierarchy), trace_(hierarchy.trace()), layers_(layers), step_(step) {}

  std::vector<LayerTimes> Run() {
    until_ = step_.time.begin;
    std::size_t idle = 0;
    for (std::size_t first = 0; first < step_.work.size();) {
      const LayerMap::Place place = PlaceOf(step_.work[first]);
      std::size_t last = first + 1;
      // Work in no layer is a part each: what the host does in between belongs to nobody.
      while (place.is_layer && last < step_.work.size() && PlaceOf(step_.work[last]) == place) {
        ++last;
      }
      const std::span part = std::span(step_.work).subspan(first, last - first);
      const TimeNs begin = HostBegin(part.front(), place);
      for (; idle < step_.idle_layers.size() && IdleBegin(idle) < begin; ++idle) AddIdle(idle);
      AddPart(place, part, begin);
      first = last;
    }
    for (; idle < step_.idle_layers.size(); ++idle) AddIdle(idle);
    return std::move(times_);
  }

 private:
  LayerMap::Place PlaceOf(EventId work) const { return layers_.PlaceOf(h_.NodeOfWork(work)); }

  TimeNs IdleBegin(std::size_t i) const {
    return h_.nodes().host_begin[step_.idle_layers[i].value];
  }

  TimeNs LaunchOf(EventId work) const {
    const EventId call = trace_.call_of(work);
    return trace_.begin(call.valid() ? call : work);
  }

  // When the host came to this part of a layer: the begin of the outermost range from the layer
  // down that holds the launch. The layer's own begin counts for its first part only.
  TimeNs HostBegin(EventId first, const LayerMap::Place& place) const {
    const TimeNs launch = LaunchOf(first);
    if (!place.is_layer) return launch;
    const Nodes& nodes = h_.nodes();
    TimeNs begin = launch;
    for (NodeId n = h_.NodeOfWork(first);; n = nodes.parent[n.value]) {
      if (n == place.node && row_of_.contains(place)) break;
      const TimeNs host_begin = nodes.host_begin[n.value];
      const bool holds = host_begin <= launch && launch < nodes.host_end[n.value];
      if (holds) begin = std::min(begin, host_begin);
      if (n == place.node) break;
    }
    return begin;
  }

  LayerTimes& RowOf(const LayerMap::Place& place) {
    const auto [it, is_new] = row_of_.try_emplace(place, times_.size());
    if (is_new) times_.emplace_back().place = place;
    return times_[it->second];
  }

  void AddPart(const LayerMap::Place& place, std::span<const EventId> work, TimeNs host_begin) {
    LayerTimes& row = RowOf(place);
    TimeRange time = {std::max(host_begin, until_), std::numeric_limits<TimeNs>::min()};
    for (EventId e : work) time.end = std::max(time.end, trace_.end(e));
    row.work.insert(row.work.end(), work.begin(), work.end());
    const Nodes& nodes = h_.nodes();
    const std::uint32_t n = place.node.value;
    // What was found in repeated work has no range: its time on the host is that of its launches.
    const bool has_range = place.is_layer && nodes.source[n] != Source::kRepetition &&
                           nodes.host_end[n] > nodes.host_begin[n];
    if (has_range) {
      row.host = nodes.host_end[n] - nodes.host_begin[n];
    } else {
      row.host += LaunchTime(work, host_begin);
    }
    if (time.Empty()) return;
    until_ = time.end;
    row.latency += time.Length();
    AddDeviceTime(work, time, row);
  }

  // From the begin on the host to the end of the last call, but for what other parts have of calls
  // that launch much.
  DurationNs LaunchTime(std::span<const EventId> work, TimeNs begin) {
    TimeNs end = begin;
    DurationNs of_others = 0;
    EventId previous;
    for (const EventId& e : work) {
      const EventId call = trace_.call_of(e);
      if (!call.valid()) continue;
      if (call != previous) of_others += trace_.duration(call);
      of_others -= ShareOfCall(call, static_cast<std::size_t>(&e - step_.work.data()));
      end = std::max(end, trace_.end(call));
      previous = call;
    }
    return std::max<DurationNs>(0, end - begin - of_others);
  }

  // A call's time for one piece of the work that it launched. That of a CUDA graph's launch is
  // divided evenly, so that all of its work together has it once.
  DurationNs ShareOfCall(EventId call, std::size_t at) {
    if (call != launch_.call) {
      launch_ = {call, 0, 0};
      while (at < step_.work.size() && trace_.call_of(step_.work[at++]) == call) ++launch_.work;
    }
    const DurationNs time = trace_.duration(call);
    return time / launch_.work + (launch_.taken++ < time % launch_.work ? 1 : 0);
  }

  // The union of kernels, and what copies add to it.
  void AddDeviceTime(std::span<const EventId> work, TimeRange within, LayerTimes& row) const {
    const EventSpan kernels = trace_.OfKind(EventKind::kKernel);
    const EventSpan graphs = trace_.OfKind(EventKind::kGraphSpan);
    std::vector<TimeRange> computing, all;
    for (EventId e : work) {
      const TimeRange time = TimeRange{trace_.begin(e), trace_.end(e)}.Clip(within);
      if (time.Empty()) continue;
      if (kernels.Contains(e) || graphs.Contains(e)) computing.push_back(time);
      all.push_back(time);
    }
    const DurationNs gpu = UnionLength(std::move(computing));
    row.gpu += gpu;
    row.copies += UnionLength(std::move(all)) - gpu;
  }

  void AddIdle(std::size_t i) {
    const NodeId node = step_.idle_layers[i];
    LayerTimes& row = RowOf({node, true});
    const TimeRange host = {h_.nodes().host_begin[node.value], h_.nodes().host_end[node.value]};
    row.host = host.Length();
    row.latency += std::max<DurationNs>(0, host.Clip({until_, step_.time.end}).Length());
  }

  const Hierarchy& h_;
  const Trace& trace_;
  const LayerMap& layers_;
  const DeviceStep& step_;
  TimeNs until_ = 0;  // The end of all device work so far.
  struct {
    EventId call;
    DurationNs work = 0;   // Pieces of work that have a share in it,
    DurationNs taken = 0;  // and how many have theirs.
  } launch_;               // The call whose time is being divided.
  std::map<LayerMap::Place, std::size_t> row_of_;
  std::vector<LayerTimes> times_;
};

}  // namespace

std::vector<LayerTimes> MeasureLayers(const Hierarchy& hierarchy, const LayerMap& layers,
                                      const DeviceStep& step) {
  return LayerMeasure(hierarchy, layers, step).Run();
}

}  // namespace xsp
