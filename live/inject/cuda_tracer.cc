#include "live/inject/cuda_tracer.h"

#include <time.h>

#include <cstdio>

#include "live/inject/recorder.h"

namespace xsp::inject {
namespace {

using namespace live;

constexpr std::uint64_t Bit(CuptiKind kind) {
  return std::uint64_t{1} << static_cast<std::uint32_t>(kind);
}

// What a call on the host makes, as opposed to what happens on a device because of it.
constexpr std::uint64_t kHostKinds =
    Bit(CuptiKind::kRuntime) | Bit(CuptiKind::kDriver) | Bit(CuptiKind::kSynchronization) |
    Bit(CuptiKind::kCudaEvent) | Bit(CuptiKind::kOverhead) | Bit(CuptiKind::kExternalCorrelation) |
    Bit(CuptiKind::kMemory) | Bit(CuptiKind::kMemoryPool);

void OnBufferRequested(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  BufferPool& pool = Recorder::Get().cuda().pool();
  *most_records = 0;  // As many as fit.
  *size = BufferPool::kBufferBytes;
  *buffer = pool.Take();
  if (*buffer == nullptr) {
    *size = BufferPool::kSpareBytes;
    *buffer = BufferPool::TakeSpare();
  }
  if (*buffer == nullptr) {
    *size = 0;
    return;
  }
  pool.requested.fetch_add(1, std::memory_order_relaxed);
}

void OnBufferCompleted(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  if (buffer == nullptr) return;
  Recorder& recorder = Recorder::Get();
  BufferPool& pool = recorder.cuda().pool();
  pool.completed.fetch_add(1, std::memory_order_relaxed);
  if (pool.Complete(buffer, valid)) {
    recorder.writer().Wake();
  } else {
    recorder.CountLost(buffer, valid);
    BufferPool::GiveSpare(buffer);
  }
}

// A graph or a node came into being: the trace needs to know from which, to tell under which range
// of the program a kernel was captured that a graph runs later.
void OnGraph(Recorder& recorder, std::uint32_t id, const CuptiResourceData& resource) {
  const auto* graph = static_cast<const CuptiGraphData*>(resource.descriptor);
  if (graph == nullptr) return;
  const CuptiApi& api = recorder.cuda().api();
  auto node_id = [&](void* node) {
    std::uint64_t number = 0;
    if (node == nullptr || api.GetGraphNodeId == nullptr) return number;
    return api.GetGraphNodeId(node, &number) == kCuptiSuccess ? number : 0;
  };
  auto graph_id = [&](void* which) {
    std::uint32_t number = 0;
    if (which == nullptr || api.GetGraphId == nullptr) return std::uint64_t{0};
    return std::uint64_t{api.GetGraphId(which, &number) == kCuptiSuccess ? number : 0};
  };
  auto exec_id = [&](void* exec) {
    std::uint32_t number = 0;
    if (exec == nullptr || api.GetGraphExecId == nullptr) return std::uint64_t{0};
    return std::uint64_t{api.GetGraphExecId(exec, &number) == kCuptiSuccess ? number : 0};
  };
  HostEvent event = {.op = HostOp::kGraphNode};
  if (id == kGraphNodeCreated || id == kGraphNodeCloned) {
    event.id = node_id(graph->node);
    event.id2 = id == kGraphNodeCloned ? node_id(graph->original_node) : 0;
  } else if (id == kGraphExecCreated) {
    event.op = HostOp::kGraphExec;
    event.id = graph_id(graph->graph);
    event.id2 = exec_id(graph->exec);
  } else {
    event.op = HostOp::kGraph;
    event.id = graph_id(graph->graph);
    event.id2 = id == kGraphCloned ? graph_id(graph->original_graph) : 0;
  }
  if (event.id != 0) recorder.Add(event);
}

void OnCallback(void*, std::uint32_t domain, std::uint32_t id, const void* data) {
  constexpr std::uint32_t kExit = 1;
  Recorder& recorder = Recorder::Get();
  if (data == nullptr || !recorder.EnsureRunning()) return;
  if (domain == kResource) {
    OnGraph(recorder, id, *static_cast<const CuptiResourceData*>(data));
    return;
  }
  const bool on_exit = static_cast<const CuptiCallbackData*>(data)->site == kExit;
  if (domain == kDriverApi && id == kProfilerStart && on_exit) recorder.SwitchOn();
  if (domain == kDriverApi && id == kProfilerStop && !on_exit) recorder.SwitchOff();
  // The reset takes with it what CUPTI has not delivered yet.
  if (domain == kRuntimeApi && id == kDeviceReset && !on_exit) recorder.cuda().FlushForced();
}

}  // namespace

void CudaTracer::Start(Recorder& recorder) {
  if (started_) return;
  started_ = true;
  char why[256];
  if (!api_.Load(recorder.settings().cupti, why, sizeof why)) {
    recorder.notes().Add(NoteKind::kUnavailable, 0, kCuptiMissing, why);
    return;
  }
  if (!pool_.Begin()) {
    recorder.notes().Add(NoteKind::kUnavailable, 0, kCuptiMissing, "no memory for buffers");
    return;
  }
  if (!Subscribe(recorder)) return;
  // Threads by the number that the system and NVTX know them by. If CUPTI refuses, calls stand on
  // tracks of their own: still there, but not under their ranges.
  if (api_.SetThreadIdType == nullptr || api_.SetThreadIdType(kThreadIdSystem) != kCuptiSuccess) {
    recorder.notes().Add(NoteKind::kMessage, 0, 0,
                         "CUPTI cannot number threads as the system does: calls are not joined "
                         "with NVTX ranges");
  }
  const CuptiResult result = api_.RegisterCallbacks(OnBufferRequested, OnBufferCompleted);
  if (result != kCuptiSuccess) {
    NoteRefusal(recorder, CuptiKind{}, result);
    api_.Unsubscribe(subscriber_);
    return;
  }
  recorder.region()->cupti = api_.version;
  running_.store(true, std::memory_order_release);
  ChooseCallbacks(recorder);
  pthread_mutex_lock(&mutex_);
  for (CuptiKind kind : kPlaces) EnableKind(recorder, kind);
  pthread_mutex_unlock(&mutex_);
}

bool CudaTracer::Subscribe(Recorder& recorder) {
  const CuptiResult result = api_.Subscribe(&subscriber_, OnCallback, nullptr);
  if (result == kCuptiSuccess) return true;
  if (result != kCuptiMultipleSubscribers) {
    NoteRefusal(recorder, CuptiKind{}, result);
    return false;
  }
  // Newer versions know the name of whoever came first.
  char other[128] = "";
  if (api_.SubscribeV2 != nullptr) {
    CuptiSubscriberParams parameters = {sizeof parameters, "xsp", other, sizeof other};
    void* unwanted = nullptr;
    if (api_.SubscribeV2(&unwanted, OnCallback, nullptr, &parameters) == kCuptiSuccess) {
      api_.Unsubscribe(unwanted);
    }
    other[sizeof other - 1] = '\0';
  }
  recorder.notes().Add(NoteKind::kOtherTool, 0, result, other);
  return false;
}

void CudaTracer::ChooseCallbacks(Recorder& recorder) {
  auto choose = [&](std::uint32_t domain, std::uint32_t id, const char* what) {
    const CuptiResult result = api_.EnableCallback(1, subscriber_, domain, id);
    if (result == kCuptiSuccess) return;
    char text[160], reason[96];
    api_.Describe(result, reason, sizeof reason);
    std::snprintf(text, sizeof text, "%s: %s", what, reason);
    recorder.notes().Add(NoteKind::kMessage, 0, result, text);
  };
  choose(kRuntimeApi, kDeviceReset, "cudaDeviceReset is not seen in advance");
  if (recorder.settings().capture_range) {
    choose(kDriverApi, kProfilerStart, "cudaProfilerStart is not seen");
    choose(kDriverApi, kProfilerStop, "cudaProfilerStop is not seen");
  }
  for (std::uint32_t id :
       {kGraphCreated, kGraphCloned, kGraphNodeCreated, kGraphExecCreated, kGraphNodeCloned}) {
    choose(kResource, id, "CUDA graphs are not followed to where they were captured");
  }
}

void CudaTracer::NoteRefusal(Recorder& recorder, CuptiKind kind, CuptiResult result) {
  char reason[160];
  api_.Describe(result, reason, sizeof reason);
  recorder.notes().Add(NoteKind::kUnavailable, static_cast<std::uint32_t>(kind), result, reason);
}

void CudaTracer::EnableKind(Recorder& recorder, CuptiKind kind) {
  if (((enabled_ | refused_) & Bit(kind)) != 0) return;
  const CuptiResult result = api_.Enable(static_cast<std::uint32_t>(kind));
  if (result == kCuptiSuccess) {
    enabled_ |= Bit(kind);
  } else {
    refused_ |= Bit(kind);
    NoteRefusal(recorder, kind, result);
  }
}

// CUPTI wants to be told which counters of which device: of the first one, as all have the same
// kinds of counters and records tell the devices apart.
void CudaTracer::ConfigureUnified(Recorder& recorder) {
  constexpr std::uint32_t kOneDevice = 1;
  CuptiUnifiedConfig wanted[5];
  std::uint32_t count = 0;
  for (CuptiUnified counter :
       {CuptiUnified::kHostToDevice, CuptiUnified::kDeviceToHost, CuptiUnified::kCpuFault,
        CuptiUnified::kGpuFault, CuptiUnified::kDeviceToDevice}) {
    wanted[count++] = {kOneDevice, static_cast<std::uint32_t>(counter), 0, 1};
  }
  const CuptiResult result =
      api_.ConfigureUnified == nullptr ? kCuptiMissing : api_.ConfigureUnified(wanted, count);
  if (result == kCuptiSuccess) return;
  refused_ |= Bit(CuptiKind::kUnifiedMemory);
  NoteRefusal(recorder, CuptiKind::kUnifiedMemory, result);
}

void CudaTracer::Enable(Recorder& recorder) {
  if (!running()) return;
  pthread_mutex_lock(&mutex_);
  for (std::size_t i = 0; i < kRecordedKindCount; ++i) {
    if ((recorder.settings().kinds >> i & 1) == 0) continue;
    for (CuptiKind kind : kRecordedKinds[i].cupti) {
      if (kind == CuptiKind{}) continue;
      const bool first = ((enabled_ | refused_) & Bit(kind)) == 0;
      if (kind == CuptiKind::kUnifiedMemory && first) ConfigureUnified(recorder);
      EnableKind(recorder, kind);
    }
  }
  pthread_mutex_unlock(&mutex_);
}

void CudaTracer::Disable(bool host) {
  if (!running()) return;
  std::uint64_t places = 0;
  for (CuptiKind kind : kPlaces) places |= Bit(kind);
  pthread_mutex_lock(&mutex_);
  for (std::uint32_t kind = 0; kind < kCuptiKinds; ++kind) {
    const std::uint64_t bit = std::uint64_t{1} << kind;
    if ((enabled_ & ~places & bit) == 0 || ((kHostKinds & bit) != 0) != host) continue;
    if (api_.Disable(kind) == kCuptiSuccess) enabled_ &= ~bit;
  }
  pthread_mutex_unlock(&mutex_);
}

void CudaTracer::DisableHost() { Disable(true); }

void CudaTracer::DisableRest() { Disable(false); }

void CudaTracer::Flush() {
  if (!running() || flushing_.exchange(true)) return;
  api_.FlushAll(0);
  flushing_ = false;
}

void CudaTracer::FlushForced() {
  if (!running()) return;
  // The writer may be in the middle of a flush of its own: given a moment, it is not disturbed.
  constexpr int kTries = 200;
  constexpr timespec kMoment = {0, 10'000'000};
  for (int i = 0; i < kTries && flushing_.exchange(true); ++i) nanosleep(&kMoment, nullptr);
  api_.FlushAll(kFlushForced);
  flushing_ = false;
}

std::uint64_t CudaTracer::NewlyDropped() {
  std::size_t dropped = 0;
  if (!running() || api_.GetNumDropped(nullptr, 0, &dropped) != kCuptiSuccess) return 0;
  return dropped;
}

void CudaTracer::ForgetAfterFork() {
  running_ = false;
  started_ = false;
  enabled_ = refused_ = 0;
  flushing_ = false;
  pool_.requested = pool_.completed = 0;
  pthread_mutex_init(&mutex_, nullptr);
}

}  // namespace xsp::inject
