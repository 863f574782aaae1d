#include "report/html/waterfall_items.h"

#include <algorithm>
#include <tuple>

#include "base/interrupt.h"
#include "hierarchy/names/device_number.h"

namespace xsp {
namespace {

constexpr std::uint32_t kNoRow = 0xffffffff;
// Calls of the operating system that nobody waits for are shown from this share of the part on.
constexpr DurationNs kLongOsCall = 500;

bool IsOnDevice(const Track& track) {
  return track.kind == TrackKind::kStream || track.kind == TrackKind::kMigration;
}

}  // namespace

WaterfallItems::WaterfallItems(const Hierarchy& hierarchy, const TaskGraph* graph, TimeRange part)
    : hierarchy_(hierarchy), trace_(hierarchy.trace()), part_(part) {
  if (graph != nullptr) {
    row_.assign(graph->task_count(), kNoRow);
    task_of_.resize(trace_.event_count());
    for (TaskId task : graph->tasks()) {
      if (graph->event[task].valid()) task_of_[graph->event[task].value] = task;
    }
  }
  for (EventKind kind :
       {EventKind::kKernel, EventKind::kMemcpy, EventKind::kMigration, EventKind::kMemset,
        EventKind::kGraphSpan, EventKind::kApi, EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd,
        EventKind::kMpi, EventKind::kLibrary, EventKind::kDirective, EventKind::kOsrt}) {
    Collect(kind);
  }
  place_.assign(trace_.tracks().size(), kNoRow);
  for (const WaterfallItem& item : items_) place_[trace_.track_of(item.event).value] = 0;
  for (std::uint32_t t = 0; t < place_.size(); ++t) {
    if (place_[t] == 0) tracks_.emplace_back(t);
  }
  auto order = [&](TrackId id) {
    const Track& track = trace_.track(id);
    return std::tuple(track.process.value, !IsOnDevice(track), id.value);
  };
  std::sort(tracks_.begin(), tracks_.end(),
            [&](TrackId a, TrackId b) { return order(a) < order(b); });
  for (std::uint32_t i = 0; i < tracks_.size(); ++i) place_[tracks_[i].value] = i;
  std::sort(items_.begin(), items_.end(), [&](const WaterfallItem& a, const WaterfallItem& b) {
    auto key = [&](const WaterfallItem& item) {
      return std::tuple(place_[trace_.track_of(item.event).value], trace_.begin(item.event),
                        -trace_.end(item.event), item.event.value);
    };
    return key(a) < key(b);
  });
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    if (items_[i].task.valid()) row_[items_[i].task] = i;
  }
}

void WaterfallItems::Collect(EventKind kind) {
  InterruptPoll poll;
  for (EventId event : trace_.OfKind(kind)) {
    poll();
    if (trace_.begin(event) >= part_.end) break;
    if (trace_.end(event) <= part_.begin && trace_.begin(event) < part_.begin) continue;
    if (!IsShown(event, kind)) continue;
    items_.push_back({event, task_of_.empty() ? TaskId() : task_of_[event.value]});
  }
}

bool WaterfallItems::IsShown(EventId event, EventKind kind) const {
  if (kind != EventKind::kOsrt) return true;
  const bool is_task = !task_of_.empty() && task_of_[event.value].valid();
  return is_task || trace_.duration(event) > part_.Length() / kLongOsCall;
}

std::int64_t WaterfallItems::RowOf(TaskId task) const {
  if (!task.valid() || row_.empty() || row_[task] == kNoRow) return -1;
  return row_[task];
}

std::string WaterfallItems::NameOfTrack(TrackId id) const {
  const Track& track = trace_.track(id);
  std::string name;
  if (trace_.processes().size() > 1 && track.process.valid()) {
    const Process& process = trace_.process(track.process);
    name = process.rank != kMissing<std::uint32_t>
               ? "rank " + std::to_string(process.rank) + " · "
               : "process " + std::to_string(process.pid) + " · ";
  }
  if (IsOnDevice(track)) {
    if (const auto number = DeviceNumber(trace_, track))
      name += "GPU " + std::to_string(*number) + " · ";
    return name + (track.kind == TrackKind::kMigration ? "migrations"
                                                       : "stream " + std::to_string(track.stream));
  }
  if (track.kind == TrackKind::kThread) {
    name += "thread " + std::to_string(track.thread);
    if (track.name.valid()) name += " (" + std::string(trace_.strings().Get(track.name)) + ")";
    return name;
  }
  return name + "process";
}

Json WaterfallItems::TracksToJson() const {
  Json list = Json::array();
  for (TrackId id : tracks_) {
    const Track& track = trace_.track(id);
    const bool on_device = IsOnDevice(track);
    const auto number = on_device ? DeviceNumber(trace_, track) : std::nullopt;
    list.push_back({{"name", JsonText(CutText(NameOfTrack(id)))},
                    {"device", JsonOrNull(number)},
                    {"on_device", on_device}});
  }
  return list;
}

Json WaterfallItems::ToJson(PackedTexts& texts) const {
  using Kind = PackedColumn::Kind;
  const KernelLabels labels(trace_, NameForm::kShort);
  PackedColumn track, begin(Kind::kSteps), length, name, kernel_class, kind, task(Kind::kSteps),
      bytes;
  for (const WaterfallItem& item : items_) {
    const EventId event = item.event;
    const EventKind of = trace_.KindOf(event);
    std::string_view shown;
    if (of == EventKind::kKernel) {
      shown = labels.Of(event);
    } else if (IsDeviceWork(of)) {
      shown = hierarchy_.names().Text(hierarchy_.NameOfWork(event));
    } else if (of == EventKind::kApi) {
      shown = hierarchy_.names().Text(hierarchy_.NameOfCall(event));
    } else {
      shown = trace_.name_of(event).valid() ? trace_.name(event) : std::string_view("[no name]");
    }
    track.Add(place_[trace_.track_of(event).value]);
    begin.Add(trace_.begin(event) - part_.begin);
    length.Add(trace_.duration(event));
    name.Add(texts.Of(shown));
    kind.Add(static_cast<int>(of));
    kernel_class.Add(IsDeviceWork(of)
                         ? static_cast<int>(hierarchy_.kinds().Of(trace_, event).kernel_class)
                         : -1);
    task.Add(item.task.valid() ? item.task.value : -1);
    const bool is_copy = of == EventKind::kMemcpy || of == EventKind::kMigration;
    bytes.Add(is_copy ? static_cast<std::int64_t>(trace_.copies().bytes[trace_.Row(event)]) : 0);
  }
  return {{"tracks", TracksToJson()}, {"rows", items_.size()},          {"track", track.ToJson()},
          {"begin", begin.ToJson()},  {"length", length.ToJson()},      {"name", name.ToJson()},
          {"kind", kind.ToJson()},    {"class", kernel_class.ToJson()}, {"task", task.ToJson()},
          {"bytes", bytes.ToJson()}};
}

}  // namespace xsp
