// Calls of MPI: ranks that meet, and messages between two of them.
#include "sample_traces/host.h"

namespace xsp::samples {

bool HostModel::Mpi(ThreadState& thread, const Op& op) {
  if (thread.phase == 0) {
    const bool is_collective = op.kind == OpKind::kMpiCollective;
    MpiRecord record{thread.time, thread.time, thread.index, op.text};
    record.kind = is_collective                  ? MpiCallKind::kCollective
                  : op.kind == OpKind::kMpiAwait ? MpiCallKind::kWait
                                                 : MpiCallKind::kPointToPoint;
    if (is_collective) record.group = op.object;
    if (record.kind == MpiCallKind::kPointToPoint) {
      record.tag = op.object;
      record.peer = op.target;
    }
    thread.record = mpi_log_.Open(record);
    return Later(thread, Cost(thread, op, config_.mpi_call_ns), 1);
  }
  switch (op.kind) {
    case OpKind::kMpiCollective:
      return Meet(thread, op);
    case OpKind::kMpiSend:
      return Send(thread, op);
    case OpKind::kMpiPostReceive:
      thread.receives.push_back(MailboxOf(thread, op));
      return CloseMpi(thread);
    default:
      return Receive(thread, op);
  }
}

bool HostModel::CloseMpi(ThreadState& thread) {
  mpi_log_.At(thread.record).end = thread.time;
  mpi_log_.Close(thread.record);
  return true;
}

// All go on when the last has come and the data has moved.
bool HostModel::Meet(ThreadState& thread, const Op& op) {
  if (thread.phase == 2) return CloseMpi(thread);
  std::vector<int32_t>& met = met_[op.object];
  met.push_back(thread.index);
  if (static_cast<int32_t>(met.size()) < program_.mpi_groups[op.object]) return Await(thread, 2);
  const int64_t end =
      thread.time + Jitter(op.amount, config_.tail_jitter, Bits(thread, op, Purpose::kTail));
  for (const int32_t other : met) {
    const int64_t late = static_cast<int64_t>(Mix(static_cast<uint64_t>(end + other)) % 900);
    loop_.At(end + late, Happening::kThread, other);
  }
  met.clear();
  return Await(thread, 2);
}

// From whom to whom, with which tag.
int64_t HostModel::MailboxOf(const ThreadState& thread, const Op& op) const {
  const int64_t own = program_.threads[thread.index].process;
  const bool sends = op.kind == OpKind::kMpiSend;
  const int64_t from = sends ? own : op.target;
  const int64_t to = sends ? op.target : own;
  return (from << 40) | (to << 20) | op.object;
}

// Small messages: the sender does not wait for the receiver.
bool HostModel::Send(ThreadState& thread, const Op& op) {
  Mailbox& box = mailboxes_[MailboxOf(thread, op)];
  const int64_t there =
      thread.time + Jitter(op.amount, config_.tail_jitter, Bits(thread, op, Purpose::kTail));
  if (box.waiter >= 0) {
    loop_.At(there, Happening::kThread, box.waiter);
    box.waiter = -1;
  } else {
    box.arrivals.push_back(there);
  }
  return CloseMpi(thread);
}

bool HostModel::Receive(ThreadState& thread, const Op& op) {
  if (thread.phase == 2) return CloseMpi(thread);
  int64_t key = 0;
  if (op.kind == OpKind::kMpiAwait) {
    key = thread.receives.front();
    thread.receives.pop_front();
  } else {
    key = MailboxOf(thread, op);
  }
  Mailbox& box = mailboxes_[key];
  if (box.arrivals.empty()) {
    box.waiter = thread.index;
    return Await(thread, 2);
  }
  const int64_t there = box.arrivals.front();
  box.arrivals.pop_front();
  return there <= thread.time ? CloseMpi(thread) : Later(thread, there - thread.time, 2);
}

}  // namespace xsp::samples
