#include "graph/readings/back_walk.h"

namespace xsp {

SimTime BackWalk::BeginOf(TaskId task) const {
  return times_ == Times::kSimulated ? schedule_.begin[task]
                                     : SimTime::At(graph_.measured_begin[task]);
}

SimTime BackWalk::FinishOf(TaskId task) const {
  return times_ == Times::kSimulated ? schedule_.finish[task]
                                     : SimTime::At(graph_.measured_end[task]);
}

// Back to the finish that the task waited for.
BackWalk::Piece BackWalk::ToFinish(Binding by) {
  const Piece piece{by.rule, task_, by.source, FinishOf(by.source)};
  Stand(by.source, At::kFinish);
  return piece;
}

// Back to the begin of a task: of this one, or of one whose begin it waited for.
BackWalk::Piece BackWalk::ToBegin(TaskId of, Binding by) {
  const Piece piece{by.rule, task_, of, BeginOf(of)};
  Stand(of, At::kBegin);
  return piece;
}

std::optional<BackWalk::Piece> BackWalk::Next() {
  if (!graph_.IsHost(task_)) {
    if (at_ == At::kBegin) return FromOpBegin();
    const Binding by = schedule_.finish_by[task_];
    return ToBegin(by.source.valid() ? by.source : task_, by);
  }
  if (at_ == At::kBegin) {
    const Binding by = schedule_.begin_by[task_];
    return by.source.valid() ? std::optional(ToFinish(by)) : std::nullopt;
  }
  const Binding by = schedule_.finish_by[task_];
  if (at_ == At::kFinish && Has(by.rule, kHoldsCall)) return ToFinish(by);
  return ToBegin(task_, {task_, Rule::kOwnTime});
}

std::optional<BackWalk::Piece> BackWalk::FromOpBegin() {
  const Binding by = schedule_.begin_by[task_];
  if (!by.source.valid()) return std::nullopt;
  if (by.rule == Rule::kPrefetch) return ToBegin(by.source, by);
  if (by.rule != Rule::kSubmit) return ToFinish(by);
  if (graph_.submit[graph_.RowOf(task_)] != Submit::kAfterOwnCost) return std::nullopt;
  // Where the call's work was over by what the simulation says: the call may have been measured to
  // return a little later, or to go on waiting.
  const bool waits = graph_.question[by.source].WaitsLast();
  const SimTime worked =
      waits ? BeginOf(by.source) + graph_.own[by.source] : schedule_.finish[by.source];
  const Piece piece{by.rule, task_, by.source, worked};
  Stand(by.source, waits ? At::kWorked : At::kFinish);
  return piece;
}

}  // namespace xsp
