#include "tests/unit/sim/edited_text.h"

#include <vector>

#include "graph/readings/verify.h"

namespace xsp::test {
namespace {

std::string Micro(SimTime time) {
  if (!time.known()) return "?";
  const std::int64_t tenths = (time.ns + 50) / 100;
  const std::string whole = std::to_string(tenths / 10);
  return tenths % 10 == 0 ? whole : whole + "." + std::to_string(tenths % 10);
}

std::string LaneName(const TaskGraph& graph, LabelId label, const std::string& number) {
  if (!label.valid()) return number;
  return number + (number.empty() ? "" : " ") + graph.labels[label.value];
}

}  // namespace

std::string NameIn(const TaskGraph& graph, TaskId task) {
  if (graph.IsNew(task)) return "'" + graph.labels[graph.label[task].value] + "'";
  const EventId event = graph.event[task];
  if (!event.valid()) return "before";
  return (graph.IsHost(task) ? "call " : "op ") +
         std::to_string(graph.trace->events().correlation[event.value]);
}

std::string TimeOf(const Schedule& schedule, TaskId task) {
  return Micro(schedule.begin[task]) + "-" + Micro(schedule.finish[task]);
}

std::string TimesOf(const TaskGraph& graph, const Schedule& schedule) {
  std::string text;
  const auto line = [&](const std::string& lane, const std::vector<TaskId>& tasks) {
    if (tasks.empty()) return;
    text += lane + ":";
    const char* between = " ";
    for (TaskId task : tasks) {
      text += between + NameIn(graph, task) + " " + TimeOf(schedule, task);
      between = " | ";
    }
    text += "\n";
  };
  for (const GraphThread& thread : graph.threads) {
    std::vector<TaskId> tasks;
    for (TaskId task : thread.tasks()) tasks.push_back(task);
    line(LaneName(graph, thread.label,
                  thread.track.valid()
                      ? "T" + std::to_string(graph.trace->track(thread.track).thread)
                      : ""),
         tasks);
  }
  for (std::uint32_t i = 0; i < graph.streams.size(); ++i) {
    const GraphStream& stream = graph.streams[i];
    std::vector<TaskId> tasks;
    for (TaskId op : graph.ops()) {
      if (graph.lane[op] == i) tasks.push_back(op);
    }
    line(LaneName(graph, stream.label,
                  stream.track.valid()
                      ? "S" + std::to_string(graph.trace->track(stream.track).stream)
                      : ""),
         tasks);
  }
  return text;
}

std::string TimesOf(const EditedGraph& edited) {
  return "\n" + TimesOf(edited.graph(), edited.Simulate());
}

std::string FaultsOf(const EditedGraph& edited) {
  Answers answers;
  const Schedule replay = edited.Simulate(&answers);
  std::string text;
  for (const std::string& fault : Verify(edited.graph(), replay, answers).faults)
    text += fault + "\n";
  return text;
}

}  // namespace xsp::test
