#pragma once

#include <cstddef>
#include <cstdint>

// A CUPTI that needs no GPU: the entry points that xsp's library uses, as libcupti has them, and
// behind them what a test wants to have happened. The stand-in for the CUDA driver
// (cuda_standin.cc) tells it what the program did.
//
// XSP_STANDIN, a list of words, says how it behaves:
//   version=N          what cuptiGetVersion says; also how long its records are
//   refuse=KIND:CODE   cuptiActivityEnable answers CODE for this kind
//   subscribe=CODE     cuptiSubscribe answers CODE
//   keep=N             the N-th buffer it asked for is never given back (from 1)
//   newest-first       completed buffers are given back in the reverse order, at flushes only
//   per-thread         one buffer for each thread, as CUPTI 13 does
//   nested             every runtime call makes a driver call with an id of its own, and work
//                      the id of the driver call
//   clock-step=MS      CUPTI's clock jumps forward by so much after the first second
extern "C" {

struct StandinWork {
  std::uint32_t correlation;
  std::uint32_t device;
  std::uint32_t context;
  std::uint32_t stream;
  std::uint64_t start;  // On CUPTI's clock.
  std::uint64_t end;
};

std::uint64_t standin_now();
// A call: id when it begins, record when it ends.
std::uint32_t standin_begin_call(int driver);
void standin_end_call(int driver, std::uint32_t cbid, std::uint32_t correlation,
                      std::uint64_t start, std::uint32_t result);
// The id that work carries which a call launches.
std::uint32_t standin_work_id(std::uint32_t correlation);
void standin_kernel(const StandinWork* work, const char* name, const int* grid, const int* block,
                    std::uint64_t graph_node);
void standin_copy(const StandinWork* work, int kind, int source, int target, std::uint64_t bytes);
void standin_memset(const StandinWork* work, std::uint32_t value, std::uint64_t bytes);
void standin_sync(const StandinWork* work, std::uint32_t event);
void standin_event(const StandinWork* work, std::uint32_t event);
void standin_device(std::uint32_t id);
void standin_context(std::uint32_t context, std::uint32_t device);
void standin_stream(std::uint32_t context, std::uint32_t stream, int flag);
// A callback of a subscriber who asked for it: profiler start and stop, graphs.
void standin_callback(std::uint32_t domain, std::uint32_t id, const void* data);

}  // extern "C"
