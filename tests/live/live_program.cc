// A program to be recorded: ranges and CUDA calls, from several threads, and every way to end.
//
//   live_program [--threads N] [--steps N] [--kernels N] [--no-cuda] [--runtime] [--graph N]
//                [--fast N] [--push N] [--time] [--sleep MS] [--profiler] [--payloads] [--open]
//                [--end HOW]
//                [--exit N]
// With --time it prints how many nanoseconds a launch of --fast, and a push with its pop, took.
//
// HOW: return, _exit, abort, kill, exec, fork, orphan, close-files, segv.
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/live/standin/cuda_standin.h"

namespace {

struct Plan {
  int threads = 1;
  int steps = 3;
  int kernels = 4;
  long fast = 0;
  long push = 0;
  int sleep_ms = 0;
  int graph = 0;
  bool cuda = true;
  bool runtime = false;
  bool profiler = false;
  bool payloads = false;
  bool open = false;
  bool time = false;
  std::string end = "return";
  int code = 0;
};

Plan Read(int argc, char** argv) {
  Plan plan;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    auto number = [&] { return std::atol(argv[++i]); };
    if (option == "--threads") plan.threads = static_cast<int>(number());
    if (option == "--steps") plan.steps = static_cast<int>(number());
    if (option == "--kernels") plan.kernels = static_cast<int>(number());
    if (option == "--fast") plan.fast = number();
    if (option == "--push") plan.push = number();
    if (option == "--sleep") plan.sleep_ms = static_cast<int>(number());
    if (option == "--graph") plan.graph = static_cast<int>(number());
    if (option == "--exit") plan.code = static_cast<int>(number());
    if (option == "--end") plan.end = argv[++i];
    if (option == "--no-cuda") plan.cuda = false;
    if (option == "--runtime") plan.runtime = true;
    if (option == "--profiler") plan.profiler = true;
    if (option == "--payloads") plan.payloads = true;
    if (option == "--open") plan.open = true;
    if (option == "--time") plan.time = true;
  }
  return plan;
}

void Step(const Plan& plan, int step, void* stream, nvtxDomainHandle_t domain,
          nvtxStringHandle_t inner) {
  char name[32];
  std::snprintf(name, sizeof name, "step %d", step);
  nvtxRangePushA(name);
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = inner;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = 0xFF00FF00;
  attributes.category = 5;
  nvtxDomainRangePushEx(domain, &attributes);
  for (int i = 0; plan.cuda && i < plan.kernels; ++i) {
    if (plan.runtime) {
      standin_runtime_launch("_Z6kernelILi4EEvPfi", stream);
    } else {
      static char function[] = "_Z6kernelILi4EEvPfi";
      cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, stream, nullptr, nullptr);
    }
  }
  if (plan.sleep_ms > 0) std::this_thread::sleep_for(std::chrono::milliseconds(plan.sleep_ms));
  nvtxDomainRangePop(domain);
  nvtxRangePop();
}

void Worker(const Plan& plan, nvtxDomainHandle_t domain, nvtxStringHandle_t inner) {
  void* stream = nullptr;
  if (plan.cuda) cuStreamCreate(&stream, 1);
  for (int step = 0; step < plan.steps; ++step) Step(plan, step, stream, domain, inner);
  if (plan.cuda) cuStreamSynchronize(stream);
}

// Copies, memsets, events: one of each.
void Memory() {
  std::uint64_t memory = 0;
  char host[64] = "payload";
  void* event = nullptr;
  cuMemAlloc_v2(&memory, sizeof host);
  cuMemcpyHtoDAsync_v2(memory, host, sizeof host, nullptr);
  cuMemsetD8Async(memory, 7, 16, nullptr);
  cuMemcpyDtoHAsync_v2(host, memory, sizeof host, nullptr);
  cuEventCreate(&event, 0);
  cuEventRecord(event, nullptr);
  cuCtxSynchronize();
  cuMemFree_v2(memory);
}

