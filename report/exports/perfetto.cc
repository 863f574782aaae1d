#include "report/exports/perfetto.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/readings/edges.h"
#include "hierarchy/names/device_number.h"
#include "report/exports/perfetto_counters.h"
#include "report/exports/perfetto_packets.h"
#include "report/timelines/timeline_bars.h"

namespace xsp {
namespace {

// Fields of a render stage, and of the two messages that tell whom a host call issued or waited
// for.
namespace stage {
enum : std::uint32_t {
  kEventId = 1,
  kDuration = 2,
  kContext = 5,
  kExtraData = 6,
  kSubmission = 10,
  kGpu = 11,
  kQueue = 13,
  kStage = 14,
  kWaits = 18,
  kLaunch = 21,
};
}  // namespace stage
constexpr std::uint32_t kGpuCorrelation = 3000;
enum : std::uint32_t { kSubmits = 1, kAwaits = 2 };

// Events by event, both as numbers of the trace.
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// In order, each once.
void Tidy(Pairs& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

// Calls f with every partner of an event.
template <class F>
void ForEachPartner(const Pairs& pairs, std::uint32_t event, F&& f) {
  auto at = std::lower_bound(pairs.begin(), pairs.end(), std::pair(event, 0u));
  for (; at != pairs.end() && at->first == event; ++at) f(at->second);
}

class PerfettoWriter {
 public:
  PerfettoWriter(const Hierarchy& hierarchy, const TimelineWaits* waits, NameForm names,
                 const StepSet& steps, const ByteSink& sink)
      : h_(hierarchy),
        trace_(hierarchy.trace()),
        waits_(waits),
        words_(hierarchy, names),
        steps_(steps),
        packets_(sink) {}

  PerfettoCounts Run() {
    const std::vector<TimelineBar> bars = TimelineBars(h_, steps_);
    FindOrigin(bars);
    if (waits_ != nullptr) FindWaits();
    for (std::size_t i = 0; i < bars.size();) i = WriteTrack(bars, i);
    if (waits_ != nullptr) {
      WriteIdle();
      WritePath();
    }
    counts_.counters = WritePerfettoCounters(trace_, waits_ != nullptr ? &waits_->graph : nullptr,
                                             origin_, packets_);
    packets_.Finish();
    counts_.origin = origin_;
    return counts_;
  }

 private:
  // Times of the format are not negative; those of a trace may be.
  void FindOrigin(const std::vector<TimelineBar>& bars) {
    for (const TimelineBar& bar : bars) origin_ = std::min(origin_, bar.time.begin);
  }
  TimeNs At(TimeNs time) const { return std::max<TimeNs>(0, time - origin_); }

  bool IsShown(EventId work) const { return steps_.Contains(h_.StepOfWork(work)); }

  // Operations have their number in the trace plus one: 0 is none.
  static std::uint64_t IdOf(std::uint32_t work) { return std::uint64_t{work} + 1; }

  void FindWaits() {
    const TaskGraph& graph = waits_->graph;
    ForEachEdge(graph, waits_->answers, [&](const Edge& edge) {
      // Viewers know of ends that are waited for; the peers of a collective wait for begins.
      if (edge.from == edge.to || !edge.from_finish || graph.IsHost(edge.from)) return;
      const EventId from = graph.event[edge.from];
      const EventId to = graph.event[edge.to];
      if (!from.valid() || !to.valid() || !IsShown(from)) return;
      (graph.IsHost(edge.to) ? awaited_ : waited_).emplace_back(to.value, from.value);
    });
    for (const EventId work : trace_.DeviceWork()) {
      const EventId call = trace_.call_of(work);
      if (call.valid() && IsShown(work)) issued_.emplace_back(call.value, work.value);
    }
    Tidy(waited_);
    Tidy(awaited_);
    Tidy(issued_);
  }

  // Writes the bars of one track, from `first` on. Returns the first that is none of them.
  std::size_t WriteTrack(const std::vector<TimelineBar>& bars, std::size_t first) {
    std::size_t last = first;
    while (last < bars.size() && bars[last].Place() == bars[first].Place()) ++last;
    if (bars[first].view == BarView::kDevice) {
      for (std::size_t i = first; i < last; ++i) WriteWork(bars[i]);
    } else {
      WriteSlices({bars.data() + first, last - first});
    }
    return last;
  }

  // What overlaps without nesting goes to further tracks.
  void WriteSlices(std::span<const TimelineBar> bars) {
    struct Lane {
      PerfettoTrack track = 0;
      std::vector<TimeNs> open;  // Ends of the slices that are open, the innermost last.
    };
    Lanes lanes;
    std::vector<Lane> used;
    for (const TimelineBar& bar : bars) {
      const std::uint32_t number = lanes.Of(bar.time);
      for (; used.size() <= number;) {
        used.push_back({TrackFor(bar, used.empty() ? 0 : used.front().track), {}});
      }
      Lane& lane = used[number];
      CloseUntil(lane.track, bar.time.begin, lane.open);
      WriteSlice(lane.track, bar);
      lane.open.push_back(lanes.End());
    }
    for (Lane& lane : used) CloseUntil(lane.track, std::numeric_limits<TimeNs>::max(), lane.open);
  }

  void CloseUntil(PerfettoTrack track, TimeNs time, std::vector<TimeNs>& open) {
    for (; !open.empty() && open.back() <= time; open.pop_back()) {
      packets_.EndSlice(track, At(open.back()));
    }
  }

  PerfettoTrack TrackFor(const TimelineBar& bar, PerfettoTrack first_lane) {
    if (first_lane != 0) return packets_.AddTrack(first_lane, words_.OfTrack(bar), 0);
    const PerfettoTrack process = ProcessOf(bar.process);
    if (bar.view == BarView::kLevels) {
      return packets_.AddTrack(process, words_.OfTrack(bar), static_cast<int>(bar.track));
    }
    const Track& track = trace_.track(TrackId(bar.track));
    if (track.kind != TrackKind::kThread) return packets_.AddTrack(process, words_.OfTrack(bar), 0);
    return packets_.AddThread(process, trace_.process(bar.process).pid, track.thread,
                              words_.OfTrack(bar));
  }

  PerfettoTrack ProcessOf(ProcessId process) {
    PerfettoTrack& track = processes_[process];
    if (track == 0) {
      track = packets_.AddProcess(trace_.process(process).pid, h_.Name(h_.NodeOfProcess(process)));
    }
    return track;
  }

  void WriteSlice(PerfettoTrack track, const TimelineBar& bar) {
    ProtobufMessage more;
    if (bar.kind == BarKind::kCall) {
      ProtobufMessage correlation;
      ForEachPartner(issued_, bar.id, [&](std::uint32_t work) {
        correlation.Number(kSubmits, IdOf(work));
        ++counts_.waits;
      });
      ForEachPartner(awaited_, bar.id, [&](std::uint32_t work) {
        correlation.Number(kAwaits, IdOf(work));
        ++counts_.waits;
      });
      if (!correlation.bytes().empty()) more.Message(kGpuCorrelation, correlation);
    }
    packets_.BeginSlice(track, At(bar.time.begin), words_.Name(bar), words_.Category(bar), &more);
    ++counts_.slices;
  }

  void WriteWork(const TimelineBar& bar) {
    const EventId work(bar.id);
    const Track& track = trace_.track(TrackId(bar.track));
    const EventId call = trace_.call_of(work);
    ProcessOf(bar.process);  // A process that only shows device work is named, too.
    ProtobufMessage message;
    message.Number(stage::kEventId, IdOf(bar.id));
    message.Number(stage::kDuration, static_cast<std::uint64_t>(bar.time.Length()));
    message.Number(stage::kContext, packets_.Context(trace_.process(bar.process).pid, IsHip(call)));
    message.Signed(stage::kGpu, static_cast<std::int32_t>(DeviceNumber(trace_, track).value_or(0)));
    message.Number(stage::kQueue, packets_.Specification(words_.OfTrack(bar), words_.OfGroup(bar)));
    message.Number(stage::kStage, packets_.Specification(words_.Name(bar), ClassOf(work)));
    if (call.valid()) message.Number(stage::kSubmission, std::uint64_t{call.value} + 1);
    AddFact("path", words_.Path(bar), message);
    AddFact("placed by", NameOf(h_.SourceOfWork(work)), message);
    if (trace_.OfKind(EventKind::kKernel).Contains(work)) AddLaunch(work, message);
    ForEachPartner(waited_, bar.id, [&](std::uint32_t from) {
      message.Number(stage::kWaits, IdOf(from));
      ++counts_.waits;
    });
    packets_.Work(At(bar.time.begin), message);
    ++counts_.operations;
  }

  // "gemm"; of other work what it is.
  std::string_view ClassOf(EventId work) const {
    if (!trace_.OfKind(EventKind::kKernel).Contains(work)) return NameOf(trace_.KindOf(work));
    return NameOf(h_.kinds().OfName(trace_.name_of(work)).kernel_class);
  }

  bool IsHip(EventId call) const {
    return call.valid() && h_.names().Text(h_.NameOfCall(call)).starts_with("hip");
  }

  static void AddFact(std::string_view name, std::string_view value, ProtobufMessage& message) {
    ProtobufMessage fact;
    fact.Text(1, name);
    fact.Text(2, value);
    message.Message(stage::kExtraData, fact);
  }

  void AddLaunch(EventId kernel, ProtobufMessage& message) const {
    const Kernels& kernels = trace_.kernels();
    const std::uint32_t row = trace_.Row(kernel, EventKind::kKernel);
    if (kernels.grid_x[row] == kMissing<std::uint32_t>) return;
    const auto size = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
      ProtobufMessage sizes;
      sizes.Number(1, x);
      sizes.Number(2, y);
      sizes.Number(3, z);
      return sizes;
    };
    ProtobufMessage launch;
    launch.Message(1, size(kernels.grid_x[row], kernels.grid_y[row], kernels.grid_z[row]));
    launch.Message(2, size(kernels.block_x[row], kernels.block_y[row], kernels.block_z[row]));
    message.Message(stage::kLaunch, launch);
  }

  void WriteIdle() {
    std::map<std::uint32_t, PerfettoTrack> tracks;  // By device.
    for (const IdleGap& gap : waits_->idle.gaps) {
      PerfettoTrack& track = tracks[gap.device];
      if (track == 0) {
        const std::uint32_t number = waits_->idle.devices[gap.device].number;
        track = packets_.AddTrack(0, "GPU " + std::to_string(number) + " idle", 1);
      }
      AddSlice(track, At(gap.time.begin), At(gap.time.end), Meaning(gap.main_cause), "idle");
    }
  }

  void WritePath() {
    const PerfettoTrack track = packets_.AddTrack(0, "critical path, simulated", 0);
    TimeNs last = 0;
    for (const PathSegment& segment : waits_->path.segments) {
      const TimeNs begin = std::max(last, At(segment.begin.ns));
      const TimeNs end = At(segment.end.ns);
      if (end <= begin) continue;  // Pieces may be of negative length.
      AddSlice(track, begin, end, NameOf(segment.kind), "critical path");
      last = end;
    }
  }

  void AddSlice(PerfettoTrack track, TimeNs begin, TimeNs end, std::string_view name,
                std::string_view category) {
    packets_.BeginSlice(track, begin, name, category);
    packets_.EndSlice(track, std::max(begin, end));
    ++counts_.slices;
  }

  const Hierarchy& h_;
  const Trace& trace_;
  const TimelineWaits* waits_;
  const BarWords words_;
  const StepSet& steps_;
  PerfettoPackets packets_;
  PerfettoCounts counts_;
  TimeNs origin_ = 0;
  Pairs waited_;   // Operation by operation that it waited for.
  Pairs awaited_;  // Call by operation that it waited for.
  Pairs issued_;   // Call by operation that it issued.
  std::map<ProcessId, PerfettoTrack> processes_;
};

}  // namespace

PerfettoCounts WritePerfetto(const Hierarchy& hierarchy, const TimelineWaits* waits, NameForm names,
                             const StepSet& steps, const ByteSink& sink) {
  return PerfettoWriter(hierarchy, waits, names, steps, sink).Run();
}

}  // namespace xsp
