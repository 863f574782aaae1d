#include "report/timelines/timeline_bars.h"

#include <algorithm>
#include <array>
#include <limits>

#include "hierarchy/names/device_number.h"

namespace xsp {
namespace {

bool ComesFirst(const TimelineBar& a, const TimelineBar& b) {
  return std::tuple(a.Place(), a.time.begin, -a.time.end, a.kind, a.id) <
         std::tuple(b.Place(), b.time.begin, -b.time.end, b.kind, b.id);
}

void Extend(TimeRange& span, const TimeRange& by) {
  span = {std::min(span.begin, by.begin), std::max(span.end, by.end)};
}

class BarMaker {
 public:
  BarMaker(const Hierarchy& hierarchy, const StepSet& steps)
      : h_(hierarchy), trace_(hierarchy.trace()), steps_(steps) {}

  std::vector<TimelineBar> Run() {
    AddSteps();
    AddNodesOnDevice();
    AddHost();
    AddDevice();
    std::sort(bars_.begin(), bars_.end(), ComesFirst);
    return std::move(bars_);
  }

 private:
  void Add(ProcessId process, BarView view, std::uint32_t track, TimeRange time, BarKind kind,
           std::uint32_t id) {
    bars_.push_back({process, view, track, time, kind, id});
  }

  void AddSteps() {
    const Steps& steps = h_.steps();
    for (std::uint32_t p = 0; p < steps.of_process.size(); ++p) {
      if (steps.of_process[p].empty()) continue;
      for (std::uint32_t i = 0; i < steps.size(); ++i) {
        if (!steps_.Contains(i)) continue;
        Add(ProcessId(p), BarView::kLevels, static_cast<std::uint32_t>(Level::kStep),
            steps.steps[i].time, BarKind::kStep, i);
      }
    }
  }

  // Phases, layers and operations from the first to the last of their work.
  void AddNodesOnDevice() {
    constexpr TimeRange kNever = {std::numeric_limits<TimeNs>::max(),
                                  std::numeric_limits<TimeNs>::min()};
    const Nodes& nodes = h_.nodes();
    std::vector<TimeRange> spans(nodes.size(), kNever);
    std::vector<ProcessId> processes(nodes.size());
    for (EventId work : trace_.DeviceWork()) {
      if (!steps_.Contains(h_.StepOfWork(work))) continue;
      const std::uint32_t n = h_.NodeOfWork(work).value;
      Extend(spans[n], {trace_.begin(work), trace_.end(work)});
      processes[n] = trace_.process_of(work);
    }
    const std::vector<NodeId> order = h_.TopDown();
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      const NodeId parent = nodes.parent[node->value];
      if (!parent.valid() || !processes[node->value].valid()) continue;
      Extend(spans[parent.value], spans[node->value]);
      processes[parent.value] = processes[node->value];
    }
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      const Level level = nodes.level[n];
      if (level < Level::kPhase || level > Level::kOp || spans[n].end < spans[n].begin) continue;
      Add(processes[n], BarView::kLevels, static_cast<std::uint32_t>(level), spans[n],
          BarKind::kNode, n);
    }
  }

  void AddHost() {
    const Nodes& nodes = h_.nodes();
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      const EventId e = nodes.event[n];
      if (!e.valid() || IsDeviceWork(trace_.KindOf(e))) continue;
      if (!steps_.is_whole() && !steps_.Contains(h_.StepAbove(NodeId(n)))) continue;
      Add(trace_.process_of(e), BarView::kHost, trace_.track_of(e).value,
          {trace_.begin(e), trace_.end(e)}, BarKind::kNode, n);
    }
    for (EventId call : trace_.OfKind(EventKind::kApi)) {
      if (!steps_.Contains(h_.StepOfCall(call))) continue;
      Add(trace_.process_of(call), BarView::kHost, trace_.track_of(call).value,
          {trace_.begin(call), trace_.end(call)}, BarKind::kCall, call.value);
    }
  }

  void AddDevice() {
    for (EventId work : trace_.DeviceWork()) {
      if (!steps_.Contains(h_.StepOfWork(work))) continue;
      Add(trace_.process_of(work), BarView::kDevice, trace_.track_of(work).value,
          {trace_.begin(work), trace_.end(work)}, BarKind::kWork, work.value);
    }
  }

  const Hierarchy& h_;
  const Trace& trace_;
  const StepSet& steps_;
  std::vector<TimelineBar> bars_;
};

}  // namespace

