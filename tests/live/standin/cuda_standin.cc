// A CUDA driver that has no GPU: what a program calls, under the driver's own names. As the real
// one it loads the library of CUDA_INJECTION64_PATH in cuInit. Work "runs" in zero time by the
// clock of the stand-in for CUPTI, one stream after the other.
#include "tests/live/standin/cuda_standin.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "tests/live/standin/standin.h"

namespace {

constexpr std::uint32_t kDevice = 0;
constexpr std::uint32_t kContext = 1;
constexpr std::uint32_t kNullStream = 7;
constexpr std::uint32_t kNone = 0xFFFFFFFF;

// The stand-in for CUPTI, if the injected library loaded it.
struct Cupti {
  decltype(&standin_now) now;
  decltype(&standin_begin_call) begin_call;
  decltype(&standin_end_call) end_call;
  decltype(&standin_work_id) work_id;
  decltype(&standin_kernel) kernel;
  decltype(&standin_copy) copy;
  decltype(&standin_memset) memset;
  decltype(&standin_sync) sync;
  decltype(&standin_event) event;
  decltype(&standin_device) device;
  decltype(&standin_context) context;
  decltype(&standin_stream) stream;
  decltype(&standin_callback) callback;
};
Cupti cupti = {};
bool has_cupti = false;

template <class F>
bool Find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

void FindCupti() {
  const char* file = std::getenv("XSP_LIVE_CUPTI");
  void* library = file == nullptr ? nullptr : dlopen(file, RTLD_NOW | RTLD_NOLOAD);
  has_cupti =
      library != nullptr && Find(library, "standin_now", cupti.now) &&
      Find(library, "standin_begin_call", cupti.begin_call) &&
      Find(library, "standin_end_call", cupti.end_call) &&
      Find(library, "standin_work_id", cupti.work_id) &&
      Find(library, "standin_kernel", cupti.kernel) && Find(library, "standin_copy", cupti.copy) &&
      Find(library, "standin_memset", cupti.memset) && Find(library, "standin_sync", cupti.sync) &&
      Find(library, "standin_event", cupti.event) &&
      Find(library, "standin_device", cupti.device) &&
      Find(library, "standin_context", cupti.context) &&
      Find(library, "standin_stream", cupti.stream) &&
      Find(library, "standin_callback", cupti.callback);
}

// One call: begins with the object, ends with it.
class Call {
 public:
  Call(bool driver, std::uint32_t cbid) : driver_(driver), cbid_(cbid) {
    if (!has_cupti) return;
    start_ = cupti.now();
    correlation_ = cupti.begin_call(driver ? 1 : 0);
  }
  ~Call() {
    if (has_cupti) cupti.end_call(driver_ ? 1 : 0, cbid_, correlation_, start_, 0);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Work that it launches: from now on, for a microsecond.
  StandinWork Work(std::uint32_t stream) const {
    const std::uint64_t now = cupti.now();
    return {cupti.work_id(correlation_), kDevice, kContext, stream, now, now + 1000};
  }

 private:
  bool driver_;
  std::uint32_t cbid_;
  std::uint32_t correlation_ = 0;
  std::uint64_t start_ = 0;
};

std::uint32_t StreamId(void* stream) {
  return stream == nullptr ? kNullStream
                           : static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(stream));
}

std::atomic<std::uint32_t> last_stream = 12;
std::atomic<std::uint32_t> last_event = 0;

void CallBack(std::uint32_t id) {
  if (!has_cupti) return;
  constexpr std::uint32_t kDriverDomain = 1;
  for (std::uint32_t site : {0u, 1u}) {
    std::uint64_t data[9] = {site};
    cupti.callback(kDriverDomain, id, data);
  }
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  static std::once_flag once;
  std::call_once(once, [] {
    const char* file = std::getenv("CUDA_INJECTION64_PATH");
    void* library = file == nullptr ? nullptr : dlopen(file, RTLD_NOW);
    const auto initialize =
        library == nullptr ? nullptr
                           : reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection"));
    if (initialize != nullptr) initialize();
    FindCupti();
    if (has_cupti) cupti.device(kDevice);
  });
  return 0;
}

int cuDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  *context = reinterpret_cast<void*>(std::uintptr_t{kContext});
  if (has_cupti) cupti.context(kContext, kDevice);
  return 0;
}
int cuCtxSetCurrent(void*) { return 0; }

