#include "report/timelines/tree_timeline.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <vector>

#include "hierarchy/names/device_number.h"
#include "hierarchy/totals/path_text.h"
#include "report/timelines/chrome_writer.h"

namespace xsp {
namespace {

// The groups of a process, in the order in which they are shown.
enum class View : std::uint8_t { kLevels, kHost, kDevice };
constexpr int kViews = 3;

enum class What : std::uint8_t { kStep, kNode, kCall, kWork };

// A bar to be drawn. Bars are put in order before they are written; their words are made then.
struct Bar {
  ProcessId process;
  View view = View::kLevels;
  std::uint32_t track = 0;  // A level, or a track of the trace.
  TimeRange time;
  What what = What::kStep;
  std::uint32_t id = 0;  // Of the step, node or event.

  int group() const { return static_cast<int>(process.value) * kViews + static_cast<int>(view); }
  auto Place() const { return std::tuple(group(), track); }
};

// By group and track, then by time: who holds another comes first.
bool ComesFirst(const Bar& a, const Bar& b) {
  return std::tuple(a.Place(), a.time.begin, -a.time.end, a.what, a.id) <
         std::tuple(b.Place(), b.time.begin, -b.time.end, b.what, b.id);
}

void Extend(TimeRange& span, const TimeRange& by) {
  span = {std::min(span.begin, by.begin), std::max(span.end, by.end)};
}

// Which of several lanes a bar goes to, so that those on one lane lie beside or within each other.
class Lanes {
 public:
  static constexpr std::uint32_t kMost = 64;

  std::uint32_t Of(const TimeRange& time) {
    for (std::uint32_t lane = 0;; ++lane) {
      if (lane == open_ends_.size()) open_ends_.emplace_back();
      std::vector<TimeNs>& ends = open_ends_[lane];
      while (!ends.empty() && ends.back() <= time.begin) ends.pop_back();
      if (!ends.empty() && ends.back() < time.end && lane + 1 < kMost) continue;
      ends.push_back(time.end);
      return lane;
    }
  }

 private:
  std::vector<std::vector<TimeNs>> open_ends_;  // By lane, the innermost last.
};

// The paths of all nodes, each made when it is written.
class NodePaths {
 public:
  explicit NodePaths(const Hierarchy& hierarchy) : h_(hierarchy), paths_(hierarchy.nodes().size()) {
    for (NodeId node : h_.TopDown()) {
      if (node != h_.root()) paths_.Place(node.value, h_.nodes().parent[node.value].value);
    }
  }

  std::string Of(NodeId node) const {
    return paths_.Text(node.value, [&](std::uint32_t n) { return h_.Name(NodeId(n)); });
  }

 private:
  const Hierarchy& h_;
  TreePaths paths_;
};

class TreeTimelineMaker {
 public:
  TreeTimelineMaker(const Hierarchy& hierarchy, NameForm names, const StepSet& steps)
      : h_(hierarchy),
        trace_(hierarchy.trace()),
        steps_(steps),
        labels_(trace_, names),
        paths_(hierarchy) {}

  std::string Run() {
    AddSteps();
    AddNodesOnDevice();
    AddHost();
    AddDevice();
    std::sort(bars_.begin(), bars_.end(), ComesFirst);
    Write();
    return writer_.Finish();
  }

 private:
  void Add(ProcessId process, View view, std::uint32_t track, TimeRange time, What what,
           std::uint32_t id) {
    bars_.push_back({process, view, track, time, what, id});
  }

  void AddSteps() {
    const Steps& steps = h_.steps();
    for (std::uint32_t p = 0; p < steps.of_process.size(); ++p) {
      if (steps.of_process[p].empty()) continue;
      for (std::uint32_t i = 0; i < steps.size(); ++i) {
        if (!steps_.Contains(i)) continue;
        Add(ProcessId(p), View::kLevels, static_cast<std::uint32_t>(Level::kStep),
            steps.steps[i].time, What::kStep, i);
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
      Add(processes[n], View::kLevels, static_cast<std::uint32_t>(level), spans[n], What::kNode, n);
    }
  }

  void AddHost() {
    const Nodes& nodes = h_.nodes();
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      const EventId e = nodes.event[n];
      if (!e.valid() || IsDeviceWork(trace_.KindOf(e))) continue;
      if (!steps_.is_whole() && !steps_.Contains(h_.StepAbove(NodeId(n)))) continue;
      Add(trace_.process_of(e), View::kHost, trace_.track_of(e).value,
          {trace_.begin(e), trace_.end(e)}, What::kNode, n);
    }
    for (EventId call : trace_.OfKind(EventKind::kApi)) {
      if (!steps_.Contains(h_.StepOfCall(call))) continue;
      Add(trace_.process_of(call), View::kHost, trace_.track_of(call).value,
          {trace_.begin(call), trace_.end(call)}, What::kCall, call.value);
    }
  }

