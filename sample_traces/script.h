// Writes the operations of one host thread.
#pragma once

#include <string_view>

#include "sample_traces/program.h"

namespace xsp::samples {

// Appends operations to one thread of a program, in order. Every call gives back the operation, so
// that a caller can set what is rare: groups, colours, numbers in texts. The reference is valid
// until the next call.
class Script {
 public:
  Script(Program& program, int32_t thread) : program_(program), thread_(thread) {}

  Program& program() { return program_; }
  int32_t thread() const { return thread_; }

  // NVTX. In texts %0 and %1 become first[i] + stride[i] * repetition.
  Op& Push(std::string_view text, int64_t first = 0, int64_t stride = 0);
  Op& PushRegistered(std::string_view text, int32_t domain = 0);
  Op& Pop(int32_t domain = 0);
  Op& Mark(std::string_view text);
  Op& RangeStart(std::string_view text);  // the matching RangeEnd names the same text
  Op& RangeEnd(std::string_view text);
  Op& NameThread(std::string_view text);

  // Device work.
  Op& Launch(int32_t kernel, int32_t stream);
  Op& Collective(int32_t kernel, int32_t stream, int32_t communicator, int64_t transfer_ns);
  Op& Copy(const CopySpec& copy, int32_t stream);
  Op& Memset(int64_t bytes, int32_t stream);
  Op& EventRecord(int32_t event, int32_t stream);
  Op& StreamWait(int32_t stream, int32_t event);

  // Waiting for the device.
  Op& EventSync(int32_t event);
  Op& StreamSync(int32_t stream);
  Op& DeviceSync(int32_t context);
  // Asks again and again, until all is done: after `pause` ns each, which are the host's own, or
  // pass in an OS call that a profiler sees.
  Op& PollStream(int32_t stream, int64_t pause, std::string_view os_call = "");
  Op& PollEvent(int32_t event, int64_t pause, std::string_view os_call = "");
  Op& Malloc(int32_t context, int64_t bytes, bool waits);
  Op& Free(int32_t context, int64_t bytes, bool waits = true);
  Op& MallocAsync(int32_t stream, int64_t bytes);
  Op& FreeAsync(int32_t stream, int64_t bytes);

  // CUDA graphs: launches between Begin- and EndCapture become nodes. Nodes captured on one stream
  // run in order; those of different streams run beside each other.
  Op& BeginCapture(int32_t stream);
  Op& EndCapture(int32_t stream, int32_t graph);
  Op& Instantiate(int32_t graph);
  Op& GraphLaunch(int32_t graph, int32_t stream);

  // The host itself.
  Op& Work(int64_t ns);
  Op& OsCall(std::string_view name, int64_t ns);
  Op& ApiCall(std::string_view name, int64_t ns);
  // `os_call` names the call that a profiler sees where it wakes somebody up: it takes less than a
  // profiler looks at where it does not (may be empty).
  Op& Post(int32_t semaphore, std::string_view os_call = "");
  // Waits until the semaphore was posted; `os_call` names the call that a profiler sees (may be
  // empty).
  Op& Wait(int32_t semaphore, std::string_view os_call = "pthread_cond_wait");
  // Sleeps until the next multiple of `period_ns` since the thread came here first, which may be
  // off by up to `jitter_ns`; not at all if that is over. `os_call` may be empty.
  Op& Tick(int64_t period_ns, int64_t jitter_ns = 0, std::string_view os_call = "clock_nanosleep");

  // MPI. The data takes `transfer` ns: from when the last rank has come, or from the send.
  Op& MpiCollective(std::string_view name, int32_t group, int64_t transfer);
  Op& MpiSend(int32_t rank, int32_t tag, int64_t transfer);
  Op& MpiReceive(int32_t rank, int32_t tag);
  // A receive that is only asked for; MpiAwait waits for the oldest of these.
  Op& MpiPostReceive(int32_t rank, int32_t tag);
  Op& MpiAwait();

  Op& Loop(int64_t repetitions);
  Op& EndLoop();

 private:
  Op& Add(OpKind kind);

  Program& program_;
  int32_t thread_;
};

}  // namespace xsp::samples
