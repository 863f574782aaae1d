#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "model/trace.h"

namespace xsp {

// What a table of details is called in a stored trace.
struct DetailName {
  std::string_view name;
  std::string_view doc;
};

// In the order of DetailTables.
inline constexpr std::array<DetailName, std::tuple_size_v<DetailTables>> kDetailNames = {{
    {"kernels", "How kernels were launched."},
    {"copies", "Memory copies and unified-memory migrations."},
    {"memsets", "Memsets on the device."},
    {"graph_spans", "CUDA graphs that were traced as one piece."},
    {"calls", "CUDA runtime and driver calls, and the recorder's backtrace copies of them."},
    {"syncs", "Waits."},
    {"event_records", "Records of CUDA events."},
    {"graph_objects", "CUDA graphs and their nodes, when they were made."},
    {"nvtx", "NVTX ranges and marks."},
    {"osrt", "Operating-system runtime calls."},
    {"mpi", "MPI calls."},
    {"library_calls", "cuDNN and cuBLAS calls."},
    {"directives", "OpenACC and OpenMP regions."},
    {"memory", "Device memory allocations and releases."},
    {"memory_pools", "Memory pools that were made, destroyed or trimmed."},
    {"page_faults", "Unified-memory page faults."},
    {"overheads", "Time that the profiler itself took."},
    {"samples", "CPU samples."},
    {"sched", "Threads that got or lost a CPU."},
    {"gpu_metrics", "Sampled hardware counters; the event's name is the metric's."},
}};

}  // namespace xsp
