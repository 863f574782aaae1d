#include <algorithm>

#include "graph/copy_tasks.h"
#include "sim/edit/edit_build.h"

// The columns of an edited graph: most of each is a copy, and what is new or moved is filled in.
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

void EditBuild::Columns() {
  CopyTasks(old_, source_, gap_.size(), graph_);
  graph_.gap = std::move(gap_);
  graph_.polling_calls = old_.polling_calls;
  graph_.untold_polls = old_.untold_polls;
  graph_.nested_calls = old_.nested_calls;
  graph_.unlinked_ops = old_.unlinked_ops;
  graph_.told_waits = old_.told_waits;
  graph_.dropped_waits = old_.dropped_waits;
  Frame();
  Costs();
  for (const auto& [call, question] : edit_.questions_) {
    if (const TaskId place = place_[call]; place.valid()) {
      graph_.question[place] = question;
    }
  }
  if (!added_.empty()) graph_.label.resize(source_.size());
  for (const Added& added : added_) {
    if (graph_.IsHost(added.number)) {
      AddedHost(added);
    } else {
      AddedOp(added);
    }
  }
  for (std::uint32_t i = 0; i < graph_.threads.size(); ++i) {
    const GraphThread& thread = graph_.threads[i];
    std::fill(graph_.lane.begin() + thread.first.value, graph_.lane.begin() + thread.last.value, i);
  }
  MovedOps();
}

void EditBuild::Frame() {
  // Entry 0, "none", is there from the beginning.
  graph_.constants = ConstantTable();
  for (std::size_t id = 1; id < edit_.constants_.all().size(); ++id) {
    Constant constant = edit_.constants_.all()[id];
    const auto retimed = edit_.latencies_.find(static_cast<ConstantId>(id));
    if (retimed != edit_.latencies_.end()) constant.value = retimed->second;
    graph_.constants.Add(std::move(constant));
  }
  for (const GraphEdit::StreamGap& gap : edit_.stream_gaps_) {
    graph_.stream_gap[static_cast<std::size_t>(gap.from)][static_cast<std::size_t>(gap.to)] =
        gap.gap;
  }
  graph_.ignored_rules |= edit_.overlay_.ignored_rules;
  for (std::size_t i = 0; i < old_.labels.size(); ++i)
    label_of_.emplace(old_.labels[i], LabelId(i));
  for (const GraphEdit::NewStream& added : edit_.streams_) {
    GraphStream stream = added.stream;
    stream.label = Label(added.label);
    graph_.contexts[stream.context].streams.push_back(
        static_cast<std::uint32_t>(graph_.streams.size()));
    graph_.streams.push_back(stream);
  }
  for (std::size_t i = 0; i < edit_.threads_.size(); ++i) {
    graph_.threads[old_.threads.size() + i].label = Label(edit_.threads_[i].label);
  }
  for (const std::string& label : edit_.channels_) graph_.channels.push_back({Label(label)});
  const auto append = [](auto& to, const auto& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  append(graph_.record_stream, edit_.record_streams_);
  append(graph_.stream_waits, edit_.stream_waits_);
}

LabelId EditBuild::Label(const std::string& text) {
  const auto [it, is_new] = label_of_.emplace(text, LabelId(graph_.labels.size()));
  if (is_new) graph_.labels.push_back(text);
  return it->second;
}

void EditBuild::Costs() {
  for (std::size_t i = 0; i < edit_.overlay_.interval.size(); ++i) {
    graph_.batches[i].SetInterval(edit_.overlay_.interval[i]);
  }
  if (edit_.overlay_.own.empty()) return;
  for (TaskId task : source_.rows()) {
    if (IsOld(source_[task])) graph_.own[task] = edit_.overlay_.own[source_[task]];
  }
}

void EditBuild::AddedTask(const Added& added, DurationNs own, TaskKind kind,
                          const std::string& label) {
  const TaskId task = added.number;
  graph_.measured_begin[task] = added.measured;
  graph_.measured_end[task] = added.measured;
  graph_.own[task] = own;
  graph_.kind[task] = kind;
  graph_.label[task] = Label(label);
}

void EditBuild::AddedHost(const Added& added) {
  const NewCall& call = edit_.New(source_[added.number]).call;
  AddedTask(added, call.own, call.kind, call.label);
  graph_.question[added.number] = call.question;
}

void EditBuild::AddedOp(const Added& added) {
  const NewOp& op = edit_.New(source_[added.number]).op;
  const OpIndex row = graph_.RowOf(added.number);
  AddedTask(added, op.duration, KindOf(op.op_class), op.label);
  graph_.lane[added.number] = op.stream;
  graph_.op_class[row] = op.op_class;
  graph_.submit[row] = Submit::kAfterOwnCost;
  graph_.engine[row] = graph_.EngineFor(op.stream, op.op_class);
  if (graph_.clock_ahead.empty()) return;
  const GraphDevice& device = graph_.devices[graph_.streams[op.stream].device];
  graph_.clock_ahead[row] = device.AheadAt(added.measured);
}

void EditBuild::MovedOps() {
  for (const auto& [call, op] : issued_) {
    if (!IsOld(op)) continue;
    // It has a call now, and is alone in it or one of others.
    const TaskId number = place_[op];
    graph_.submit[graph_.RowOf(number)] = Submit::kAfterOwnCost;
    graph_.flags[number] &= static_cast<std::uint8_t>(~(kNode | kLastNode | kOverlaps));
  }
  for (const auto& [op, stream] : edit_.stream_of_) {
    if (!place_[op].valid()) continue;
    const TaskId number = place_[op];
    const OpIndex row = graph_.RowOf(number);
    graph_.lane[number] = stream;
    graph_.engine[row] = graph_.EngineFor(stream, graph_.op_class[row]);
    // It overlapped the operation before it on the stream that it was on.
    graph_.flags[number] &= static_cast<std::uint8_t>(~kOverlaps);
  }
}

}  // namespace xsp
