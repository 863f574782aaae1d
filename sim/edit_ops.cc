#include <algorithm>

#include "sim/edit_build.h"

// Operations of an edited graph, call by call, and the columns of all tasks.
namespace xsp {
namespace {

TaskKind KindOf(OpClass op_class) {
  switch (op_class) {
    case OpClass::kHtoD:
    case OpClass::kDtoH:
    case OpClass::kDtoD:
      return TaskKind::kMemcpy;
    case OpClass::kMemset:
      return TaskKind::kMemset;
    case OpClass::kGraph:
      return TaskKind::kGraphSpan;
    case OpClass::kKernel:
    case OpClass::kNode:
      break;
  }
  return TaskKind::kKernel;
}

}  // namespace

void EditBuild::Ops() {
  CollectIssued();
  graph_.first_op.reserve(graph_.gap.size() + 1);
  for (const GraphThread& thread : graph_.threads) {
    last_op_end_ = thread.start;
    for (std::uint32_t call = thread.first; call < thread.last; ++call) OpsOf(call);
  }
  graph_.first_op.push_back(static_cast<std::uint32_t>(source_.size()));
}

// New operations and moved ones, by their calls; of one that was moved twice, the last move counts.
void EditBuild::CollectIssued() {
  std::vector<std::uint8_t> seen(place_.size());
  for (auto it = edit_.issued_.rbegin(); it != edit_.issued_.rend(); ++it) {
    const TaskId call = place_[edit_.CallOf(*it).value];
    const bool is_gone = !call.valid() || edit_.FateOf(*it) == GraphEdit::kRemoved;
    if (is_gone || seen[it->value] != 0) continue;
    seen[it->value] = 1;
    issued_.emplace_back(call.value, *it);
  }
  std::reverse(issued_.begin(), issued_.end());
  std::stable_sort(issued_.begin(), issued_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

void EditBuild::OpsOf(std::uint32_t call) {
  graph_.first_op.push_back(static_cast<std::uint32_t>(source_.size()));
  last_op_end_ = std::max(last_op_end_, graph_.measured_end[call]);
  if (const TaskId was = source_[call]; IsOld(was)) {
    const std::uint32_t last = old_.first_op[was.value + 1];
    for (TaskId op(old_.first_op[was.value]); op.value < last; ++op.value) {
      if (edit_.FateOf(op) == GraphEdit::kStays) PlaceOp(op, call);
    }
  }
  for (; next_issued_ < issued_.size() && issued_[next_issued_].first == call; ++next_issued_) {
    PlaceOp(issued_[next_issued_].second, call);
  }
}

void EditBuild::PlaceOp(TaskId op, std::uint32_t call) {
  place_[op.value] = TaskId(source_.size());
  source_.push_back(op);
  graph_.call.push_back(call);
  const bool is_old = IsOld(op);
  graph_.measured_begin.push_back(is_old ? old_.measured_begin[op.value] : last_op_end_);
  graph_.measured_end.push_back(is_old ? old_.measured_end[op.value] : last_op_end_);
  last_op_end_ = std::max(last_op_end_, graph_.measured_end.back());
}

// The columns of all tasks and of host tasks, but for those that were filled on the way.
void EditBuild::Columns() {
  const std::size_t tasks = source_.size();
  const std::size_t hosts = graph_.gap.size();
  const auto reserve = [](std::size_t rows, auto&... columns) { (columns.reserve(rows), ...); };
  reserve(tasks, graph_.event, graph_.own, graph_.lane, graph_.kind, graph_.flags, graph_.origin);
  graph_.question.reserve(hosts);
  const bool has_labels = !old_.label.empty() || !edit_.new_tasks_.empty();
  if (has_labels) graph_.label.reserve(tasks);
  for (std::size_t i = 0; i < tasks; ++i) {
    const TaskId task = source_[i];
    graph_.own.push_back(edit_.Own(task));
    if (IsOld(task)) {
      graph_.event.push_back(old_.event[task.value]);
      graph_.kind.push_back(old_.kind[task.value]);
      graph_.flags.push_back(old_.flags[task.value]);
      graph_.origin.push_back(old_.OriginOf(task.value));
      if (has_labels)
        graph_.label.push_back(old_.label.empty() ? LabelId() : old_.label[task.value]);
      continue;
    }
    const GraphEdit::NewTask& added = edit_.New(task);
    graph_.event.emplace_back();
    graph_.kind.push_back(added.is_host ? added.call.kind : KindOf(added.op.op_class));
    graph_.flags.push_back(0);
    graph_.origin.emplace_back();
    graph_.label.push_back(Label(added.is_host ? added.call.label : added.op.label));
  }
  for (std::uint32_t i = 0; i < graph_.threads.size(); ++i) {
    graph_.lane.insert(graph_.lane.end(), graph_.threads[i].last - graph_.threads[i].first, i);
  }
  for (std::size_t i = 0; i < hosts; ++i) graph_.question.push_back(edit_.QuestionOf(source_[i]));
  if (old_.wait.empty()) return;
  for (std::size_t i = 0; i < hosts; ++i) {
    graph_.wait.push_back(IsOld(source_[i]) ? old_.wait[source_[i].value] : 0);
  }
}

void EditBuild::OpColumns() {
  const std::size_t hosts = graph_.gap.size();
  const std::size_t ops = source_.size() - hosts;
  const auto reserve = [](std::size_t rows, auto&... columns) { (columns.reserve(rows), ...); };
  reserve(ops, graph_.op_class, graph_.submit, graph_.engine);
  for (std::size_t i = hosts; i < source_.size(); ++i) {
    const TaskId op = source_[i];
    if (!IsOld(op)) {
      const NewOp& added = edit_.New(op).op;
      graph_.lane.push_back(added.stream);
      graph_.op_class.push_back(added.op_class);
      graph_.submit.push_back(Submit::kAfterOwnCost);
      graph_.engine.push_back(graph_.EngineFor(added.stream, added.op_class));
      continue;
    }
    const std::uint32_t row = old_.OpIndex(op.value);
    graph_.lane.push_back(old_.lane[op.value]);
    graph_.op_class.push_back(old_.op_class[row]);
    graph_.submit.push_back(old_.submit[row]);
    graph_.engine.push_back(old_.engine[row]);
    if (edit_.FateOf(op) != GraphEdit::kMoved) continue;
    // It has a call now, and is alone in it or one of others.
    graph_.submit.back() = Submit::kAfterOwnCost;
    graph_.flags[i] &= static_cast<std::uint8_t>(~(kNode | kLastNode | kOverlaps));
  }
  for (const auto& [op, stream] : edit_.stream_of_) {
    const TaskId number = place_[op.value];
    if (!number.valid()) continue;
    const std::uint32_t row = static_cast<std::uint32_t>(number.value - hosts);
    graph_.lane[number.value] = stream;
    graph_.engine[row] = graph_.EngineFor(stream, graph_.op_class[row]);
    // It overlapped the operation before it on the stream that it was on.
    graph_.flags[number.value] &= static_cast<std::uint8_t>(~kOverlaps);
  }
  if (old_.clock_ahead.empty()) return;
  graph_.clock_ahead.reserve(ops);
  for (std::size_t i = hosts; i < source_.size(); ++i) {
    const GraphDevice& device = graph_.devices[graph_.streams[graph_.lane[i]].device];
    graph_.clock_ahead.push_back(IsOld(source_[i])
                                     ? old_.clock_ahead[old_.OpIndex(source_[i].value)]
                                     : device.AheadAt(graph_.measured_begin[i]));
  }
}

}  // namespace xsp
