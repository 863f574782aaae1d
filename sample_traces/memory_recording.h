// Keeps the records of a run in memory, for tests that need no file.
#pragma once

#include <vector>

#include "sample_traces/machine.h"
#include "sample_traces/recording.h"

namespace xsp::samples {

struct MemoryRecording : Recorder {
  std::vector<CallRecord> calls;
  std::vector<KernelRecord> kernels;
  std::vector<CopyRecord> copies;
  std::vector<MemsetRecord> memsets;
  std::vector<GraphSpanRecord> graph_spans;
  std::vector<SyncRecord> syncs;
  std::vector<EventRecord> events;
  std::vector<NvtxRecord> nvtx;
  std::vector<OsCallRecord> os_calls;
  std::vector<SchedRecord> sched;
  std::vector<OverheadRecord> overheads;
  std::vector<GraphNodeRecord> graph_nodes;
  std::vector<GraphRecord> graphs;
  std::vector<MemoryRecord> memory;
  RunSummary summary;

  void Add(const CallRecord& record) override { calls.push_back(record); }
  void Add(const KernelRecord& record) override { kernels.push_back(record); }
  void Add(const CopyRecord& record) override { copies.push_back(record); }
  void Add(const MemsetRecord& record) override { memsets.push_back(record); }
  void Add(const GraphSpanRecord& record) override { graph_spans.push_back(record); }
  void Add(const SyncRecord& record) override { syncs.push_back(record); }
  void Add(const EventRecord& record) override { events.push_back(record); }
  void Add(const NvtxRecord& record) override { nvtx.push_back(record); }
  void Add(const OsCallRecord& record) override { os_calls.push_back(record); }
  void Add(const SchedRecord& record) override { sched.push_back(record); }
  void Add(const OverheadRecord& record) override { overheads.push_back(record); }
  void Add(const GraphNodeRecord& record) override { graph_nodes.push_back(record); }
  void Add(const GraphRecord& record) override { graphs.push_back(record); }
  void Add(const MemoryRecord& record) override { memory.push_back(record); }
};

// Runs the program; times of device work are on the host's clock unless the config has clocks.
inline MemoryRecording RunInMemory(const Program& program, MachineConfig config = {}) {
  if (config.clocks.empty()) {
    config.clocks.resize(static_cast<size_t>(program.DeviceCount()));
  }
  MemoryRecording recording;
  recording.summary = Run(program, config, recording);
  return recording;
}

}  // namespace xsp::samples