std::vector<TimelineBar> TimelineBars(const Hierarchy& hierarchy, const StepSet& steps) {
  return BarMaker(hierarchy, steps).Run();
}

std::uint32_t Lanes::Of(const TimeRange& time) {
  for (std::uint32_t lane = 0;; ++lane) {
    if (lane == open_ends_.size()) open_ends_.emplace_back();
    std::vector<TimeNs>& ends = open_ends_[lane];
    while (!ends.empty() && ends.back() <= time.begin) ends.pop_back();
    if (!ends.empty() && ends.back() < time.end && lane + 1 < kMost) continue;
    end_ = ends.empty() ? time.end : std::min(ends.back(), time.end);
    ends.push_back(end_);
    return lane;
  }
}

BarWords::BarWords(const Hierarchy& hierarchy, NameForm names)
    : h_(hierarchy),
      trace_(hierarchy.trace()),
      labels_(trace_, names),
      paths_(hierarchy.nodes().size()) {
  for (NodeId node : h_.TopDown()) {
    if (node != h_.root()) paths_.Place(node.value, h_.nodes().parent[node.value].value);
  }
}

std::string BarWords::OfGroup(const TimelineBar& bar) const {
  constexpr std::array<const char*, kBarViews> kWords = {"hierarchy", "host", "device"};
  const std::string process(h_.Name(h_.NodeOfProcess(bar.process)));
  return process + ": " + kWords[static_cast<std::size_t>(bar.view)];
}

std::string BarWords::OfTrack(const TimelineBar& bar) const {
  if (bar.view == BarView::kLevels) return std::string(NameOf(static_cast<Level>(bar.track)));
  const Track& track = trace_.track(TrackId(bar.track));
  if (track.kind == TrackKind::kThread) return "thread " + std::to_string(track.thread);
  if (track.kind == TrackKind::kProcess) return "no thread";
  const std::string gpu = "GPU " + std::to_string(DeviceNumber(trace_, track).value_or(0));
  return track.kind == TrackKind::kStream ? gpu + " stream " + std::to_string(track.stream)
                                          : gpu + " migrations";
}

std::string_view BarWords::Name(const TimelineBar& bar) const {
  switch (bar.kind) {
    case BarKind::kStep:
      return h_.steps().steps[bar.id].name;
    case BarKind::kNode:
      return h_.Name(NodeId(bar.id));
    case BarKind::kCall:
      return h_.names().Text(h_.NameOfCall(EventId(bar.id)));
    case BarKind::kWork:
      break;
  }
  const EventId work(bar.id);
  if (trace_.OfKind(EventKind::kKernel).Contains(work)) return labels_.Of(work);
  return h_.names().Text(h_.NameOfWork(work));
}

std::string_view BarWords::Category(const TimelineBar& bar) const {
  switch (bar.kind) {
    case BarKind::kStep:
      return "step";
    case BarKind::kNode:
      return NameOf(h_.nodes().level[bar.id]);
    case BarKind::kCall:
      return "api";
    case BarKind::kWork:
      break;
  }
  return NameOf(trace_.KindOf(EventId(bar.id)));
}

std::string BarWords::Path(const TimelineBar& bar) const {
  if (bar.kind != BarKind::kNode && bar.kind != BarKind::kWork) return {};
  const NodeId node = bar.kind == BarKind::kNode ? NodeId(bar.id) : h_.NodeOfWork(EventId(bar.id));
  return paths_.Text(node.value, [&](std::uint32_t n) { return h_.Name(NodeId(n)); });
}

}  // namespace xsp