int cuModuleLoadData(void** module, const void*) {
  *module = reinterpret_cast<void*>(std::uintptr_t{1});
  return 0;
}
// A function of the stand-in is its own name.
int cuModuleGetFunction(void** function, void*, const char* name) {
  *function = strdup(name);
  return 0;
}
int cuMemAlloc_v2(std::uint64_t* memory, std::size_t bytes) {
  *memory = reinterpret_cast<std::uint64_t>(std::malloc(bytes));
  return 0;
}
int cuMemFree_v2(std::uint64_t memory) {
  std::free(reinterpret_cast<void*>(memory));
  return 0;
}
int cuStreamCreate(void** stream, unsigned) {
  *stream = reinterpret_cast<void*>(std::uintptr_t{++last_stream});
  if (has_cupti) cupti.stream(kContext, StreamId(*stream), 2);
  return 0;
}
int cuEventCreate(void** event, unsigned) {
  *event = reinterpret_cast<void*>(std::uintptr_t{++last_event});
  return 0;
}

int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
  const Call call(true, 311);
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  if (!has_cupti) return 0;
  const StandinWork work = call.Work(StreamId(stream));
  cupti.copy(&work, 1, 1, 3, bytes);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
  const Call call(true, 311);
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  if (!has_cupti) return 0;
  const StandinWork work = call.Work(StreamId(stream));
  cupti.copy(&work, 2, 3, 1, bytes);
  return 0;
}
int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void* stream) {
  const Call call(true, 219);
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  if (!has_cupti) return 0;
  const StandinWork work = call.Work(StreamId(stream));
  cupti.memset(&work, value, bytes);
  return 0;
}
int cuEventRecord(void* event, void* stream) {
  const Call call(true, 121);
  if (!has_cupti) return 0;
  const StandinWork work = call.Work(StreamId(stream));
  cupti.event(&work, StreamId(event));
  return 0;
}
int cuStreamSynchronize(void* stream) {
  const Call call(true, 118);
  if (!has_cupti) return 0;
  const StandinWork work = call.Work(StreamId(stream));
  cupti.sync(&work, kNone);
  return 0;
}
int cuCtxSynchronize() {
  const Call call(true, 17);
  if (!has_cupti) return 0;
  const StandinWork work = call.Work(kNone);
  cupti.sync(&work, kNone);
  return 0;
}
int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned, void* stream,
                   void**, void**) {
  const Call call(true, 307);
  if (!has_cupti) return 0;
  const int grid[] = {static_cast<int>(grid_x), static_cast<int>(grid_y), static_cast<int>(grid_z)};
  const int block[] = {static_cast<int>(block_x), static_cast<int>(block_y),
                       static_cast<int>(block_z)};
  const StandinWork work = call.Work(StreamId(stream));
  cupti.kernel(&work, static_cast<const char*>(function), grid, block, 0);
  return 0;
}
int cuProfilerStart() {
  CallBack(308);
  return 0;
}
int cuProfilerStop() {
  CallBack(309);
  return 0;
}

// Of the runtime, which the driver's library does not have: enough to tell the layers apart.
void standin_runtime_launch(const char* name, void* stream) {
  const Call call(false, 211);
  if (!has_cupti) return;
  const int one[] = {1, 1, 1};
  const StandinWork work = call.Work(StreamId(stream));
  cupti.kernel(&work, name, one, one, 0);
}

// A graph of two nodes: captured, instantiated, launched.
void standin_graph(int launches) {
  if (!has_cupti) return;
  constexpr std::uint32_t kResourceDomain = 3;
  struct GraphData {
    std::uintptr_t graph = 0, original_graph = 0, node = 0, original_node = 0;
    std::uint64_t node_type = 0;
    std::uintptr_t dependency = 0, exec = 0;
  };
  auto tell = [&](std::uint32_t id, GraphData data) {
    const std::uintptr_t resource[] = {kContext, 0, reinterpret_cast<std::uintptr_t>(&data)};
    cupti.callback(kResourceDomain, id, resource);
  };
  tell(9, {.graph = 50});
  tell(13, {.graph = 50, .node = 101});
  tell(13, {.graph = 50, .node = 102});
  tell(20, {.graph = 51, .original_graph = 50, .node = 201, .original_node = 101});
  tell(20, {.graph = 51, .original_graph = 50, .node = 202, .original_node = 102});
  tell(18, {.graph = 50, .exec = 60});
  for (int i = 0; i < launches; ++i) {
    const Call call(false, 311);
    const int one[] = {1, 1, 1};
    for (std::uint64_t node : {201, 202}) {
      const StandinWork work = call.Work(kNullStream);
      cupti.kernel(&work, "node_kernel", one, one, node);
    }
  }
}

}  // extern "C"
