#include "report/timelines/whatif_timeline.h"

#include <vector>

#include "report/graph/task_words.h"
#include "report/timelines/chrome_writer.h"

namespace xsp {
namespace {

void AddGroup(int group, const char* name, const Workbench::Simulated& simulated,
              ChromeWriter& writer) {
  const TaskGraph& graph = simulated.graph;
  const Schedule& schedule = simulated.schedule;
  const TaskWords words(graph);
  writer.NameGroup(group, name);
  std::vector<std::uint8_t> used(graph.threads.size() + graph.streams.size());
  for (TaskId task : graph.tasks()) {
    if (!schedule.begin[task].known() || !schedule.finish[task].known()) continue;
    const bool is_host = graph.IsHost(task);
    const std::uint32_t track =
        graph.lane[task] + (is_host ? 0 : static_cast<std::uint32_t>(graph.threads.size()));
    used[track] = 1;
    const TaskId origin = graph.OriginOf(task);
    Json arguments = {{"own_ns", graph.own[task]},
                      {"begin_decided_by", NameOf(schedule.begin_by[task].rule)},
                      {"finish_decided_by", NameOf(schedule.finish_by[task].rule)},
                      {"is_new", graph.IsNew(task)}};
    if (origin.valid()) arguments["task"] = origin.value;
    const char* category = graph.IsNew(task) ? "new" : is_host ? "host" : "device";
    writer.AddSpan(group, track + 1, words.Name(task), category, schedule.begin[task],
                   schedule.finish[task], std::move(arguments));
  }
  for (std::uint32_t track = 0; track < used.size(); ++track) {
    if (used[track] != 0) writer.NameTrack(group, track + 1, words.OfTrack(track));
  }
}

}  // namespace

std::string WhatIfTimeline(const Workbench::Simulated& before, const Workbench::Simulated& after) {
  std::string text;
  ChromeWriter writer([&](std::string_view piece) { text += piece; });
  AddGroup(1, "before", before, writer);
  AddGroup(2, "after", after, writer);
  writer.Finish();
  return text;
}

}  // namespace xsp