void Payloads() {
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  auto mark = [&](const char* name, int type) {
    attributes.payloadType = type;
    attributes.message.ascii = name;
    nvtxMarkEx(&attributes);
  };
  attributes.payload.ullValue = 1ull << 63;
  mark("uint64", NVTX_PAYLOAD_TYPE_UNSIGNED_INT64);
  attributes.payload.llValue = -5;
  mark("int64", NVTX_PAYLOAD_TYPE_INT64);
  attributes.payload.dValue = 0.25;
  mark("double", NVTX_PAYLOAD_TYPE_DOUBLE);
  attributes.payload.ullValue = ~0ull;
  attributes.payload.uiValue = 7;
  mark("uint32", NVTX_PAYLOAD_TYPE_UNSIGNED_INT32);
  attributes.payload.ullValue = 0;
  attributes.payload.iValue = -7;
  mark("int32", NVTX_PAYLOAD_TYPE_INT32);
  attributes.payload.fValue = 1.5f;
  mark("float", NVTX_PAYLOAD_TYPE_FLOAT);

  nvtxMarkW(L"wide \u00e4\u4e2d\U0001F600");
  nvtxMarkA("bad \xff utf-8");
  const std::string long_text(20'000, 'x');
  nvtxMarkA(long_text.c_str());
  nvtxNameCategoryA(5, "category five");
  nvtxNameOsThreadA(static_cast<std::uint32_t>(gettid()), "the main thread");
  // Begins here, ends on another thread.
  const nvtxRangeId_t range = nvtxRangeStartA("across threads");
  std::thread([range] { nvtxRangeEnd(range); }).join();
}

// The time that this thread ran: what others do at the same time does not count.
double OwnNs() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Does something so many times, and says how long each took, and how much memory the program had.
template <class F>
void Timed(const Plan& plan, const char* what, long times, F f) {
  const double begin = OwnNs();
  for (long i = 0; i < times; ++i) f();
  const double taken = OwnNs() - begin;
  if (!plan.time || times == 0) return;
  std::printf("%s %.1f\n", what, taken / static_cast<double>(times));
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmHWM:" && status >> word) std::printf("peak_kb %s\n", word.c_str());
  }
  std::fflush(stdout);
}

[[noreturn]] void Leave(const Plan& plan, char** argv) {
  struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  if (plan.end == "_exit") _exit(plan.code);
  if (plan.end == "abort") std::abort();
  if (plan.end == "kill") kill(getpid(), SIGKILL);
  if (plan.end == "segv") {
    std::signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
  if (plan.end == "exec") {
    const std::string code = std::to_string(plan.code);
    execl("/proc/self/exe", argv[0], "--steps", "2", "--exit", code.c_str(),
          static_cast<char*>(nullptr));
  }
  std::exit(plan.code);
}

// Children record, too: one that was forked uses what its parent registered.
void Fork(nvtxDomainHandle_t domain, nvtxStringHandle_t inner, const char* end) {
  const pid_t child = fork();
  if (child == 0) {
    Plan plan;
    plan.cuda = false;
    plan.steps = 2;
    Worker(plan, domain, inner);
    if (std::strcmp(end, "orphan") == 0) _exit(0);
    std::exit(0);
  }
  waitpid(child, nullptr, 0);
}

// As a daemon does, and then a file of its own under the first number that is free.
int CloseFiles() {
  for (int fd = 3; fd < 64; ++fd) close(fd);
  int first = -1;
  for (int i = 0; i < 8; ++i) {
    const int fd = open("own-file", O_CREAT | O_RDWR | O_APPEND, 0600);
    if (first < 0) first = fd;
  }
  return first;
}

}  // namespace

int main(int argc, char** argv) {
  const Plan plan = Read(argc, argv);
  if (plan.cuda) {
    void* context = nullptr;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&context, 0);
  }
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("lib");
  const nvtxStringHandle_t inner = nvtxDomainRegisterStringA(domain, "inner");
  if (plan.profiler) cuProfilerStart();
  std::vector<std::thread> threads;
  for (int i = 1; i < plan.threads; ++i) {
    threads.emplace_back([&] { Worker(plan, domain, inner); });
  }
  Worker(plan, domain, inner);
  for (std::thread& thread : threads) thread.join();
  if (plan.profiler) {
    cuProfilerStop();
    Worker(plan, domain, inner);  // After the stop: not to be recorded.
  }
  if (plan.cuda && plan.kernels > 0) Memory();
  if (plan.payloads) Payloads();
  if (plan.graph > 0) standin_graph(plan.graph);
  Timed(plan, "launch_ns", plan.fast, [] { standin_runtime_launch("fast", nullptr); });
  Timed(plan, "push_ns", plan.push, [] {
    nvtxRangePushA("a range of usual length");
    nvtxRangePop();
  });
  if (plan.open) nvtxRangePushA("never popped");
  if (plan.end == "fork" || plan.end == "orphan") Fork(domain, inner, plan.end.c_str());
  if (plan.end == "close-files") {
    CloseFiles();
    Worker(plan, domain, inner);
  }
  Leave(plan, argv);
}
