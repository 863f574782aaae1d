#pragma once

#include <string_view>

namespace xsp {

// What a CUDA call is called everywhere but in NVIDIA's own tables: its name as recorded without
// nsys' version ("cudaLaunchKernel_v7000"), the driver's ("cuMemAlloc_v2") and the mark of
// per-thread default streams ("cudaMemcpyAsync_ptsz"). They say which entry point of the library
// was used, not what was asked of it; with them one call would have several rows.
std::string_view CallName(std::string_view recorded);

// The same without the API in front: "LaunchKernel" of cudaLaunchKernel, cuLaunchKernel and
// hipLaunchKernel. Empty for what is no call of these.
std::string_view BareCallName(std::string_view recorded);

}  // namespace xsp
