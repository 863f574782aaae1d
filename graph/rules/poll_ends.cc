#include "graph/rules/poll_ends.h"

#include <algorithm>
#include <iterator>

namespace xsp {

bool EndsLoop(const Draft& draft, const PollLoop& loop, TimeNs done) {
  return done > loop.last_in_vain - kSkewOfPolls &&
         done <= draft.graph.measured_end[loop.task] + kSkewOfPolls;
}

PollEnds::PollEnds(const Draft& draft) : draft_(draft), issued_(draft.graph.streams.size()) {
  const TaskGraph& graph = draft.graph;
  for (TaskId op : graph.ops()) {
    issued_[graph.lane[op]].emplace_back(graph.measured_begin[graph.CallOf(op)], op);
  }
  for (auto& ops : issued_) std::sort(ops.begin(), ops.end());
  for (TaskId task : graph.host_tasks()) {
    const Question& question = graph.question[task];
    if (question.ask != Ask::kMakeRecord) continue;
    const TimeNs time = graph.measured_begin[task];
    const TaskId last = LastIssued(graph.record_stream[question.target], time);
    if (last.valid()) records_.push_back({time, question.target, last});
  }
  std::sort(records_.begin(), records_.end(),
            [](const Record& a, const Record& b) { return a.time < b.time; });
}

TaskId PollEnds::LastIssued(std::uint32_t stream, TimeNs time) const {
  const auto& ops = issued_[stream];
  const auto next = std::lower_bound(ops.begin(), ops.end(), std::pair(time, TaskId(0)));
  return next == ops.begin() ? TaskId() : std::prev(next)->second;
}

std::uint32_t PollEnds::FindStream(const PollLoop& loop) const {
  const TaskGraph& graph = draft_.graph;
  const ProcessId process = graph.threads[graph.lane[loop.task]].process;
  const TimeNs begin = graph.measured_begin[loop.task];
  std::uint32_t found = Draft::kNone;
  TimeNs latest = 0;
  for (std::uint32_t i = 0; i < issued_.size(); ++i) {
    if (graph.contexts[graph.streams[i].context].process != process) continue;
    const TaskId last = LastIssued(i, begin);
    if (!last.valid()) continue;
    const TimeNs done = graph.measured_end[last];
    if (!EndsLoop(draft_, loop, done) || (found != Draft::kNone && done <= latest)) continue;
    found = i;
    latest = done;
  }
  return found;
}

std::uint32_t PollEnds::FindRecord(const PollLoop& loop) const {
  constexpr int kMostBack = 256;
  const TaskGraph& graph = draft_.graph;
  const ProcessId process = graph.threads[graph.lane[loop.task]].process;
  const TimeNs begin = graph.measured_begin[loop.task];
  auto record = std::partition_point(records_.begin(), records_.end(),
                                     [&](const Record& r) { return r.time < begin; });
  for (int i = 0; i < kMostBack && record != records_.begin(); ++i) {
    --record;
    const std::uint32_t context = graph.streams[graph.lane[record->last]].context;
    if (graph.contexts[context].process != process) continue;
    if (EndsLoop(draft_, loop, graph.measured_end[record->last])) return record->number;
  }
  return Draft::kNone;
}

}  // namespace xsp
