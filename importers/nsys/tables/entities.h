#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "importers/nsys/catalog.h"
#include "model/entities.h"

namespace xsp {

// What an export says about processes, threads, GPUs, contexts and streams: small tables, read
// before the events, looked up when an event names one. Only what events name reaches the trace;
// the exceptions are GPUs, contexts and the names of silent threads, which are few.
//
// Process keys are the upper 40 bits of nsys' global ids.
struct NsysEntities {
  using ProcessKeyId = std::uint64_t;

  struct ContextRow {
    std::uint32_t device = kMissing<std::uint32_t>;
    std::uint32_t null_stream = kMissing<std::uint32_t>;
    std::uint32_t parent = kMissing<std::uint32_t>;
    bool is_green = false;
  };
  struct ThreadRow {
    std::int64_t name = 0;  // String id.
    std::int32_t priority = kMissing<std::int32_t>;
  };
  struct StreamRow {
    std::int32_t priority = kMissing<std::int32_t>;
    StreamFlag flag = StreamFlag::kUnknown;
  };
  // A GPU with its texts still as bytes.
  struct GpuRow {
    Gpu gpu;
    std::optional<std::string> name, bus, uuid, chip;
  };

  std::map<ProcessKeyId, std::string> process_names;  // The last name of each.
  std::map<ProcessKeyId, std::uint32_t> mpi_ranks;    // In the job.
  std::map<std::uint64_t, ThreadRow> threads;         // By global thread id.
  std::vector<GpuRow> gpus;                           // By source_id.
  // (pid, CUDA ordinal) -> Gpu::source_id, where the export says so.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> gpu_of_device;
  std::map<std::pair<ProcessKeyId, std::uint32_t>, ContextRow> contexts;
  std::map<std::tuple<ProcessKeyId, std::uint32_t, std::uint32_t>, StreamRow> streams;
  std::map<std::tuple<ProcessKeyId, std::uint32_t, std::uint32_t>, std::string> stream_names;
  // (type, metric) -> name of a sampled counter.
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> metric_names;
  // (list, place in it) -> name of a counter of the network; global id -> name of a network card.
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> network_metric_names;
  std::map<std::int64_t, std::string> nic_names;
  // Tables of these that could not be read to their end, each with what SQLite said.
  std::map<std::string, std::string> damaged;
};

// Reads them. With `salvage`, a table that is damaged gives what it can; else SqliteError.
NsysEntities ReadEntities(const SqliteDb& db, const NsysCatalog& catalog, bool salvage);

}  // namespace xsp
