// Writes a run of many processes as one export for each of them, as if each had been recorded on a
// machine of its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sample_traces/nsys_writer.h"
#include "sample_traces/program.h"
#include "sample_traces/recording.h"

namespace xsp::samples {

// How one process was recorded.
struct RankRecording {
  std::string path;  // empty: it was not
  std::string host;
  int32_t device = 0;          // its number on that host
  int64_t started_ns = 0;      // when the recording began: zero of its times
  int64_t clock_ahead_ns = 0;  // of its host,
  int64_t drift_ppb = 0;       // and by how much more for every second
  int32_t mpi_rank = -1;
};

// Each process of the program has one thread or more, and contexts of its own.
class RankExports : public Recorder {
 public:
  // `recordings` has one for each process. The program must outlive it.
  RankExports(const Program& program, const ExportOptions& options,
              std::vector<RankRecording> recordings);
  ~RankExports() override;

  void Add(const CallRecord& record) override;
  void Add(const KernelRecord& record) override;
  void Add(const SyncRecord& record) override;
  void Add(const EventRecord& record) override;
  void Add(const NvtxRecord& record) override;
  void Add(const MpiRecord& record) override;
  void Add(const MemoryRecord& record) override;

  void Finish(const RunSummary& summary);

 private:
  struct Rank;

  // Times of a rank's recording; what is on no clock (-1) stays so.
  int64_t OnClock(int32_t process, int64_t time) const;
  template <typename Record>
  void Forward(int32_t process, Record record);

  const Program& program_;
  std::vector<RankRecording> recordings_;
  std::vector<std::unique_ptr<Rank>> ranks_;  // none where a process is not recorded
  // By number in the whole program: the process, and the number in that process' own.
  struct Place {
    int32_t process = 0;
    int32_t number = 0;
  };
  std::vector<Place> threads_, contexts_, streams_, events_;
};

}  // namespace xsp::samples
