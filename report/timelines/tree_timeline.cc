#include "report/timelines/tree_timeline.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "report/timelines/chrome_writer.h"
#include "report/timelines/timeline_bars.h"

namespace xsp {
namespace {

class TreeTimelineMaker {
 public:
  TreeTimelineMaker(const Hierarchy& hierarchy, NameForm names, ByteSink sink)
      : h_(hierarchy), words_(hierarchy, names), writer_(std::move(sink)) {}

  void Run(const std::vector<TimelineBar>& bars) {
    for (std::size_t i = 0; i < bars.size();) {
      const TimelineBar& first = bars[i];
      if (i == 0 || bars[i - 1].group() != first.group()) {
        writer_.NameGroup(GroupNumber(first), words_.OfGroup(first));
      }
      Lanes lanes;
      std::uint32_t named = 0;
      for (; i < bars.size() && bars[i].Place() == first.Place(); ++i) {
        const std::uint32_t lane = lanes.Of(bars[i].time);
        for (; named <= lane; ++named) {
          writer_.NameTrack(GroupNumber(first), TrackNumber(first, named), words_.OfTrack(first));
        }
        Write(bars[i], TrackNumber(first, lane), lanes.End());
      }
    }
    writer_.Finish();
  }

 private:
  // Numbers of groups and tracks start at 1: some viewers hide a process 0.
  static int GroupNumber(const TimelineBar& bar) { return 1 + bar.group(); }
  static std::uint32_t TrackNumber(const TimelineBar& bar, std::uint32_t lane) {
    return 1 + bar.track * Lanes::kMost + lane;
  }

  void Write(const TimelineBar& bar, std::uint32_t track, TimeNs end) {
    Json arguments = Json::object();
    if (bar.kind == BarKind::kStep) {
      arguments["cold"] = h_.steps().steps[bar.id].role == StepRole::kCold;
    }
    if (const std::string path = words_.Path(bar); !path.empty()) {
      arguments["path"] = JsonText(path);
    }
    if (bar.kind == BarKind::kWork) {
      arguments["placed_by"] = NameOf(h_.SourceOfWork(EventId(bar.id)));
    }
    writer_.AddSpan(GroupNumber(bar), track, std::string(words_.Name(bar)), words_.Category(bar),
                    SimTime::At(bar.time.begin), SimTime::At(end), std::move(arguments));
    AddArrow(bar, track);
  }

  // From a call to each operation that it issued, both drawn where the timeline shows them.
  void AddArrow(const TimelineBar& bar, std::uint32_t track) {
    if (bar.kind == BarKind::kCall) {
      calls_.push_back({EventId(bar.id), GroupNumber(bar), track});
      return;
    }
    if (bar.kind != BarKind::kWork) return;
    const EventId call = h_.trace().call_of(EventId(bar.id));
    if (!call.valid()) return;
    // Host tracks come before those of devices: the calls of a process are known by now. Calls of
    // a thread come by begin, those of several one thread behind the other.
    const auto from = FindCall(call);
    if (from == calls_.end()) return;
    writer_.AddArrow(bar.id, from->group, from->track, SimTime::At(h_.trace().begin(call)),
                     GroupNumber(bar), track, SimTime::At(bar.time.begin));
  }

  struct ShownCall {
    EventId call;
    int group;
    std::uint32_t track;
  };
  std::vector<ShownCall>::const_iterator FindCall(EventId call) {
    const auto is_before = [](const ShownCall& a, const ShownCall& b) { return a.call < b.call; };
    if (sorted_ != calls_.size()) {
      std::sort(calls_.begin(), calls_.end(), is_before);
      sorted_ = calls_.size();
    }
    const auto at =
        std::lower_bound(calls_.begin(), calls_.end(), ShownCall{call, 0, 0}, is_before);
    return at != calls_.end() && at->call == call ? at : calls_.end();
  }

  const Hierarchy& h_;
  const BarWords words_;
  ChromeWriter writer_;
  std::vector<ShownCall> calls_;
  std::size_t sorted_ = 0;  // How many of them are in order.
};

}  // namespace

void WriteTreeTimeline(const Hierarchy& hierarchy, NameForm names, const StepSet& steps,
                       const ByteSink& sink) {
  TreeTimelineMaker(hierarchy, names, sink).Run(TimelineBars(hierarchy, steps));
}

std::string TreeTimeline(const Hierarchy& hierarchy, NameForm names, const StepSet& steps) {
  std::string text;
  WriteTreeTimeline(hierarchy, names, steps, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace xsp
