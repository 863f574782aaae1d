// The entry points of the library. Whoever calls them gets the answer that keeps the program going,
// whatever happens in here.
#include "live/inject/no_loader.h"
#include "live/inject/nvtx_hooks.h"
#include "live/inject/recorder.h"

#define XSP_EXPORT extern "C" __attribute__((visibility("default")))

// The CUDA driver calls this when the program initialises CUDA, if CUDA_INJECTION64_PATH names this
// library. Anything but 0 is "fine".
XSP_EXPORT int InitializeInjection() {
  if (xsp::inject::HasNoLoader()) return 1;
  xsp::inject::Recorder::Get().StartCuda();
  return 1;
}

// Every copy of NVTX in the program calls this at its first use, if NVTX_INJECTION64_PATH names
// this library. 0: that copy does nothing from now on, as if there were no tool.
XSP_EXPORT int InitializeInjectionNvtx2(xsp::inject::NvtxGetExportTable get_export_table) {
  if (xsp::inject::HasNoLoader()) return 0;
  xsp::inject::Recorder& recorder = xsp::inject::Recorder::Get();
  if (!recorder.EnsureRunning()) return 0;
  if ((recorder.settings().kinds & xsp::live::kNvtxBit) == 0) return 0;
  return xsp::inject::HookNvtx(get_export_table) ? 1 : 0;
}
