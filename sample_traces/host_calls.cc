// CUDA calls: what each costs the host, what it gives to the device and what it waits for.
#include <algorithm>
#include <utility>

#include "sample_traces/host.h"

namespace xsp::samples {
namespace {

constexpr int64_t kKilobyte = 1 << 10;
constexpr int64_t kMegabyte = 1 << 20;

std::string_view CopyName(const CopySpec& copy) {
  if (copy.kind == CopyKind::kPeer) return "cudaMemcpyPeerAsync_v4000";
  return copy.async ? "cudaMemcpyAsync_v3020" : "cudaMemcpy_v3020";
}

bool HasHostEnd(const CopySpec& copy) {
  return copy.kind == CopyKind::kHostToDevice || copy.kind == CopyKind::kDeviceToHost ||
         copy.kind == CopyKind::kHostToHost;
}

bool IsStaged(const CopySpec& copy) {
  return copy.kind == CopyKind::kHostToDevice && copy.host == MemoryKind::kPageable;
}

// Does the call come back only when the copy is done (or all but done)?
bool Blocks(const CopySpec& copy) {
  if (!HasHostEnd(copy)) return false;
  if (copy.kind == CopyKind::kHostToHost) return true;
  if (IsStaged(copy)) return copy.bytes > kMegabyte;
  return !copy.async || copy.host == MemoryKind::kPageable;
}

// How long after the end of a copy to the host its call comes back: the pieces are copied on.
int64_t ReturnTail(const CopySpec& copy) {
  if (copy.host == MemoryKind::kPinned || copy.bytes <= 64 * kKilobyte) return 4'300;
  if (copy.bytes <= kMegabyte) return 58'000;
  return copy.bytes <= 4 * kMegabyte ? 188'000 : 152'000;
}

}  // namespace

void HostModel::OpenCall(ThreadState& thread, const Op& op, std::string_view name) {
  ProcessState& process = ProcessOf(thread);
  thread.begin = thread.time;
  thread.correlation = process.next_correlation;
  process.next_correlation += 1 + static_cast<int64_t>(Bits(thread, op, Purpose::kCold) % 3);
  thread.call = call_log_.Open({thread.time, thread.time, thread.index, name, thread.correlation});
  if (!process.has_context) {
    process.has_context = true;
    thread.time += Jitter(config_.context_ns, 60, Bits(thread, op, Purpose::kCold));
  }
}

bool HostModel::CloseCall(ThreadState& thread, int64_t end) {
  call_log_.At(thread.call).end = end;
  call_log_.Close(thread.call);
  thread.time = end;
  return true;
}

// The first launch of a kernel in a process loads its code.
int64_t HostModel::LaunchCost(ThreadState& thread, const Op& op) {
  switch (op.kind) {
    case OpKind::kMemset:
      return Cost(thread, op, config_.memset_call_ns);
    case OpKind::kGraphLaunch:
      return Cost(thread, op, config_.graph_launch_ns);
    default:
      break;
  }
  const int64_t own = Cost(thread, op, config_.launch_ns);
  ProcessState& process = ProcessOf(thread);
  const auto function = static_cast<size_t>(program_.kernels[op.object].function);
  if (process.loaded[function]) return own;
  process.loaded[function] = true;
  const int64_t load = Jitter(config_.cold_launch_ns, 700, Bits(thread, op, Purpose::kCold));
  overhead_log_.Add(
      {thread.time + 300, thread.time + 300 + load, thread.index, thread.correlation});
  return own + load;
}

Command HostModel::MakeCommand(const ThreadState& thread, const Op& op) const {
  Command command;
  command.correlation = thread.correlation;
  command.noise = Bits(thread, op, Purpose::kDuration);
  command.ready = loop_.now() + SkewedJitter(config_.submit_ns, 250, config_.outliers,
                                             Bits(thread, op, Purpose::kLatency));
  command.object = op.object;
  switch (op.kind) {
    case OpKind::kCollective:
      command.kind = CommandKind::kCollective;
      command.communicator = op.copy.peer;
      command.duration = op.amount;
      break;
    case OpKind::kMemset:
      command.kind = CommandKind::kMemset;
      command.copy.bytes = op.amount;
      command.duration = config_.copy_base_ns + op.amount * 1'000 / config_.device_rate;
      break;
    case OpKind::kGraphLaunch:
      command.kind = CommandKind::kGraph;
      break;
    case OpKind::kCopy:
      command.kind = CommandKind::kCopy;
      command.copy = op.copy;
      command.duration = CopyDuration(op.copy);
      break;
    default: {
      const auto device =
          static_cast<size_t>(program_.contexts[program_.streams[op.target].context].device);
      const int64_t slowness = device < config_.slowness.size() ? config_.slowness[device] : 1'000;
      command.duration = program_.kernels[op.object].duration_ns * slowness / 1'000;
      break;
    }
  }
  command.duration = Jitter(command.duration, config_.duration_jitter, command.noise);
  return command;
}

int64_t HostModel::CopyDuration(const CopySpec& copy) const {
  int64_t rate = copy.host == MemoryKind::kPinned ? config_.pinned_rate : config_.pageable_rate;
  // Small pageable copies leave from a staging buffer, which is pinned.
  if (IsStaged(copy) && copy.bytes <= kMegabyte) rate = config_.pinned_rate;
  if (copy.kind == CopyKind::kDeviceToDevice) rate = config_.device_rate;
  if (copy.kind == CopyKind::kPeer) rate = config_.peer_rate;
  if (copy.kind == CopyKind::kHostToHost) rate = config_.host_rate;
  return config_.copy_base_ns + copy.bytes * 1'000 / rate;
}

// Kernel, memset, graph: the call's own work, a place in the queue, then it comes back.
bool HostModel::Launch(ThreadState& thread, const Op& op) {
  if (thread.phase == 0) {
    const bool is_kernel = op.kind == OpKind::kLaunch || op.kind == OpKind::kCollective;
    OpenCall(thread, op,
             op.kind == OpKind::kMemset        ? "cudaMemsetAsync_v3020"
             : op.kind == OpKind::kGraphLaunch ? "cudaGraphLaunch_v10000"
                                               : std::string_view(program_.kernels[op.object].api));
    if (thread.capturing && (is_kernel || op.kind == OpKind::kMemset)) return AddNode(thread, op);
    return TakeLock(thread, LaunchCost(thread, op));
  }
  if (thread.phase >= kLockPhase && !PassLock(thread)) return false;
  if (thread.phase == 1 && !device_.AcquirePlace(op.target, thread.index)) return Await(thread, 2);
  if (thread.phase == 3) {
    return CloseCall(thread, thread.time + Tail(thread, op, config_.stream_sync_tail_ns));
  }
  const int64_t tail = thread.phase == 2 ? Tail(thread, op, config_.queue_tail_ns) : 0;
  device_.Issue(op.target, MakeCommand(thread, op));
  if (config_.launch_blocking || op.flag) {
    if (!device_.WaitFor(thread.index, device_.StreamPoints(op.target))) return Await(thread, 3);
  }
  return CloseCall(thread, thread.time + tail);
}

// The driver does part of a launch alone: threads of one process that launch take turns.
bool HostModel::TakeLock(ThreadState& thread, int64_t cost) {
  if (config_.lock_permille == 0) return Later(thread, cost, 1);
  thread.locked_cost = cost * config_.lock_permille / 1'000;
  return Later(thread, cost - thread.locked_cost, kLockPhase);
}

bool HostModel::PassLock(ThreadState& thread) {
  ProcessState& process = ProcessOf(thread);
  if (thread.phase == kLockPhase && std::exchange(process.is_locked, true)) {
    process.lock_waiters.push_back(thread.index);
    return Await(thread, kLockPhase + 1);
  }
  if (thread.phase < kLockPhase + 2) return Later(thread, thread.locked_cost, kLockPhase + 2);
  process.is_locked = !process.lock_waiters.empty();
  if (process.is_locked) {
    loop_.At(loop_.now() + config_.lock_pass_ns, Happening::kThread, process.lock_waiters.front());
    process.lock_waiters.pop_front();
  }
  thread.phase = 1;
  return true;
}

// Copies that do not wait. Pageable memory up to 1 MB is staged by the host first; cudaMemcpy does
// not even begin with that before the stream is idle.
bool HostModel::Copy(ThreadState& thread, const Op& op) {
  if (Blocks(op.copy)) return BlockingCopy(thread, op);
  const bool staged = IsStaged(op.copy);
  switch (thread.phase) {
    case 0:
      OpenCall(thread, op, CopyName(op.copy));
      return Later(thread, 900, 1);
    case 1:
      if (staged && !op.copy.async &&
          !device_.WaitFor(thread.index, device_.StreamPoints(op.target))) {
        return Await(thread, 2);
      }
      [[fallthrough]];
    case 2: {
      const int64_t staging = staged ? op.copy.bytes * 1'000 / config_.host_rate : 0;
      return Later(thread, Cost(thread, op, config_.copy_call_ns) - 900 + staging, 3);
    }
    case 3:
      if (!device_.AcquirePlace(op.target, thread.index)) return Await(thread, 4);
      [[fallthrough]];
    default: {
      const int64_t tail = thread.phase == 4 ? Tail(thread, op, config_.queue_tail_ns) : 0;
      device_.Issue(op.target, MakeCommand(thread, op));
      return CloseCall(thread, thread.time + tail);
    }
  }
}

// Copies whose call lasts as long as they do.
bool HostModel::BlockingCopy(ThreadState& thread, const Op& op) {
  const bool staged = IsStaged(op.copy);
  switch (thread.phase) {
    case 0: {
      OpenCall(thread, op, CopyName(op.copy));
      const int64_t until_start = staged ? config_.staging_start_ns : config_.copy_start_ns;
      return Later(thread, Cost(thread, op, until_start - config_.submit_ns), 1);
    }
    case 1:
      if (!device_.AcquirePlace(op.target, thread.index)) return Await(thread, 2);
      [[fallthrough]];
    case 2: {
      Command command = MakeCommand(thread, op);
      command.waiter = thread.index;
      command.waiter_tail = staged ? -Tail(thread, op, config_.staging_lead_ns)
                                   : Tail(thread, op, ReturnTail(op.copy));
      device_.Issue(op.target, std::move(command));
      return Await(thread, 3);
    }
    default:
      return CloseCall(thread, thread.time);
  }
}

bool HostModel::EventCall(ThreadState& thread, const Op& op) {
  const bool records = op.kind == OpKind::kEventRecord;
  if (thread.phase == 0) {
    OpenCall(thread, op, records ? "cudaEventRecord_v3020" : "cudaStreamWaitEvent_v3020");
    return Later(thread, Cost(thread, op, config_.event_call_ns), 1);
  }
  EventState& event = events_[op.object];
  if (records) {
    event.points = device_.StreamPoints(op.target);
    event.sync_id = ProcessOf(thread).next_event_sync++;
    event_log_.Add({thread.begin, op.target, op.object, event.sync_id, thread.correlation});
  } else {
    device_.Hold(op.target, event.points);
    sync_log_.Add({thread.begin + 210, thread.time - 160, program_.streams[op.target].context,
                   op.target, op.object, event.sync_id, thread.correlation});
  }
  return CloseCall(thread, thread.time);
}

bool HostModel::Sync(ThreadState& thread, const Op& op) {
  const bool is_stream = op.kind == OpKind::kStreamSync;
  const bool is_event = op.kind == OpKind::kEventSync;
  const int32_t context = is_stream ? program_.streams[op.target].context : op.target;
  if (thread.phase == 0) {
    OpenCall(thread, op,
             is_stream  ? "cudaStreamSynchronize_v3020"
             : is_event ? "cudaEventSynchronize_v3020"
                        : "cudaDeviceSynchronize_v3020");
    SyncRecord record{thread.time + 190,
                      0,
                      context,
                      is_stream ? op.target : -1,
                      is_event ? op.object : -1,
                      is_event ? events_[op.object].sync_id : 0,
                      thread.correlation};
    thread.record = sync_log_.Open(record);
    return Later(thread, Cost(thread, op, config_.sync_call_ns), 1);
  }
  if (thread.phase == 1) {
    const std::vector<Point> points = is_stream  ? device_.StreamPoints(op.target)
                                      : is_event ? events_[op.object].points
                                                 : device_.ContextPoints(op.target);
    if (!device_.WaitFor(thread.index, points)) return Await(thread, 2);
  }
  const int64_t tail = is_stream  ? config_.stream_sync_tail_ns
                       : is_event ? config_.event_sync_tail_ns
                                  : config_.device_sync_tail_ns;
  const int64_t end = thread.time + (thread.phase == 2 ? Tail(thread, op, tail) : 0);
  sync_log_.At(thread.record).end = end - 170;
  sync_log_.Close(thread.record);
  return CloseCall(thread, end);
}

// A query answers at once. One that finds the work undone is made again after a pause.
bool HostModel::Poll(ThreadState& thread, const Op& op) {
  constexpr int64_t kNotReady = 600;
  const bool is_stream = op.kind == OpKind::kPollStream;
  const uint64_t bits =
      Mix(Bits(thread, op, Purpose::kOwnCost) + static_cast<uint64_t>(thread.polls));
  if (thread.phase == 0) {
    OpenCall(thread, op, is_stream ? "cudaStreamQuery_v3020" : "cudaEventQuery_v3020");
    return Later(thread, Jitter(config_.query_call_ns, config_.call_jitter, bits), 1);
  }
  const std::vector<Point> points =
      is_stream ? device_.StreamPoints(op.target) : events_[op.object].points;
  const bool is_done = device_.Reached(points);
  sync_log_.Add({thread.begin + 190, thread.time - 170,
                 is_stream ? program_.streams[op.target].context : op.target,
                 is_stream ? op.target : -1, is_stream ? -1 : op.object,
                 is_stream ? 0 : events_[op.object].sync_id, thread.correlation});
  call_log_.At(thread.call).returned = is_done ? 0 : kNotReady;
  CloseCall(thread, thread.time);
  if (is_done) {
    thread.polls = 0;
    return true;
  }
  ++thread.polls;
  const int64_t pause = Jitter(op.amount, op.flag ? 900 : config_.work_jitter, Mix(bits));
  if (op.text >= 0) os_log_.Add({thread.time, thread.time + pause, thread.index, op.text});
  return Later(thread, pause, 0);
}

// Allocation that waits does so for everything the context has outstanding, then does its work.
bool HostModel::Allocate(ThreadState& thread, const Op& op) {
  const bool pooled = op.kind == OpKind::kMallocAsync || op.kind == OpKind::kFreeAsync;
  const bool frees = op.kind == OpKind::kFree || op.kind == OpKind::kFreeAsync;
  const int32_t context = pooled ? program_.streams[op.target].context : op.target;
  if (thread.phase == 0) {
    OpenCall(thread, op,
             pooled ? (frees ? "cudaFreeAsync_v11020" : "cudaMallocAsync_v11020")
                    : (frees ? "cudaFree_v3020" : "cudaMalloc_v3020"));
    return Later(thread, 400, 1);
  }
  if (thread.phase == 1 && op.flag &&
      !device_.WaitFor(thread.index, device_.ContextPoints(context))) {
    return Await(thread, 2);
  }
  const int64_t end =
      thread.time + Cost(thread, op, pooled ? config_.pool_malloc_ns : config_.malloc_ns);
  if (!frees) next_address_ += static_cast<uint64_t>((op.amount + 511) / 512 * 512);
  memory_log_.Add({end - 300, context, next_address_, op.amount, frees, thread.correlation});
  return CloseCall(thread, end);
}

}  // namespace xsp::samples
