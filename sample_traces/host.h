// The host side of the machine: threads that work through their operations.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sample_traces/device.h"
#include "sample_traces/event_loop.h"
#include "sample_traces/machine.h"
#include "sample_traces/noise.h"
#include "sample_traces/ordered_log.h"

namespace xsp::samples {

// Operations that touch nothing shared are done at once, ahead of the loop's clock; all others go
// through phases, each at its own time. A phase gives back true when the operation is done.
class HostModel {
 public:
  HostModel(const Program& program, const MachineConfig& config, EventLoop& loop,
            DeviceModel& device, Recorder& recorder);

  // Goes on with a thread: it starts, a phase is due, or what it waited for has come.
  void Resume(int32_t thread);
  void Finish();
  bool AllDone() const;
  int64_t last_end() const { return last_end_; }

 private:
  struct Frame {
    size_t start;
    int64_t repetition;
    int64_t repetitions;
  };
  struct ThreadState {
    int32_t index = 0;
    size_t next = 0;
    int phase = 0;
    int64_t time = 0;
    std::vector<Frame> frames;
    // The call in progress.
    int64_t begin = 0;
    int64_t call = -1;
    int64_t correlation = 0;
    int64_t record = -1;  // sync or OS call
    int64_t polls = 0;    // how often it has asked
    int64_t locked_cost = 0;
    std::deque<int64_t> receives;                           // MPI: mailboxes that were asked for
    std::map<uint32_t, std::pair<int64_t, int64_t>> ticks;  // by op: the first, and how many
    // NVTX.
    std::map<int32_t, std::vector<int64_t>> open_ranges;  // by domain
    std::map<int32_t, int64_t> started_ranges;            // by text
    // Stream capture.
    bool capturing = false;
    std::vector<GraphNode> nodes;
    std::vector<int32_t> capture_streams;
  };
  struct ProcessState {
    int64_t next_correlation = 0;
    int64_t next_node = 1;
    int64_t next_event_sync = 1;
    int64_t next_range = 1;
    bool has_context = false;
    bool is_locked = false;  // a thread is where only one may be
    std::deque<int32_t> lock_waiters;
    std::vector<bool> loaded;  // by function
  };
  struct EventState {
    std::vector<Point> points;
    int64_t sync_id = 0;
  };
  struct SemaphoreState {
    int64_t count = 0;
    std::deque<int32_t> threads;
  };

  // What was sent from one rank to another with one tag, and who waits for more.
  struct Mailbox {
    std::deque<int64_t> arrivals;  // when the data is there
    int32_t waiter = -1;
  };

  bool Perform(ThreadState& thread, const Op& op);
  bool PerformHost(ThreadState& thread, const Op& op);
  bool PerformNvtx(ThreadState& thread, const Op& op);
  bool Post(ThreadState& thread, const Op& op);
  bool Tick(ThreadState& thread, const Op& op);

  // host_mpi.cc
  bool Mpi(ThreadState& thread, const Op& op);
  bool Meet(ThreadState& thread, const Op& op);
  bool Send(ThreadState& thread, const Op& op);
  bool Receive(ThreadState& thread, const Op& op);
  int64_t MailboxOf(const ThreadState& thread, const Op& op) const;
  bool CloseMpi(ThreadState& thread);

  // host_calls.cc
  static constexpr int kLockPhase = 10;  // of a launch: asks for the lock, waits for it, has it
  bool Launch(ThreadState& thread, const Op& op);
  bool TakeLock(ThreadState& thread, int64_t cost);
  bool PassLock(ThreadState& thread);
  bool Copy(ThreadState& thread, const Op& op);
  bool BlockingCopy(ThreadState& thread, const Op& op);
  bool EventCall(ThreadState& thread, const Op& op);
  bool Sync(ThreadState& thread, const Op& op);
  bool Poll(ThreadState& thread, const Op& op);
  bool Allocate(ThreadState& thread, const Op& op);
  bool CaptureCall(ThreadState& thread, const Op& op);
  bool AddNode(ThreadState& thread, const Op& op);
  Command MakeCommand(const ThreadState& thread, const Op& op) const;
  int64_t CopyDuration(const CopySpec& copy) const;
  int64_t LaunchCost(ThreadState& thread, const Op& op);

  void OpenCall(ThreadState& thread, const Op& op, std::string_view name);
  bool CloseCall(ThreadState& thread, int64_t end);
  // Goes on with `phase` after `delay`. Always false: the operation is not done.
  bool Later(ThreadState& thread, int64_t delay, int phase);
  bool Await(ThreadState& thread, int phase);
  uint64_t Bits(const ThreadState& thread, const Op& op, Purpose purpose) const;
  int64_t Cost(const ThreadState& thread, const Op& op, int64_t ns) const;
  int64_t Tail(const ThreadState& thread, const Op& op, int64_t ns) const;
  int64_t Repetition(const ThreadState& thread) const;
  ProcessState& ProcessOf(const ThreadState& thread);
  std::string Text(const ThreadState& thread, const Op& op) const;
  void Block(ThreadState& thread, const Op& op);
  void Unblock(ThreadState& thread, const Op& op);

  const Program& program_;
  const MachineConfig& config_;
  EventLoop& loop_;
  DeviceModel& device_;
  std::vector<ThreadState> threads_;
  std::vector<ProcessState> processes_;
  std::vector<EventState> events_;
  std::vector<SemaphoreState> semaphores_;
  std::vector<std::vector<int32_t>> met_;  // per MPI group: threads that have come
  std::map<int64_t, Mailbox> mailboxes_;
  int64_t next_graph_ = 1;
  uint64_t next_address_ = 0x7f2a40000000ull;
  int64_t last_end_ = 0;
  OrderedLog<CallRecord> call_log_;
  OrderedLog<SyncRecord> sync_log_;
  OrderedLog<EventRecord> event_log_;
  OrderedLog<NvtxRecord> nvtx_log_;
  OrderedLog<OsCallRecord> os_log_;
  OrderedLog<MpiRecord> mpi_log_;
  OrderedLog<SchedRecord> sched_log_;
  OrderedLog<OverheadRecord> overhead_log_;
  OrderedLog<GraphNodeRecord> node_log_;
  OrderedLog<GraphRecord> graph_log_;
  OrderedLog<MemoryRecord> memory_log_;
};

}  // namespace xsp::samples
