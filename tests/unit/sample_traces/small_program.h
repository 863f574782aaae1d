// One process with one context and one host thread: what most tests of the machine start from.
#pragma once

#include <catch2/catch.hpp>

#include "sample_traces/memory_recording.h"
#include "sample_traces/program.h"
#include "sample_traces/script.h"

namespace xsp::samples::test {

struct SmallProgram {
  Program program;
  int32_t process = program.AddProcess("small");
  int32_t context = program.AddContext(process, 0);
  int32_t stream = program.DefaultStream(context);
  Script script{program, program.AddThread(process, "small")};

  // A kernel that takes `duration_ns` alone and fills `sm_permille` of the device.
  int32_t Kernel(int64_t duration_ns, int32_t sm_permille = 1'000) {
    KernelSpec kernel;
    kernel.demangled = "kernel_" + std::to_string(program.kernels.size()) + "(int)";
    kernel.short_name = kernel.demangled;
    kernel.duration_ns = duration_ns;
    kernel.sm_permille = sm_permille;
    return program.AddKernel(kernel);
  }
};

// A machine without noise and one-time costs.
inline MachineConfig Quiet() {
  MachineConfig config;
  config.call_jitter = config.work_jitter = config.tail_jitter = config.duration_jitter = 0;
  config.context_ns = config.cold_launch_ns = 0;
  return config;
}

// The call that the device work came from.
template <typename Record>
const CallRecord& CallOf(const MemoryRecording& recording, const Record& record) {
  for (const CallRecord& call : recording.calls) {
    if (call.correlation == record.correlation) return call;
  }
  FAIL("no call with correlation " << record.correlation);
  return recording.calls.front();
}

inline const CallRecord& CallNamed(const MemoryRecording& recording, std::string_view name) {
  for (const CallRecord& call : recording.calls) {
    if (call.name.starts_with(name)) return call;
  }
  FAIL("no call " << name);
  return recording.calls.front();
}

template <typename Record>
int64_t Duration(const Record& record) {
  return record.end - record.start;
}

}  // namespace xsp::samples::test
