#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/trace.h"

namespace xsp {

// The events that a report is about: all of a trace, or some. Lends the trace.
class EventSelection {
 public:
  explicit EventSelection(const Trace& trace) : trace_(&trace) {}
  // Of each kind (by IndexOf) these events, in the order of the trace.
  EventSelection(const Trace& trace, std::array<std::vector<EventId>, kEventKindCount> events)
      : trace_(&trace), all_(false), events_(std::move(events)) {}

  // Calls f(event) for each selected event of the kind, in order of begin.
  template <class F>
  void ForEach(EventKind kind, F&& f) const {
    if (all_) {
      for (EventId e : trace_->OfKind(kind)) f(e);
    } else {
      for (EventId e : events_[IndexOf(kind)]) f(e);
    }
  }

  std::size_t Count(EventKind kind) const;
  const Trace& trace() const { return *trace_; }

 private:
  const Trace* trace_;
  bool all_ = true;
  std::array<std::vector<EventId>, kEventKindCount> events_;
};

// What the rows of a report are split by.
enum class GroupBy : std::uint8_t { kNothing, kDevice, kProcess, kStream, kThread };

std::string_view ColumnNameOf(GroupBy by);  // "Device", "Process", ...

// The groups that tracks belong to, in the order of the tracks.
class TrackGroups {
 public:
  TrackGroups(const Trace& trace, GroupBy by);

  const std::vector<std::string>& labels() const { return labels_; }
  // The group of a track; the number of groups for a track that belongs to none.
  std::size_t Of(TrackId track) const;

 private:
  static constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);
  std::vector<std::size_t> group_of_;
  std::vector<std::string> labels_;
};

// What a part of a trace is called and what it holds. No label: the events that belong nowhere,
// such as a range under --by device.
struct EventGroup {
  std::optional<std::string> label;
  EventSelection events;
};

// Takes the selection apart. Device work belongs to the thread that issued it, a CUDA call to the
// device and stream of the first work it issued. Groups come in the order of the trace's tables,
// events that belong nowhere last; together they hold every event once.
std::vector<EventGroup> Split(const EventSelection& events, GroupBy by);

// The model of a track's GPU and its number in the process, as NVIDIA's reports name it:
// "NVIDIA A100 (0)".
std::string DeviceLabel(const Trace& trace, const Track& track);

// The same with the number that the GPU has in the whole system, where the trace tells it: two
// processes may call different GPUs 0.
std::string GpuLabel(const Trace& trace, const Track& track);

}  // namespace xsp
