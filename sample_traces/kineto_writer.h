// Writes what a profiler saw as a trace of the PyTorch profiler (Kineto).
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sample_traces/machine.h"
#include "sample_traces/program.h"
#include "sample_traces/recording.h"

namespace xsp::samples {

// How the file looks, apart from what happened.
struct KinetoOptions {
  int32_t process = 0;     // Whose file: the profiler runs inside of each process.
  int64_t clock_ns = 0;    // Its clock runs ahead of that of the session by so much.
  bool syncs = true;       // enable_cuda_sync_events
  bool close_list = true;  // Else the file ends as one that was cut off.
};

// Receives the records of one run and writes those of one process. The file appears under its name
// only when Finish was called.
class KinetoWriter : public Recorder {
 public:
  KinetoWriter(const std::string& path, const Program& program, const KinetoOptions& options);
  ~KinetoWriter() override;

  void Add(const CallRecord& record) override;
  void Add(const KernelRecord& record) override;
  void Add(const CopyRecord& record) override;
  void Add(const MemsetRecord& record) override;
  void Add(const SyncRecord& record) override;
  void Add(const EventRecord& record) override;
  void Add(const NvtxRecord& record) override;

  void Finish();

 private:
  // Where a range of the forward pass began, by its sequence number.
  struct Forward {
    int32_t tid = 0;
    int64_t start = 0;
  };
  struct Recorded {
    int64_t correlation = 0;
    int32_t stream = 0;
  };

  bool IsOurs(int32_t process) const { return process == options_.process; }
  const Context& ContextOf(int32_t stream) const;
  // "ts" and "dur" in microseconds with three decimals.
  std::string Times(int64_t start, int64_t end) const;
  std::string Time(int64_t time) const;
  // One event; `head` is everything in front of "args".
  void Write(const std::string& head, const std::string& args);
  void WriteFlow(char phase, std::string_view category, int64_t id, int64_t pid, int64_t tid,
                 int64_t time);
  void WriteDeviceWork(const DeviceRecord& record, std::string_view category, std::string_view name,
                       const std::string& args);
  void WriteOperator(const NvtxRecord& record);
  void WriteHead();

  const Program& program_;
  KinetoOptions options_;
  std::string path_;
  std::string part_path_;
  std::FILE* file_ = nullptr;
  bool is_first_ = true;
  int64_t next_flow_ = 1;
  std::unordered_map<int64_t, Forward> forward_;    // By sequence number.
  std::unordered_map<int64_t, Recorded> recorded_;  // By event_sync_id.
};

// Runs the program and writes the file: all in one.
RunSummary WriteKinetoTrace(const std::string& path, const Program& program,
                            const MachineConfig& machine, const KinetoOptions& options);

}  // namespace xsp::samples
