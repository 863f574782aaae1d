#pragma once

#include <cstdint>

namespace xsp {

// What Overheads::overhead_type says: CUPTI's numbers, the same in exports and Kineto files.

// What a profiler does for itself: writing out its buffers, instrumenting code, making its own
// resources. A full command buffer is the driver's back-pressure, and no profiler's work.
constexpr bool IsProfilersOwn(std::uint8_t type) {
  constexpr std::uint8_t kBufferFlush = 3, kInstrumentation = 4, kResource = 5;
  return type == kBufferFlush || type == kInstrumentation || type == kResource;
}

// What the program would do without a profiler as well, once: compiling for the device, loading
// modules, loading functions when they are first used.
constexpr bool IsLoading(std::uint8_t type) {
  constexpr std::uint8_t kDriverJit = 2, kModuleLoading = 6, kLazyFunctionLoading = 7;
  return type == kDriverJit || type == kModuleLoading || type == kLazyFunctionLoading;
}

}  // namespace xsp
