// What a profiler sees of a run: one struct per kind of record, and who receives them.
//
// `thread`, `context`, `stream`, `event`, `kernel` and `name` are indices into the
// Program; -1 means "does not apply". Times are ns since the start of the session; times of device
// work are on the device's own, skewed clock.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sample_traces/program.h"

namespace xsp::samples {

// A call of the CUDA runtime or driver.
struct CallRecord {
  int64_t start = 0;
  int64_t end = 0;
  int32_t thread = 0;
  std::string_view name;  // lives as long as the Program
  int64_t correlation = 0;
  int64_t returned = 0;  // cudaError_t
};

// What all device work has in common. Work without a call has correlation 0.
struct DeviceRecord {
  int64_t start = 0;
  int64_t end = 0;
  int32_t stream = 0;
  int64_t correlation = 0;
  int64_t graph_node = -1;
  int64_t graph = -1;
};

struct KernelRecord : DeviceRecord {
  int32_t kernel = 0;
  int64_t grid_id = 0;
};

struct CopyRecord : DeviceRecord {
  CopySpec copy;
};

struct MemsetRecord : DeviceRecord {
  int64_t bytes = 0;
};

// One launch of a graph that is traced as a whole.
struct GraphSpanRecord : DeviceRecord {
  int64_t graph_exec = 0;
};

// The waiting part of a synchronising call, or the entry of a stream-waits-for-event.
struct SyncRecord {
  int64_t start = 0;
  int64_t end = 0;
  int32_t context = 0;
  int32_t stream = -1;
  int32_t event = -1;
  int64_t event_sync_id = 0;
  int64_t correlation = 0;
};

// cudaEventRecord.
struct EventRecord {
  int64_t start = 0;  // of the call; not part of the export
  int32_t stream = 0;
  int32_t event = 0;
  int64_t event_sync_id = 0;
  int64_t correlation = 0;
};

struct NvtxRecord {
  int64_t start = 0;
  int64_t end = -1;  // -1: none, or still open when the capture ended
  int32_t type = 59;
  int32_t thread = 0;
  int32_t domain = 0;
  bool registered = false;
  uint32_t color = 0;
  int64_t range = -1;
  int32_t payload = -1;
  std::array<int64_t, 3> numbers = {0, 0, 0};
  std::string text;
};

// A call of the OS runtime library.
struct OsCallRecord {
  int64_t start = 0;
  int64_t end = 0;
  int32_t thread = 0;
  int32_t name = 0;
};

enum class MpiCallKind : uint8_t { kPointToPoint, kCollective, kWait };

// A call of MPI. What does not apply is -1.
struct MpiRecord {
  int64_t start = 0;
  int64_t end = 0;
  int32_t thread = 0;
  int32_t name = 0;
  MpiCallKind kind = MpiCallKind::kPointToPoint;
  int32_t group = -1;
  int32_t tag = -1;
  int32_t peer = -1;
};

// A thread was put on a CPU or taken off it.
struct SchedRecord {
  int64_t start = 0;
  int32_t thread = 0;
  int32_t cpu = 0;
  bool in = false;
};

// A one-time cost inside a call: loading the code of a kernel.
struct OverheadRecord {
  int64_t start = 0;
  int64_t end = 0;
  int32_t thread = 0;
  int64_t correlation = 0;
};

// A node came to be: captured (original -1) or instantiated (original: the captured node).
struct GraphNodeRecord {
  int64_t start = 0;
  int32_t thread = 0;
  int64_t node = 0;
  int64_t original = -1;
};

// A graph was created (exec -1) or instantiated.
struct GraphRecord {
  int64_t start = 0;
  int32_t thread = 0;
  int64_t graph = 0;
  int64_t exec = -1;
};

// Device memory was allocated or given back.
struct MemoryRecord {
  int64_t start = 0;
  int32_t context = 0;
  uint64_t address = 0;
  int64_t bytes = 0;
  bool release = false;
  int64_t correlation = 0;
};

// Receives the records of one kind in the order of their starts, apart from the few that stay open
// for very long. Ignores what is not overridden.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void Add(const CallRecord&) {}
  virtual void Add(const KernelRecord&) {}
  virtual void Add(const CopyRecord&) {}
  virtual void Add(const MemsetRecord&) {}
  virtual void Add(const GraphSpanRecord&) {}
  virtual void Add(const SyncRecord&) {}
  virtual void Add(const EventRecord&) {}
  virtual void Add(const NvtxRecord&) {}
  virtual void Add(const OsCallRecord&) {}
  virtual void Add(const MpiRecord&) {}
  virtual void Add(const SchedRecord&) {}
  virtual void Add(const OverheadRecord&) {}
  virtual void Add(const GraphNodeRecord&) {}
  virtual void Add(const GraphRecord&) {}
  virtual void Add(const MemoryRecord&) {}
};

}  // namespace xsp::samples