  void AddDevice() {
    for (EventId work : trace_.DeviceWork()) {
      if (!steps_.Contains(h_.StepOfWork(work))) continue;
      Add(trace_.process_of(work), View::kDevice, trace_.track_of(work).value,
          {trace_.begin(work), trace_.end(work)}, What::kWork, work.value);
    }
  }

  void Write() {
    for (std::size_t i = 0; i < bars_.size();) {
      const Bar& first = bars_[i];
      if (i == 0 || bars_[i - 1].group() != first.group()) {
        writer_.NameGroup(GroupNumber(first), NameOfGroup(first));
      }
      Lanes lanes;
      std::uint32_t named = 0;
      for (; i < bars_.size() && bars_[i].Place() == first.Place(); ++i) {
        const std::uint32_t lane = lanes.Of(bars_[i].time);
        for (; named <= lane; ++named) {
          writer_.NameTrack(GroupNumber(first), TrackNumber(first, named), NameOfTrack(first));
        }
        WriteBar(bars_[i], TrackNumber(first, lane));
      }
    }
  }

  // Numbers of groups and tracks start at 1: some viewers hide a process 0.
  static int GroupNumber(const Bar& bar) { return 1 + bar.group(); }
  static std::uint32_t TrackNumber(const Bar& bar, std::uint32_t lane) {
    return 1 + bar.track * Lanes::kMost + lane;
  }

  std::string NameOfGroup(const Bar& bar) const {
    constexpr std::array<const char*, kViews> kWords = {"hierarchy", "host", "device"};
    const std::string process(h_.Name(h_.NodeOfProcess(bar.process)));
    return process + ": " + kWords[static_cast<std::size_t>(bar.view)];
  }

  std::string NameOfTrack(const Bar& bar) const {
    if (bar.view == View::kLevels) return std::string(NameOf(static_cast<Level>(bar.track)));
    const Track& track = trace_.track(TrackId(bar.track));
    if (track.kind == TrackKind::kThread) return "thread " + std::to_string(track.thread);
    if (track.kind == TrackKind::kProcess) return "no thread";
    const std::string gpu = "GPU " + std::to_string(DeviceNumber(trace_, track).value_or(0));
    return track.kind == TrackKind::kStream ? gpu + " stream " + std::to_string(track.stream)
                                            : gpu + " migrations";
  }

  void WriteBar(const Bar& bar, std::uint32_t track) {
    std::string name;
    std::string_view category = "step";
    Json arguments = Json::object();
    switch (bar.what) {
      case What::kStep:
        name = h_.steps().steps[bar.id].name;
        arguments["cold"] = h_.steps().steps[bar.id].role == StepRole::kCold;
        break;
      case What::kNode:
        name = h_.Name(NodeId(bar.id));
        category = NameOf(h_.nodes().level[bar.id]);
        arguments["path"] = JsonText(paths_.Of(NodeId(bar.id)));
        break;
      case What::kCall:
        name = h_.names().Text(h_.NameOfCall(EventId(bar.id)));
        category = "api";
        break;
      case What::kWork:
        name = NameOfWork(EventId(bar.id));
        category = NameOf(trace_.KindOf(EventId(bar.id)));
        arguments["path"] = JsonText(paths_.Of(h_.NodeOfWork(EventId(bar.id))));
        arguments["placed_by"] = NameOf(h_.SourceOfWork(EventId(bar.id)));
        break;
    }
    writer_.AddSpan(GroupNumber(bar), track, name, category, SimTime::At(bar.time.begin),
                    SimTime::At(bar.time.end), std::move(arguments));
  }

  std::string NameOfWork(EventId work) const {
    if (trace_.OfKind(EventKind::kKernel).Contains(work)) return std::string(labels_.Of(work));
    return std::string(h_.names().Text(h_.NameOfWork(work)));
  }

  const Hierarchy& h_;
  const Trace& trace_;
  const StepSet& steps_;
  const KernelLabels labels_;
  const NodePaths paths_;
  std::vector<Bar> bars_;
  ChromeWriter writer_;
};

}  // namespace

std::string TreeTimeline(const Hierarchy& hierarchy, NameForm names, const StepSet& steps) {
  return TreeTimelineMaker(hierarchy, names, steps).Run();
}

}  // namespace xsp
