#include <algorithm>

#include "sim/edit/edit_build.h"

// Operations of an edited graph, call by call.
namespace xsp {
void EditBuild::Ops() {
  CollectIssued();
  graph_.first_op.reserve(gap_.size() + 1);
  graph_.call.reserve(old_.op_count());
  for (const GraphThread& thread : graph_.threads) {
    last_op_end_ = thread.start;
    for (TaskId call : thread.tasks()) OpsOf(call);
  }
  graph_.first_op.emplace_back(source_.size());
}

// New operations and moved ones, by their calls; of one that was moved twice, the last move counts.
void EditBuild::CollectIssued() {
  PerTask<std::uint8_t> seen(place_.size());
  for (auto it = edit_.issued_.rbegin(); it != edit_.issued_.rend(); ++it) {
    const TaskId call = place_[edit_.CallOf(*it)];
    const bool is_gone = !call.valid() || edit_.FateOf(*it) == GraphEdit::kRemoved;
    if (is_gone || seen[*it] != 0) continue;
    seen[*it] = 1;
    issued_.emplace_back(call, *it);
  }
  std::reverse(issued_.begin(), issued_.end());
  std::stable_sort(issued_.begin(), issued_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

void EditBuild::OpsOf(TaskId call) {
  graph_.first_op.emplace_back(source_.size());
  if (const TaskId was = source_[call]; IsOld(was)) {
    last_op_end_ = std::max(last_op_end_, old_.measured_end[was]);
    for (TaskId op : old_.OpsOf(was)) {
      if (edit_.FateOf(op) == GraphEdit::kStays) PlaceOp(op, call);
    }
  }
  for (; next_issued_ < issued_.size() && issued_[next_issued_].first == call; ++next_issued_) {
    PlaceOp(issued_[next_issued_].second, call);
  }
}

void EditBuild::PlaceOp(TaskId op, TaskId call) {
  const TaskId number(source_.size());
  place_[op] = number;
  source_.push_back(op);
  graph_.call.push_back(call);
  if (IsOld(op)) {
    last_op_end_ = std::max(last_op_end_, old_.measured_end[op]);
  } else {
    added_.push_back({number, last_op_end_});
  }
}

}  // namespace xsp
