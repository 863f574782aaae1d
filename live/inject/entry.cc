// The entry points of the library. Whoever calls them gets the answer that keeps the program going,
// whatever happens in here.
#include <pthread.h>

#include "live/inject/no_loader.h"
#include "live/inject/nvtx_hooks.h"
#include "live/inject/recorder.h"

namespace {

// A thread that begins to record in here is not cancelled half-way, and others that fork wait until
// it has: the child would wait for that thread for ever, which it does not have.
class Beginning {
 public:
  Beginning() {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_);
    xsp::inject::Recorder::Get().EnterBeginning();
  }
  ~Beginning() {
    xsp::inject::Recorder::Get().LeaveBeginning();
    pthread_setcancelstate(before_, nullptr);
  }
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;

 private:
  int before_ = 0;
};

}  // namespace

#define XSP_EXPORT extern "C" __attribute__((visibility("default")))

// The CUDA driver calls this when the program initialises CUDA, if CUDA_INJECTION64_PATH names this
// library. Anything but 0 is "fine".
XSP_EXPORT int InitializeInjection() {
  if (xsp::inject::HasNoLoader()) return 1;
  const Beginning beginning;
  xsp::inject::Recorder::Get().StartCuda();
  return 1;
}

// Every copy of NVTX in the program calls this at its first use, if NVTX_INJECTION64_PATH names
// this library. 0: that copy does nothing from now on, as if there were no tool.
XSP_EXPORT int InitializeInjectionNvtx2(xsp::inject::NvtxGetExportTable get_export_table) {
  if (xsp::inject::HasNoLoader()) return 0;
  const Beginning beginning;
  xsp::inject::Recorder& recorder = xsp::inject::Recorder::Get();
  if (!recorder.EnsureRunning()) return 0;
  if ((recorder.settings().kinds & xsp::live::kNvtxBit) == 0) return 0;
  return xsp::inject::HookNvtx(get_export_table) ? 1 : 0;
}
