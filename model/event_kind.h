#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace xsp {

// What an event is. Events of one kind stand together in a trace, in this order, so the order is
// part of the model: kinds that share a table of details must be neighbours.
enum class EventKind : std::uint8_t {
  // Device work, on stream tracks (migrations: on tracks of their own).
  kKernel,
  kMemcpy,
  kMigration,  // A unified-memory migration: a copy that no call asked for.
  kMemset,
  kGraphSpan,  // A whole CUDA graph, traced as one piece: its kernels are not in the trace.
  // The CUDA programming interface, on thread tracks.
  kApi,           // A runtime or driver call.
  kApiBacktrace,  // nsys' second row for a call, wider and with the call chain. Not a call: only
                  // NVIDIA's own tables count it.
  kSync,          // A wait (or a stream-wait-event), with its target.
  kEventRecord,   // cudaEventRecord.
  kGraphObject,   // A CUDA graph, executable graph or graph node came into being.
  // Ranges and marks.
  kNvtxPushPop,
  kNvtxStartEnd,
  kNvtxMark,
  // The rest of the host.
  kOsrt,       // An operating-system runtime call.
  kMpi,        // An MPI call.
  kLibrary,    // A cuDNN or cuBLAS call.
  kDirective,  // An OpenACC or OpenMP region.
  kMemory,     // A device memory allocation or release.
  kMemoryPool,
  kPageFault,  // A unified-memory page fault, on the CPU or the GPU.
  kOverhead,   // Time the profiler itself took.
  kSample,     // A CPU sample with its call chain.
  kSched,      // A thread was scheduled in or out.
  kGpuMetric,  // A sampled hardware counter.
};

inline constexpr std::size_t kEventKindCount = static_cast<std::size_t>(EventKind::kGpuMetric) + 1;

constexpr std::size_t IndexOf(EventKind kind) { return static_cast<std::size_t>(kind); }

// All kinds, in the order in which they stand in a trace.
constexpr std::array<EventKind, kEventKindCount> AllEventKinds() {
  std::array<EventKind, kEventKindCount> kinds{};
  for (std::size_t i = 0; i < kEventKindCount; ++i) kinds[i] = static_cast<EventKind>(i);
  return kinds;
}

// The name used in files and in JSON, such as "kernel"; never changes once released.
std::string_view NameOf(EventKind kind);
std::optional<EventKind> EventKindFromName(std::string_view name);

// Work that keeps a device busy: kernels, copies, migrations, memsets and whole graphs.
constexpr bool IsDeviceWork(EventKind kind) { return kind <= EventKind::kGraphSpan; }

constexpr bool IsNvtxRange(EventKind kind) {
  return kind == EventKind::kNvtxPushPop || kind == EventKind::kNvtxStartEnd;
}

}  // namespace xsp
