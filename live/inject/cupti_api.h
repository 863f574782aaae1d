#pragma once

#include <cstddef>
#include <cstdint>

// The entry points of CUPTI that the library uses, found in whichever libcupti there is.
namespace xsp::inject {

using CuptiResult = int;
inline constexpr CuptiResult kCuptiSuccess = 0;
inline constexpr CuptiResult kCuptiMaxLimitReached = 12;
inline constexpr CuptiResult kCuptiMultipleSubscribers = 39;
inline constexpr CuptiResult kCuptiMissing = -1;  // Our own: this libcupti has no such function.

inline constexpr std::uint32_t kFlushForced = 1;
inline constexpr int kThreadIdSystem = 1;

enum CuptiDomain : std::uint32_t { kDriverApi = 1, kRuntimeApi = 2, kResource = 3 };
enum CuptiDriverCallback : std::uint32_t { kProfilerStart = 308, kProfilerStop = 309 };
enum CuptiRuntimeCallback : std::uint32_t { kDeviceReset = 164 };
enum CuptiResourceCallback : std::uint32_t {
  kGraphCreated = 9,
  kGraphCloned = 11,
  kGraphNodeCreated = 13,
  kGraphExecCreated = 18,
  kGraphNodeCloned = 20,
};

// The head of CUpti_CallbackData.
struct CuptiCallbackData {
  std::uint32_t site;  // 0 on entry, 1 on exit.
};

struct CuptiResourceData {
  void* context;
  void* handle;
  void* descriptor;  // CuptiGraphData, for callbacks about graphs.
};

struct CuptiGraphData {
  void* graph;
  void* original_graph;
  void* node;
  void* original_node;
  std::uint32_t node_type;
  void* dependency;
  void* exec;
};

struct CuptiUnifiedConfig {
  std::uint32_t scope;  // 1: this process, one device.
  std::uint32_t counter;
  std::uint32_t device;
  std::uint32_t enable;
};

// CUpti_SubscriberParams as of 13.0; asked only for the name of another tool.
struct CuptiSubscriberParams {
  std::size_t struct_size;
  const char* name;
  char* other_name;
  std::size_t other_name_size;
};

using CuptiCallback = void (*)(void* user, std::uint32_t domain, std::uint32_t id,
                               const void* data);
using CuptiBufferRequested = void (*)(std::uint8_t** buffer, std::size_t* size,
                                      std::size_t* most_records);
using CuptiBufferCompleted = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer,
                                      std::size_t size, std::size_t valid);

// A null pointer: this libcupti does not have it. Only those that Load() asks for are sure.
struct CuptiApi {
  CuptiResult (*GetVersion)(std::uint32_t*);
  CuptiResult (*GetTimestamp)(std::uint64_t*);
  CuptiResult (*GetResultString)(CuptiResult, const char**);
  CuptiResult (*GetCallbackName)(std::uint32_t domain, std::uint32_t id, const char**);
  CuptiResult (*Subscribe)(void** subscriber, CuptiCallback, void* user);
  CuptiResult (*SubscribeV2)(void** subscriber, CuptiCallback, void* user, CuptiSubscriberParams*);
  CuptiResult (*Unsubscribe)(void* subscriber);
  CuptiResult (*EnableCallback)(std::uint32_t enable, void* subscriber, std::uint32_t domain,
                                std::uint32_t id);
  CuptiResult (*RegisterCallbacks)(CuptiBufferRequested, CuptiBufferCompleted);
  CuptiResult (*Enable)(std::uint32_t kind);
  CuptiResult (*Disable)(std::uint32_t kind);
  CuptiResult (*FlushAll)(std::uint32_t flag);
  CuptiResult (*GetNextRecord)(std::uint8_t* buffer, std::size_t valid, void** record);
  CuptiResult (*GetNumDropped)(void* context, std::uint32_t stream, std::size_t* dropped);
  CuptiResult (*SetThreadIdType)(int type);
  CuptiResult (*ConfigureUnified)(CuptiUnifiedConfig*, std::uint32_t count);
  CuptiResult (*GetGraphNodeId)(void* node, std::uint64_t* id);
  CuptiResult (*GetGraphId)(void* graph, std::uint32_t* id);
  CuptiResult (*GetGraphExecId)(void* exec, std::uint32_t* id);

  std::uint32_t version;
  char path[512];  // Which library it is.

  // Takes `wanted`, if that is not empty; else the libcupti that the program has loaded already,
  // since two of them in one process would disturb each other; else one that fits the driver, by
  // the loader's search and then in the usual folders of a CUDA toolkit. False: none can be used,
  // and `why` says so.
  bool Load(const char* wanted, char* why, std::size_t why_size);

  // "CUPTI_ERROR_NOT_INITIALIZED", or the number.
  void Describe(CuptiResult result, char* text, std::size_t size) const;
};

// The version of CUDA that the driver in this process supports (12080), 0 if there is none.
int DriverCudaVersion();

}  // namespace xsp::inject
