#include "report/chrome_timeline.h"

#include <algorithm>
#include <vector>

#include "graph/replay.h"
#include "report/json.h"
#include "report/task_words.h"

namespace xsp {
namespace {

// Each is a "process" of the format, shown as a group of tracks, in this order.
enum Group : int { kPath = 1, kMeasured = 2, kSimulated = 3 };

class Timeline {
 public:
  Timeline(const TaskGraph& graph, const Schedule& replay, TimeRange part, const CriticalPath* path)
      : graph_(graph), replay_(replay), part_(part), path_(path), words_(graph) {
    on_path_.resize(graph.task_count());
    if (path == nullptr) return;
    for (const PathSegment& segment : path->segments) {
      if (segment.task.valid()) on_path_[segment.task.value] = 1;
    }
  }

  std::string Run() {
    text_ = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
    NameGroup(kMeasured, "measured");
    NameGroup(kSimulated, "simulated");
    for (std::uint32_t task = 0; task < graph_.task_count(); ++task) {
      if (part_.Contains(TraceBegin(graph_, task))) AddTask(task);
    }
    NameTracks();
    if (path_ != nullptr) AddPath();
    text_ += "\n]}\n";
    return std::move(text_);
  }

 private:
  // A row of the graph's threads and streams as one number.
  std::uint32_t TrackOf(std::uint32_t task) const {
    const std::uint32_t lane = graph_.lane[task];
    return 1 +
           (graph_.IsHost(task) ? lane : static_cast<std::uint32_t>(graph_.threads.size()) + lane);
  }

  void Add(const Json& event) {
    if (!is_first_) text_ += ",\n";
    is_first_ = false;
    text_ += event.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  void NameGroup(Group group, const char* name) {
    Add({{"ph", "M"}, {"name", "process_name"}, {"pid", group}, {"args", {{"name", name}}}});
    Add({{"ph", "M"},
         {"name", "process_sort_index"},
         {"pid", group},
         {"args", {{"sort_index", static_cast<int>(group)}}}});
  }

  void NameTrack(std::uint32_t track, const std::string& name) {
    for (Group group : {kMeasured, kSimulated}) {
      Add({{"ph", "M"},
           {"name", "thread_name"},
           {"pid", group},
           {"tid", track},
           {"args", {{"name", JsonText(name)}}}});
      Add({{"ph", "M"},
           {"name", "thread_sort_index"},
           {"pid", group},
           {"tid", track},
           {"args", {{"sort_index", track}}}});
    }
  }

  void NameTracks() {
    used_.resize(1 + graph_.threads.size() + graph_.streams.size());
    for (std::uint32_t track = 1; track < used_.size(); ++track) {
      if (used_[track]) NameTrack(track, words_.OfTrack(track - 1));
    }
  }

  // Chrome counts in microseconds.
  static double Micro(std::int64_t ns) { return static_cast<double>(ns) / 1000; }

  void AddSpan(Group group, std::uint32_t track, const std::string& name, const char* category,
               SimTime begin, SimTime end, Json arguments) {
    Add({{"ph", "X"},
         {"name", JsonText(name)},
         {"cat", category},
         {"pid", group},
         {"tid", track},
         {"ts", Micro(begin.ns)},
         {"dur", Micro(std::max<DurationNs>(0, end - begin))},
         {"args", std::move(arguments)}});
  }

  void AddTask(std::uint32_t task) {
    const TaskId id(task);
    const std::uint32_t track = TrackOf(task);
    if (used_.size() <= track) used_.resize(track + 1);
    used_[track] = 1;
    const std::string name = words_.Name(id);
    const char* category = on_path_[task] ? "critical" : graph_.IsHost(task) ? "host" : "device";
    AddSpan(kMeasured, track, name, category, SimTime::At(graph_.measured_begin[task]),
            SimTime::At(graph_.measured_end[task]), {{"task", task}});
    if (!replay_.begin[task].known()) return;
    const Binding begin = replay_.begin_by[task], finish = replay_.finish_by[task];
    Json arguments = {{"task", task},
                      {"own_ns", graph_.own[task]},
                      {"begin_decided_by", NameOf(begin.rule)},
                      {"finish_decided_by", NameOf(finish.rule)},
                      {"begin_error_ns", replay_.begin[task].ns - graph_.measured_begin[task]}};
    if (path_ != nullptr) arguments["on_critical_path"] = on_path_[task] != 0;
    AddSpan(kSimulated, track, name, category, replay_.begin[task], replay_.finish[task],
            std::move(arguments));
  }

  void AddPath() {
    NameGroup(kPath, "critical path");
    for (const PathSegment& segment : path_->segments) {
      Json arguments = Json::object();
      std::string name(NameOf(segment.kind));
      if (segment.task.valid()) {
        arguments["task"] = segment.task.value;
        name += " " + words_.Name(segment.task);
      }
      AddSpan(kPath, 1, name, "critical", segment.begin, segment.end, std::move(arguments));
    }
  }

  const TaskGraph& graph_;
  const Schedule& replay_;
  const TimeRange part_;
  const CriticalPath* path_;
  const TaskWords words_;
  std::vector<std::uint8_t> on_path_;
  std::vector<std::uint8_t> used_;  // By track.
  std::string text_;
  bool is_first_ = true;
};

}  // namespace

std::string ChromeTimeline(const TaskGraph& graph, const Schedule& replay, TimeRange part,
                           const CriticalPath* path) {
  return Timeline(graph, replay, part, path).Run();
}

}  // namespace xsp
