// What `xsp live --self-test` records: a few steps of known work, by way of whichever CUDA driver
// there is. The driver is asked for at run time and the kernel is PTX that it compiles itself, so
// this needs no CUDA to be built.
//
//   xsp-live-self-test FILE
//
// FILE gets a line "name value" for everything that was done, and "cuda 0" or "cuda WHY" first.
// The exit code is kSelfTestExit, whatever happened: it must come back through `xsp live`.
#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "live/self_test/plan.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define XSP_HAS_NVTX 1
#endif

namespace xsp::live {
namespace {

// Marks ranges where NVTX was there at build time.
void Push(const char* name) {
#ifdef XSP_HAS_NVTX
  nvtxRangePushA(name);
#else
  (void)name;
#endif
}
void Pop() {
#ifdef XSP_HAS_NVTX
  nvtxRangePop();
#endif
}

// A kernel that writes the number of its thread.
std::string Ptx(const char* version_and_target) {
  return std::string(version_and_target) +
         ".address_size 64\n"
         ".visible .entry xsp_self_test(.param .u64 to)\n"
         "{ .reg .u64 %a; .reg .u32 %t; ld.param.u64 %a, [to]; mov.u32 %t, %tid.x;\n"
         "  st.global.u32 [%a], %t; ret; }\n";
}

// The functions of the driver that the plan needs.
class Driver {
 public:
  // Empty if everything was found.
  std::string Load() {
    library_ = dlopen("libcuda.so.1", RTLD_NOW);
    if (library_ == nullptr) return "no CUDA driver (libcuda.so.1) is installed";
    Find(Init, "cuInit");
    Find(DeviceGet, "cuDeviceGet");
    Find(DevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
    Find(CtxSetCurrent, "cuCtxSetCurrent");
    Find(CtxSynchronize, "cuCtxSynchronize");
    Find(ModuleLoadData, "cuModuleLoadData");
    Find(ModuleGetFunction, "cuModuleGetFunction");
    Find(StreamCreate, "cuStreamCreate");
    Find(StreamSynchronize, "cuStreamSynchronize");
    Find(MemAlloc, "cuMemAlloc_v2");
    Find(MemcpyHtoD, "cuMemcpyHtoDAsync_v2");
    Find(MemcpyDtoH, "cuMemcpyDtoHAsync_v2");
    Find(Memset, "cuMemsetD8Async");
    Find(EventCreate, "cuEventCreate");
    Find(EventRecord, "cuEventRecord");
    Find(LaunchKernel, "cuLaunchKernel");
    return missing_.empty() ? "" : "the driver has no " + missing_;
  }

  int (*Init)(unsigned) = nullptr;
  int (*DeviceGet)(int*, int) = nullptr;
  int (*DevicePrimaryCtxRetain)(void**, int) = nullptr;
  int (*CtxSetCurrent)(void*) = nullptr;
  int (*CtxSynchronize)() = nullptr;
  int (*ModuleLoadData)(void**, const void*) = nullptr;
  int (*ModuleGetFunction)(void**, void*, const char*) = nullptr;
  int (*StreamCreate)(void**, unsigned) = nullptr;
  int (*StreamSynchronize)(void*) = nullptr;
  int (*MemAlloc)(std::uint64_t*, std::size_t) = nullptr;
  int (*MemcpyHtoD)(std::uint64_t, const void*, std::size_t, void*) = nullptr;
  int (*MemcpyDtoH)(void*, std::uint64_t, std::size_t, void*) = nullptr;
  int (*Memset)(std::uint64_t, unsigned char, std::size_t, void*) = nullptr;
  int (*EventCreate)(void**, unsigned) = nullptr;
  int (*EventRecord)(void*, void*) = nullptr;
  int (*LaunchKernel)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      void*, void**, void**) = nullptr;

 private:
  template <class F>
  void Find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library_, name));
    if (function == nullptr && missing_.empty()) missing_ = name;
  }

  void* library_ = nullptr;
  std::string missing_;
};

