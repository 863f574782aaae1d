// Writes what a profiler saw as an nsys SQLite export.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sample_traces/machine.h"
#include "sample_traces/nsys_schema.h"
#include "sample_traces/program.h"
#include "sample_traces/recording.h"
#include "sample_traces/sqlite_table.h"

namespace xsp::samples {

// How the export looks, apart from what happened.
struct ExportOptions {
  const SchemaVersion* schema = &SchemaVersions().back();
  bool memory_usage = false;   // --cuda-memory-usage=true
  bool payload_blobs = false;  // --include-blobs=true
  bool os_runtime = true;      // --trace=osrt
  bool nvtx = true;            // --trace=nvtx
  bool scheduling = true;      // --cpuctxsw=process-tree
  bool mpi_tables = true;      // else ranges of the NVTX domain "MPI", as exports of 2022 have them
  std::string host_name = "sample-host";
  int64_t session_start_utc_ns = 1'767'254'400'000'000'000;  // 2026-01-01 08:00 UTC
  int32_t mpi_rank = -1;                                     // of its only process; -1: no MPI
  bool graph_nodes = true;  // --cuda-graph-trace=node; WriteTrace takes it from the machine
};

// Receives the records of one run. The file appears under its name only when Finish was called; it
// replaces one that was there.
class NsysWriter : public Recorder {
 public:
  NsysWriter(const std::string& path, const Program& program, const ExportOptions& options);
  ~NsysWriter() override;

  void Add(const CallRecord& record) override;
  void Add(const KernelRecord& record) override;
  void Add(const CopyRecord& record) override;
  void Add(const MemsetRecord& record) override;
  void Add(const GraphSpanRecord& record) override;
  void Add(const SyncRecord& record) override;
  void Add(const EventRecord& record) override;
  void Add(const NvtxRecord& record) override;
  void Add(const OsCallRecord& record) override;
  void Add(const MpiRecord& record) override;
  void Add(const SchedRecord& record) override;
  void Add(const OverheadRecord& record) override;
  void Add(const GraphNodeRecord& record) override;
  void Add(const GraphRecord& record) override;
  void Add(const MemoryRecord& record) override;

  // Writes what describes the run as a whole and gives the file its name.
  void Finish(const RunSummary& summary);

 private:
  struct Tables;
  struct KernelNames {
    int64_t demangled = -1;
    int64_t short_name = -1;
    std::optional<int64_t> mangled;
  };

  int64_t StringId(std::string_view text);
  int64_t GlobalPid(int32_t process) const;
  int64_t GlobalTid(int32_t thread) const;
  int64_t StreamPid(int32_t stream) const;
  const Context& ContextOf(int32_t stream) const;
  const KernelNames& NamesOf(int32_t kernel);
  std::string Payload(const NvtxRecord& record) const;
  // nsys_description.cc
  void WriteEnums();
  void WriteExportFacts();
  void WriteSystem(const RunSummary& summary);
  void WriteProcesses(const RunSummary& summary);
  void WriteDevices();
  void WriteDomains();
  void WriteProfilerFacts(const RunSummary& summary);

  const Program& program_;
  ExportOptions options_;
  std::string path_;
  std::string part_path_;
  OutputFile file_;
  std::unordered_map<std::string, int64_t> strings_;
  std::vector<KernelNames> kernel_names_;
  std::vector<int64_t> text_ids_;  // of program strings, -1: not used yet
  std::unique_ptr<Tables> tables_;
  bool finished_ = false;
};

// Runs the program and writes the export: all in one.
RunSummary WriteTrace(const std::string& path, const Program& program, const MachineConfig& machine,
                      const ExportOptions& options);

}  // namespace xsp::samples
