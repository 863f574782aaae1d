// The device side of the machine: streams, launch queue, copy engines, multiprocessors.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sample_traces/event_loop.h"
#include "sample_traces/machine.h"
#include "sample_traces/ordered_log.h"

namespace xsp::samples {

// "The first `count` commands of the stream have finished."
struct Point {
  int32_t stream = 0;
  int64_t count = 0;
};

// A kernel or memset in a graph. Nodes of one lane run in order, lanes beside each other.
struct GraphNode {
  int32_t kernel = -1;  // -1: a memset of `bytes`
  int64_t bytes = 0;
  int32_t lane = 0;
  int64_t captured_id = 0;
  int64_t id = 0;  // in the instantiated graph
};

struct Graph {
  std::vector<GraphNode> nodes;
  int32_t lanes = 0;
  int64_t id = 0;
  int64_t exec_id = -1;
};

enum class CommandKind : uint8_t { kKernel, kCollective, kCopy, kMemset, kGraph };

// Work for a stream. `duration` is what it takes alone; for a collective, once all have come.
struct Command {
  CommandKind kind = CommandKind::kKernel;
  int64_t ready = 0;  // cannot start earlier: the submission takes until then
  int64_t duration = 0;
  int64_t correlation = 0;
  uint64_t noise = 0;
  int32_t object = -1;  // kernel, or graph
  int32_t communicator = -1;
  CopySpec copy;        // copies; a memset uses its size
  int32_t waiter = -1;  // copies: this thread goes on `waiter_tail` after the end (or before it)
  int64_t waiter_tail = 0;
  std::vector<Point> waits_for;
};

class DeviceModel {
 public:
  DeviceModel(const Program& program, const MachineConfig& config, EventLoop& loop,
              Recorder& recorder);

  // Asks for a place in the stream's launch queue. False: there is none; the thread is resumed
  // once it has one. A place that was got must be used by Issue.
  bool AcquirePlace(int32_t stream, int32_t thread);
  void Issue(int32_t stream, Command command);

  // What a thread or a later command would wait for at this moment.
  std::vector<Point> StreamPoints(int32_t stream) const;
  std::vector<Point> ContextPoints(int32_t context) const;
  // Later commands of the stream wait for the points, too.
  void Hold(int32_t stream, const std::vector<Point>& points);
  // True when all points are reached; else the thread is resumed at the moment they are.
  bool WaitFor(int32_t thread, const std::vector<Point>& points);
  bool Reached(const std::vector<Point>& points) const;

  void Handle(const Pending& happening);
  void Finish();

  std::vector<Graph>& graphs() { return graphs_; }
  int64_t kernels() const { return kernels_; }
  int64_t last_end() const { return last_end_; }

 private:
  struct Waiter {
    int64_t count;
    bool is_thread;
    int32_t index;
  };
  struct StreamState {
    std::deque<Command> queue;
    bool busy = false;  // the first command runs, waits for an engine, or is about to start
    int64_t issued = 0;
    int64_t finished = 0;
    int64_t last_end = -1'000'000;
    int64_t released = 0;  // when the last of what the first command waits for was done
    int32_t unmet = 0;
    int64_t record = -1;     // handle in the log of the running command
    int32_t lanes_left = 0;  // of the running graph
    std::vector<Point> held;
    std::vector<Waiter> waiters;
    std::deque<int64_t> places;  // of the commands in the queue
  };
  struct ContextState {
    int64_t next_grid = 1;
  };
  struct LaunchQueue {
    std::deque<bool> outstanding;  // true: finished, but an earlier one is not
    int64_t first_place = 0;
    int32_t finished = 0;  // of those outstanding
    int32_t reserved = 0;
    std::deque<int32_t> waiting_threads;
  };
  struct Engine {
    bool busy = false;
    std::deque<int32_t> streams;
  };
  // A kernel (or graph node) that occupies multiprocessors.
  struct Running {
    int32_t stream = 0;
    int32_t lane = -1;  // of a graph, -1: a command of its own
    size_t node = 0;
    int64_t record = -1;
    int64_t left = 0;  // ns × ‰ of full speed
    int64_t updated = 0;
    int64_t rate = 0;    // ‰ of full speed; 0: ends at a fixed time
    int32_t demand = 0;  // ‰ of the multiprocessors
    int64_t ticket = 0;
    bool active = false;
  };
  struct Meeting {  // one collective: who has come
    std::vector<int32_t> slots;
    int64_t transfer = 0;
  };
  struct CommState {
    std::vector<int64_t> next_of_rank;
    int64_t first = 0;
    std::deque<Meeting> meetings;
  };

  int32_t DeviceOf(int32_t stream) const;
  int64_t Skewed(int32_t stream, int64_t time) const;
  int64_t Gap(const StreamState& state) const;
  int64_t Gap(int32_t stream, int64_t ns) const;  // before its next command, of another sort
  DeviceRecord NewRecord(int32_t stream) const;
  bool ResolveWaits(int32_t stream);
  void TryStart(int32_t stream);
  void Start(int32_t stream);
  void StartCopy(int32_t stream);
  void StartMemset(int32_t stream);
  void StartKernel(int32_t stream);
  void StartGraph(int32_t stream);
  void StartNode(int32_t stream, size_t node);
  void EndNode(int32_t stream, size_t node);
  void JoinMeeting(int32_t stream, int32_t slot);
  int32_t Occupy(Running running, int32_t device);
  void Rebalance(int32_t device);
  void EndRunning(int32_t slot);
  void EndTransfer(int32_t stream);
  void EndCommand(int32_t stream);
  LaunchQueue& QueueOf(int32_t stream);
  bool IsFull(const LaunchQueue& queue) const;
  void Retire(int32_t stream, int64_t place);
  void Notify(int32_t stream);
  Engine* EngineOf(int32_t stream, const CopySpec& copy);

  const Program& program_;
  const MachineConfig& config_;
  EventLoop& loop_;
  std::vector<DeviceClock> clocks_;
  std::vector<StreamState> streams_;
  std::vector<ContextState> contexts_;
  std::vector<LaunchQueue> queues_;  // per context, or per stream
  std::vector<std::vector<int32_t>> context_streams_;
  std::vector<Engine> engines_;               // per device: to device, to host
  std::vector<std::vector<int32_t>> active_;  // per device: slots in running_
  std::vector<Running> running_;
  std::vector<int32_t> free_slots_;
  std::vector<CommState> communicators_;
  std::vector<int32_t> thread_unmet_;
  std::vector<Graph> graphs_;
  int64_t kernels_ = 0;
  int64_t last_end_ = 0;
  OrderedLog<KernelRecord> kernel_log_;
  OrderedLog<CopyRecord> copy_log_;
  OrderedLog<MemsetRecord> memset_log_;
  OrderedLog<GraphSpanRecord> span_log_;
};

}  // namespace xsp::samples
