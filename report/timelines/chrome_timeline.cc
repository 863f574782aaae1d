#include "report/timelines/chrome_timeline.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/readings/replay.h"
#include "report/graph/task_words.h"
#include "report/timelines/chrome_writer.h"

namespace xsp {
namespace {

// Each is a "process" of the format, shown as a group of tracks, in this order.
enum Group : int { kPath = 1, kMeasured = 2, kSimulated = 3 };

class Timeline {
 public:
  Timeline(const TaskGraph& before, const TaskGraph& graph, const Schedule& schedule,
           TimeRange part, const CriticalPath* path)
      : before_(before),
        graph_(graph),
        schedule_(schedule),
        part_(part),
        path_(path),
        words_before_(before),
        words_(graph),
        on_path_(graph.task_count()) {
    if (path == nullptr) return;
    for (const PathSegment& segment : path->segments) {
      if (segment.task.valid()) on_path_[segment.task] = 1;
    }
  }

  std::string Run() {
    AddMeasured();
    AddSimulated();
    if (path_ != nullptr) AddPath();
    writer_.Finish();
    return std::move(text_);
  }

 private:
  // Which tracks of a graph are in use. A row of its threads and streams as one number, from 1 on.
  class Tracks {
   public:
    explicit Tracks(const TaskGraph& graph)
        : graph_(graph), used_(1 + graph.threads.size() + graph.streams.size()) {}

    std::uint32_t Of(TaskId task) {
      const auto threads = static_cast<std::uint32_t>(graph_.threads.size());
      const std::uint32_t track = 1 + graph_.lane[task] + (graph_.IsHost(task) ? 0 : threads);
      used_[track] = 1;
      return track;
    }
    const std::vector<std::uint8_t>& used() const { return used_; }

   private:
    const TaskGraph& graph_;
    std::vector<std::uint8_t> used_;
  };

  void NameTracks(Group group, const Tracks& tracks, const TaskWords& words) {
    for (std::uint32_t track = 1; track < tracks.used().size(); ++track) {
      if (!tracks.used()[track]) continue;
      writer_.NameTrack(group, track, words.OfTrack(track - 1));
    }
  }

  static const char* SideOf(const TaskGraph& graph, TaskId task) {
    return graph.IsHost(task) ? "host" : "device";
  }

  void AddMeasured() {
    writer_.NameGroup(kMeasured, "measured");
    // Marks show where the path is in the measured times, where both are of one graph.
    const bool is_same = &before_ == &graph_;
    Tracks tracks(before_);
    for (TaskId task : before_.tasks()) {
      if (!part_.Contains(TraceBegin(before_, task)) || before_.IsNew(task)) continue;
      const char* category = is_same && on_path_[task] ? "critical" : SideOf(before_, task);
      writer_.AddSpan(kMeasured, tracks.Of(task), words_before_.Name(task), category,
                      SimTime::At(before_.measured_begin[task]),
                      SimTime::At(before_.measured_end[task]), {{"task", task.value}});
    }
    NameTracks(kMeasured, tracks, words_before_);
  }

  void AddSimulated() {
    writer_.NameGroup(kSimulated, "simulated");
    Tracks tracks(graph_);
    for (TaskId task : graph_.tasks()) {
      if (!part_.Contains(TraceBegin(graph_, task)) || !schedule_.begin[task].known()) continue;
      Json arguments = {{"task", task.value},
                        {"own_ns", graph_.own[task]},
                        {"begin_decided_by", NameOf(schedule_.begin_by[task].rule)},
                        {"finish_decided_by", NameOf(schedule_.finish_by[task].rule)}};
      if (graph_.IsNew(task)) {
        arguments["put_in"] = true;
      } else {
        arguments["begin_error_ns"] = schedule_.begin[task].ns - graph_.measured_begin[task];
      }
      if (path_ != nullptr) arguments["on_critical_path"] = on_path_[task] != 0;
      writer_.AddSpan(kSimulated, tracks.Of(task), words_.Name(task),
                      on_path_[task] ? "critical" : SideOf(graph_, task), schedule_.begin[task],
                      schedule_.finish[task], std::move(arguments));
    }
    NameTracks(kSimulated, tracks, words_);
  }

  void AddPath() {
    writer_.NameGroup(kPath, "critical path");
    for (const PathSegment& segment : path_->segments) {
      Json arguments = Json::object();
      std::string name(NameOf(segment.kind));
      if (segment.task.valid()) {
        arguments["task"] = segment.task.value;
        name += " " + words_.Name(segment.task);
      }
      writer_.AddSpan(kPath, 1, name, "critical", segment.begin, segment.end, std::move(arguments));
    }
  }

  const TaskGraph& before_;
  const TaskGraph& graph_;
  const Schedule& schedule_;
  const TimeRange part_;
  const CriticalPath* path_;
  const TaskWords words_before_;
  const TaskWords words_;
  PerTask<std::uint8_t> on_path_;
  std::string text_;
  ChromeWriter writer_{[this](std::string_view piece) { text_ += piece; }};
};

}  // namespace

std::string ChromeTimeline(const TaskGraph& graph, const Schedule& schedule, TimeRange part,
                           const CriticalPath* path, const TaskGraph* before) {
  return Timeline(before != nullptr ? *before : graph, graph, schedule, part, path).Run();
}

}  // namespace xsp
