// A program for the machine model: what host threads do, in order, and on which streams.
//
// All handles (process, thread, context, stream, event, ...) are indices into the vectors of the
// Program that made them. Times are nanoseconds, sizes bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace xsp::samples {

// What one launch of a kernel is: its names, its shape and how long it takes alone on the GPU.
struct KernelSpec {
  std::string demangled;
  std::string short_name;
  std::string mangled;  // empty: the export has NULL
  std::string api = "cudaLaunchKernel_v7000";
  std::array<int32_t, 3> grid = {1, 1, 1};
  std::array<int32_t, 3> block = {128, 1, 1};
  int32_t registers = 32;
  int32_t static_shared = 0;
  int32_t dynamic_shared = 0;
  int64_t duration_ns = 10'000;
  int32_t sm_permille = 1000;  // share of the multiprocessors it can fill: contention
  int32_t function = -1;       // set by Program: kernels of one name are loaded once

  bool operator==(const KernelSpec&) const = default;
};

enum class CopyKind : uint8_t {  // numbered as in the exports
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kDeviceToDevice = 8,
  kHostToHost = 9,
  kPeer = 10,
};

enum class MemoryKind : uint8_t { kPageable = 0, kPinned = 1, kDevice = 2 };

// One copy. `host` is the kind of the host memory at whichever end has some.
struct CopySpec {
  CopyKind kind = CopyKind::kHostToDevice;
  int64_t bytes = 0;
  MemoryKind host = MemoryKind::kPageable;
  bool async = true;  // cudaMemcpyAsync, else cudaMemcpy
  int32_t peer = -1;  // kPeer: the context that receives
};

enum class OpKind : uint8_t {
  kPush,
  kPop,
  kMark,
  kRangeStart,
  kRangeEnd,
  kNameThread,
  kLaunch,
  kCollective,
  kCopy,
  kMemset,
  kEventRecord,
  kStreamWait,
  kEventSync,
  kStreamSync,
  kDeviceSync,
  kPollStream,
  kPollEvent,
  kMalloc,
  kFree,
  kMallocAsync,
  kFreeAsync,
  kBeginCapture,
  kEndCapture,
  kInstantiate,
  kGraphLaunch,
  kWork,
  kOsCall,
  kApiCall,
  kPost,
  kWait,
  kTick,
  kMpiCollective,
  kMpiSend,
  kMpiReceive,
  kMpiPostReceive,
  kMpiAwait,
  kLoop,
  kEndLoop,
};

// Sets of operations that a change can take out of a program or alter (bit mask).
enum OpGroup : uint32_t {
  kGroupNone = 0,
  kGroupSync = 1,     // waiting that the program could do without
  kGroupAlloc = 2,    // allocation that the program could do without
  kGroupLoading = 4,  // host work of the data loader
};

// One operation of a host thread. Which fields count depends on `kind`; Script sets them.
struct Op {
  OpKind kind = OpKind::kWork;
  // push: registered string; malloc/free: waits for the device; launch: returns with its work;
  // poll: works between, never alike
  bool flag = false;
  uint32_t uid = 0;  // identity for noise: position in the whole program
  uint32_t groups = kGroupNone;
  int32_t text = -1;     // string: NVTX text, API or OS call name
  int32_t target = -1;   // stream, or context for syncs and allocation, or semaphore, or MPI rank
  int32_t object = -1;   // event, kernel, graph, communicator, MPI group or tag
  int32_t domain = 0;    // NVTX domain of the process (0: default)
  int32_t payload = -1;  // NVTX payload schema, -1: none
  uint32_t color = 0;    // ARGB, 0: none
  int64_t amount = 0;    // ns, bytes, or number of repetitions
  int64_t every = 1;     // done in every so-manieth repetition only
  CopySpec copy;
  // Numbers for %0 and %1 in the text: first + stride * repetition, counted through nested loops.
  std::array<int64_t, 2> first = {0, 0};
  std::array<int64_t, 2> stride = {0, 0};
};

// What NCCL's ranges carry; the numbers are Op::first[0], Op::amount and Op::first[1].
enum NcclPayload : int32_t {
  kNcclCollective = 0,    // communicator, bytes
  kNcclMessage = 1,       // communicator, bytes, peer
  kNcclCommunicator = 2,  // communicator, ranks, rank: it is made
};

struct Process {
  std::string name;
  int32_t pid = 0;
  std::vector<std::string> domains;  // NVTX domains 1, 2, ...
  int32_t nccl_payloads = 1;         // of the kinds below, from the first, that it describes
};

struct Thread {
  int32_t process = 0;
  int32_t tid = 0;
  std::string name;
  int64_t start_ns = 0;
  std::vector<Op> ops;
};

// A CUDA context: one process on one device; its legacy default stream is `default_stream`.
struct Context {
  int32_t process = 0;
  int32_t device = 0;
  int32_t id = 1;
  int32_t default_stream = -1;
};

struct Stream {
  int32_t context = 0;
  int32_t id = 7;
  int32_t priority = 0;
  bool is_default = false;
  bool blocking = true;  // orders itself against the legacy default stream
};

struct Event {
  int32_t context = 0;
  int32_t id = 1;
};

// The ranks that take part in a collective, one context each; transfer time is given per call.
struct Communicator {
  std::vector<int32_t> contexts;
};

struct Program {
  std::vector<std::string> strings;
  std::vector<KernelSpec> kernels;
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Context> contexts;
  std::vector<Stream> streams;
  std::vector<Event> events;
  std::vector<int64_t> semaphores;  // initial counts
  std::vector<Communicator> communicators;
  std::vector<int32_t> mpi_groups;  // how many ranks; a rank is a process, by its index
  int32_t graphs = 0;
  uint32_t next_uid = 0;

  int32_t AddString(std::string_view text);
  int32_t AddKernel(KernelSpec kernel);  // gives back an equal one that is there already
  int32_t AddProcess(std::string name);
  int32_t AddThread(int32_t process, std::string name);
  // Makes the context's default stream, too.
  int32_t AddContext(int32_t process, int32_t device);
  int32_t AddStream(int32_t context, bool blocking = true, int32_t priority = 0);
  int32_t AddEvent(int32_t context);
  int32_t AddSemaphore(int64_t count);
  int32_t AddMpiGroup(int32_t ranks);
  int32_t AddGraph() { return graphs++; }
  int32_t AddDomain(int32_t process, std::string name);
  int32_t DefaultStream(int32_t context) const { return contexts[context].default_stream; }
  int32_t DeviceCount() const;

  // How many kernels a run records, loops counted; graph launches count the captured nodes.
  int64_t CountKernels() const;
  // Takes every operation of the groups out; all others keep their identity, hence their noise.
  void Remove(uint32_t groups);

 private:
  std::unordered_map<std::string, int32_t> string_index_;
};

}  // namespace xsp::samples