// The work on the device. Every answer of the driver is looked at; the first refusal ends it.
class Work {
 public:
  // Empty if the device is ready.
  std::string Prepare() {
    const std::string missing = driver_.Load();
    if (!missing.empty()) return missing;
    int device = 0;
    void* context = nullptr;
    Ask("cuInit", driver_.Init(0));
    if (Fine()) Ask("cuDeviceGet", driver_.DeviceGet(&device, 0));
    if (Fine()) Ask("cuDevicePrimaryCtxRetain", driver_.DevicePrimaryCtxRetain(&context, device));
    if (Fine()) Ask("cuCtxSetCurrent", driver_.CtxSetCurrent(context));
    if (Fine()) LoadKernel();
    if (Fine()) Ask("cuStreamCreate", driver_.StreamCreate(&stream_, kNonBlocking));
    if (Fine()) Ask("cuMemAlloc", driver_.MemAlloc(&memory_, kSelfTestBytes));
    if (Fine()) Ask("cuEventCreate", driver_.EventCreate(&event_, 0));
    return refusal_;
  }

  std::string Step() {
    static char host[kSelfTestBytes];
    Ask("cuMemcpyHtoDAsync", driver_.MemcpyHtoD(memory_, host, sizeof host, stream_));
    Ask("cuMemsetD8Async", driver_.Memset(memory_, 1, sizeof host, stream_));
    for (int i = 0; i < kSelfTestKernels; ++i) Launch();
    Ask("cuMemcpyDtoHAsync", driver_.MemcpyDtoH(host, memory_, sizeof host, stream_));
    Ask("cuEventRecord", driver_.EventRecord(event_, stream_));
    Ask("cuStreamSynchronize", driver_.StreamSynchronize(stream_));
    return refusal_;
  }

  // What a launch costs the calling thread, in nanoseconds.
  double TimeLaunches() {
    using Clock = std::chrono::steady_clock;
    Ask("cuCtxSynchronize", driver_.CtxSynchronize());
    double best = 0;
    for (int round = 0; round < kSelfTestRounds; ++round) {
      const Clock::time_point begin = Clock::now();
      for (int i = 0; i < kSelfTestTimed; ++i) Launch();
      const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
      Ask("cuCtxSynchronize", driver_.CtxSynchronize());
      const double each = taken.count() / kSelfTestTimed;
      if (round == 0 || each < best) best = each;
    }
    return best;
  }

 private:
  static constexpr unsigned kNonBlocking = 1;

  bool Fine() const { return refusal_.empty(); }
  void Ask(const char* call, int result) {
    if (Fine() && result != 0) refusal_ = std::string(call) + " answers " + std::to_string(result);
  }
  void LoadKernel() {
    void* module = nullptr;
    int result = 0;
    // The second one for GPUs that are older than the first allows.
    for (const char* target : {".version 6.4\n.target sm_75\n", ".version 6.0\n.target sm_50\n"}) {
      result = driver_.ModuleLoadData(&module, Ptx(target).c_str());
      if (result == 0) break;
    }
    Ask("cuModuleLoadData", result);
    if (Fine())
      Ask("cuModuleGetFunction", driver_.ModuleGetFunction(&kernel_, module, kSelfTestKernel));
  }
  void Launch() {
    void* parameters[] = {&memory_};
    Ask("cuLaunchKernel", driver_.LaunchKernel(kernel_, kSelfTestGrid, 1, 1, kSelfTestBlock, 1, 1,
                                               0, stream_, parameters, nullptr));
  }

  Driver driver_;
  std::string refusal_;
  void* kernel_ = nullptr;
  void* stream_ = nullptr;
  void* event_ = nullptr;
  std::uint64_t memory_ = 0;
};

int Main(const char* file) {
  Work work;
  std::string cuda = work.Prepare();
  for (int step = 0; step < kSelfTestSteps; ++step) {
    const std::string name = "self-test step " + std::to_string(step);
    Push(name.c_str());
    Push("inner");
    if (cuda.empty()) cuda = work.Step();
    Pop();
    Pop();
  }
  const double launch_ns = cuda.empty() ? work.TimeLaunches() : 0;
  std::FILE* out = std::fopen(file, "w");
  if (out == nullptr) return 2;
#ifdef XSP_HAS_NVTX
  const int ranges = 2 * kSelfTestSteps;
#else
  const int ranges = 0;
#endif
  std::fprintf(out, "cuda %s\nranges %d\nlaunch_ns %.0f\n", cuda.empty() ? "0" : cuda.c_str(),
               ranges, launch_ns);
  return std::fclose(out) == 0 ? kSelfTestExit : 2;
}

}  // namespace
}  // namespace xsp::live

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: xsp-live-self-test FILE\n", stderr);
    return 2;
  }
  return xsp::live::Main(argv[1]);
}
