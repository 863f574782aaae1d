#pragma once

#include <cstddef>
#include <cstdint>

// The driver of cuda_standin.cc.
extern "C" {

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuStreamCreate(void** stream, unsigned flags);
int cuStreamSynchronize(void* stream);
int cuMemAlloc_v2(std::uint64_t* memory, std::size_t bytes);
int cuMemFree_v2(std::uint64_t memory);
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream);
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream);
int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t bytes, void* stream);
int cuEventCreate(void** event, unsigned flags);
int cuEventRecord(void* event, void* stream);
int cuCtxSynchronize();
int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void* stream, void** parameters, void** extra);
int cuProfilerStart();
int cuProfilerStop();

// What the stand-in has beside the driver's own functions.
void standin_runtime_launch(const char* name, void* stream);
void standin_graph(int launches);

}  // extern "C"
