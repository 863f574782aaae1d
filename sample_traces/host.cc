// Threads, their clocks and what needs no CUDA call. The calls: host_calls.cc, host_capture.cc.
#include "sample_traces/host.h"

#include <algorithm>
#include <utility>

namespace xsp::samples {
namespace {

constexpr int32_t kNvtxMark = 34;
constexpr int32_t kNvtxThreadName = 39;
constexpr int32_t kNvtxPushPop = 59;
constexpr int32_t kNvtxStartEnd = 60;

}  // namespace

HostModel::HostModel(const Program& program, const MachineConfig& config, EventLoop& loop,
                     DeviceModel& device, Recorder& recorder)
    : program_(program),
      config_(config),
      loop_(loop),
      device_(device),
      threads_(program.threads.size()),
      processes_(program.processes.size()),
      events_(program.events.size()),
      semaphores_(program.semaphores.size()),
      met_(program.mpi_groups.size()),
      call_log_(recorder, loop),
      sync_log_(recorder, loop),
      event_log_(recorder, loop),
      nvtx_log_(recorder, loop),
      os_log_(recorder, loop),
      mpi_log_(recorder, loop),
      sched_log_(recorder, loop),
      overhead_log_(recorder, loop),
      node_log_(recorder, loop),
      graph_log_(recorder, loop),
      memory_log_(recorder, loop) {
  for (ProcessState& process : processes_) {
    // Low and alike in all processes, as in real exports: the same number means different calls.
    process.next_correlation = 113;
    process.loaded.assign(program.strings.size(), false);
  }
  for (size_t i = 0; i < semaphores_.size(); ++i) semaphores_[i].count = program.semaphores[i];
  for (size_t i = 0; i < threads_.size(); ++i) {
    threads_[i].index = static_cast<int32_t>(i);
    loop.At(program.threads[i].start_ns, Happening::kThread, static_cast<int32_t>(i));
  }
}

void HostModel::Resume(int32_t index) {
  ThreadState& thread = threads_[index];
  const std::vector<Op>& ops = program_.threads[index].ops;
  thread.time = loop_.now();
  while (thread.next < ops.size()) {
    const Op& op = ops[thread.next];
    const bool due = op.every == 1 || (Repetition(thread) + 1) % op.every == 0;
    if (due && !Perform(thread, op)) return;
    thread.phase = 0;
    ++thread.next;
  }
  last_end_ = std::max(last_end_, thread.time);
}

bool HostModel::AllDone() const {
  for (const ThreadState& thread : threads_) {
    if (thread.next < program_.threads[thread.index].ops.size()) return false;
  }
  return true;
}

void HostModel::Finish() {
  call_log_.Finish();
  sync_log_.Finish();
  event_log_.Finish();
  nvtx_log_.Finish();
  os_log_.Finish();
  mpi_log_.Finish();
  sched_log_.Finish();
  overhead_log_.Finish();
  node_log_.Finish();
  graph_log_.Finish();
  memory_log_.Finish();
}

bool HostModel::Perform(ThreadState& thread, const Op& op) {
  switch (op.kind) {
    case OpKind::kLaunch:
    case OpKind::kCollective:
    case OpKind::kMemset:
    case OpKind::kGraphLaunch:
      return Launch(thread, op);
    case OpKind::kCopy:
      return Copy(thread, op);
    case OpKind::kEventRecord:
    case OpKind::kStreamWait:
      return EventCall(thread, op);
    case OpKind::kEventSync:
    case OpKind::kStreamSync:
    case OpKind::kDeviceSync:
      return Sync(thread, op);
    case OpKind::kPollStream:
    case OpKind::kPollEvent:
      return Poll(thread, op);
    case OpKind::kMalloc:
    case OpKind::kFree:
    case OpKind::kMallocAsync:
    case OpKind::kFreeAsync:
      return Allocate(thread, op);
    case OpKind::kBeginCapture:
    case OpKind::kEndCapture:
    case OpKind::kInstantiate:
      return CaptureCall(thread, op);
    case OpKind::kMpiCollective:
    case OpKind::kMpiSend:
    case OpKind::kMpiReceive:
    case OpKind::kMpiPostReceive:
    case OpKind::kMpiAwait:
      return Mpi(thread, op);
    default:
      return PerformHost(thread, op);
  }
}

bool HostModel::PerformHost(ThreadState& thread, const Op& op) {
  switch (op.kind) {
    case OpKind::kWork:
      thread.time += Jitter(op.amount, config_.work_jitter, Bits(thread, op, Purpose::kOwnCost));
      return true;
    case OpKind::kOsCall: {
      const int64_t start = thread.time;
      thread.time += Cost(thread, op, op.amount);
      os_log_.Add({start, thread.time, thread.index, op.text});
      return true;
    }
    case OpKind::kApiCall:
      OpenCall(thread, op, program_.strings[op.text]);
      return CloseCall(thread, thread.time + Cost(thread, op, op.amount));
    case OpKind::kPost:
      return Post(thread, op);
    case OpKind::kTick:
      return Tick(thread, op);
    case OpKind::kWait: {
      if (thread.phase == 0) return Later(thread, 0, 1);
      if (thread.phase == 2) {
        Unblock(thread, op);
        return true;
      }
      SemaphoreState& semaphore = semaphores_[op.target];
      if (semaphore.count > 0) {
        --semaphore.count;
        return true;
      }
      Block(thread, op);
      semaphore.threads.push_back(thread.index);
      return Await(thread, 2);
    }
    case OpKind::kLoop:
      if (op.amount > 0) {
        thread.frames.push_back({thread.next, 0, op.amount});
        return true;
      }
      for (int depth = 1; depth > 0;) {
        const OpKind kind = program_.threads[thread.index].ops[++thread.next].kind;
        depth += kind == OpKind::kLoop ? 1 : kind == OpKind::kEndLoop ? -1 : 0;
      }
      return true;
    case OpKind::kEndLoop: {
      Frame& frame = thread.frames.back();
      if (++frame.repetition < frame.repetitions) {
        thread.next = frame.start;
      } else {
        thread.frames.pop_back();
      }
      return true;
    }
    default:
      return PerformNvtx(thread, op);
  }
}

bool HostModel::Post(ThreadState& thread, const Op& op) {
  if (thread.phase == 0) return Later(thread, 0, 1);
  SemaphoreState& semaphore = semaphores_[op.target];
  if (semaphore.threads.empty()) {
    ++semaphore.count;
    return true;
  }
  const int64_t delay = Jitter(config_.wake_ns, 350, Bits(thread, op, Purpose::kWake));
  loop_.At(loop_.now() + delay, Happening::kThread, semaphore.threads.front());
  semaphore.threads.pop_front();
  if (op.text < 0) return true;
  const int64_t start = thread.time;
  thread.time += Cost(thread, op, config_.signal_ns);
  os_log_.Add({start, thread.time, thread.index, op.text});
  return true;
}

bool HostModel::Tick(ThreadState& thread, const Op& op) {
  if (thread.phase == 1) {
    Unblock(thread, op);
    return true;
  }
  auto& [first, count] = thread.ticks.try_emplace(op.uid, thread.time, 0).first->second;
  const int64_t late = Jitter(config_.wake_ns, 350, Bits(thread, op, Purpose::kWake));
  const int64_t off = Jitter(op.first[0], 1'000, Bits(thread, op, Purpose::kLatency));
  const int64_t due = first + ++count * op.amount + off + late;
  if (due <= thread.time) return true;
  Block(thread, op);
  return Later(thread, due - thread.time, 1);
}

bool HostModel::PerformNvtx(ThreadState& thread, const Op& op) {
  NvtxRecord record;
  record.start = thread.time;
  record.thread = thread.index;
  record.domain = op.domain;
  record.registered = op.flag;
  record.color = op.color;
  record.payload = op.payload;
  if (op.payload >= 0) record.numbers = {op.first[0], op.amount, op.first[1]};
  if (op.text >= 0) record.text = Text(thread, op);
  thread.time += config_.nvtx_ns;
  switch (op.kind) {
    case OpKind::kPush:
      record.type = kNvtxPushPop;
      thread.open_ranges[op.domain].push_back(nvtx_log_.Open(std::move(record)));
      break;
    case OpKind::kPop: {
      std::vector<int64_t>& open = thread.open_ranges[op.domain];
      nvtx_log_.At(open.back()).end = thread.time;
      nvtx_log_.Close(open.back());
      open.pop_back();
      break;
    }
    case OpKind::kRangeStart:
      record.type = kNvtxStartEnd;
      record.range = ProcessOf(thread).next_range++;
      thread.started_ranges[op.text] = nvtx_log_.Open(std::move(record));
      break;
    case OpKind::kRangeEnd: {
      const int64_t handle = thread.started_ranges.at(op.text);
      nvtx_log_.At(handle).end = thread.time;
      nvtx_log_.Close(handle);
      break;
    }
    default:
      record.type = op.kind == OpKind::kMark ? kNvtxMark : kNvtxThreadName;
      nvtx_log_.Add(std::move(record));
      break;
  }
  return true;
}

void HostModel::Block(ThreadState& thread, const Op& op) {
  thread.record = -1;
  if (op.text < 0) return;
  thread.record = os_log_.Open({thread.time, thread.time, thread.index, op.text});
  sched_log_.Add({thread.time + 1'800, thread.index, thread.index % 8, false});
}

void HostModel::Unblock(ThreadState& thread, const Op&) {
  if (thread.record < 0) return;
  sched_log_.Add({thread.time - 1'200, thread.index, thread.index % 8, true});
  os_log_.At(thread.record).end = thread.time;
  os_log_.Close(thread.record);
}

bool HostModel::Later(ThreadState& thread, int64_t delay, int phase) {
  thread.phase = phase;
  loop_.At(thread.time + delay, Happening::kThread, thread.index);
  return false;
}

bool HostModel::Await(ThreadState& thread, int phase) {
  thread.phase = phase;
  return false;
}

uint64_t HostModel::Bits(const ThreadState& thread, const Op& op, Purpose purpose) const {
  uint64_t repetition = 0;
  for (const Frame& frame : thread.frames) {
    repetition = Mix(repetition) + static_cast<uint64_t>(frame.repetition);
  }
  return Noise(config_.seed, op.uid, repetition, purpose);
}

int64_t HostModel::Cost(const ThreadState& thread, const Op& op, int64_t ns) const {
  return Jitter(ns, config_.call_jitter, Bits(thread, op, Purpose::kOwnCost));
}

int64_t HostModel::Tail(const ThreadState& thread, const Op& op, int64_t ns) const {
  return SkewedJitter(ns, config_.tail_jitter, config_.outliers, Bits(thread, op, Purpose::kTail));
}

// Counted through nested loops: ten times in a loop of three is repetition 0 to 29.
int64_t HostModel::Repetition(const ThreadState& thread) const {
  int64_t repetition = 0;
  for (const Frame& frame : thread.frames) {
    repetition = repetition * frame.repetitions + frame.repetition;
  }
  return repetition;
}

HostModel::ProcessState& HostModel::ProcessOf(const ThreadState& thread) {
  return processes_[program_.threads[thread.index].process];
}

std::string HostModel::Text(const ThreadState& thread, const Op& op) const {
  const std::string& pattern = program_.strings[op.text];
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] != '%' || (next != '0' && next != '1')) {
      text += pattern[i];
      continue;
    }
    const auto which = static_cast<size_t>(pattern[++i] - '0');
    text += std::to_string(op.first[which] + op.stride[which] * Repetition(thread));
  }
  return text;
}

}  // namespace xsp::samples
