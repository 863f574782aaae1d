#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "hierarchy/hierarchy.h"
#include "hierarchy/steps/step_set.h"
#include "hierarchy/totals/path_text.h"
#include "model/names/kernel_names.h"

namespace xsp {

// The groups of tracks of a process, in the order in which viewers show them.
enum class BarView : std::uint8_t { kLevels, kHost, kDevice };
inline constexpr int kBarViews = 3;

enum class BarKind : std::uint8_t { kStep, kNode, kCall, kWork };

// A bar of a timeline. Its words are made when it is written (BarWords).
struct TimelineBar {
  ProcessId process;
  BarView view = BarView::kLevels;
  std::uint32_t track = 0;  // A level, or a track of the trace.
  TimeRange time;
  BarKind kind = BarKind::kStep;
  std::uint32_t id = 0;  // Of the step, node or event.

  int group() const { return static_cast<int>(process.value) * kBarViews + static_cast<int>(view); }
  auto Place() const { return std::tuple(group(), track); }
};

// A trace with its hierarchy as bars: steps, phases, layers and operations at the time at which
// their work was on the device; ranges and CUDA calls of host threads; all device work by stream.
// By group and track, then by time: who holds another comes first. Of `steps` only, where they are
// not the whole trace.
std::vector<TimelineBar> TimelineBars(const Hierarchy& hierarchy, const StepSet& steps);

// Which of several lanes a bar of a track goes to, so that those on one lane lie beside or within
// each other. Bars come in the order of TimelineBars.
class Lanes {
 public:
  static constexpr std::uint32_t kMost = 64;

  std::uint32_t Of(const TimeRange& time);
  // Where the bar that was placed last ends on its lane: no later than what holds it.
  TimeNs End() const { return end_; }

 private:
  std::vector<std::vector<TimeNs>> open_ends_;  // By lane, the innermost last.
  TimeNs end_ = 0;
};

// What bars, their tracks and groups are called.
class BarWords {
 public:
  BarWords(const Hierarchy& hierarchy, NameForm names);

  std::string OfGroup(const TimelineBar& bar) const;  // "python [4711]: host".
  std::string OfTrack(const TimelineBar& bar) const;  // "thread 4711", "GPU 0 stream 7", "layer".
  std::string_view Name(const TimelineBar& bar) const;
  std::string_view Category(const TimelineBar& bar) const;
  // Names from below the root down to the bar's node, joined by '/'; empty for steps and calls.
  std::string Path(const TimelineBar& bar) const;

 private:
  const Hierarchy& h_;
  const Trace& trace_;
  const KernelLabels labels_;
  TreePaths paths_;
};

}  // namespace xsp
