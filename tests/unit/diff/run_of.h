#pragma once

#include <string_view>

#include "diff/runs/run.h"

namespace xsp::test {

// A run written down as text: what a comparison keeps of a trace, one fact a line.
//
//   steps 100 102 98                            the unit is a step; its measured times
//   span 100                                    the unit is the GPU span
//   gpu Tesla T4                                also: driver V, clock HZ, shape TEXT, memory BYTES,
//                                               cpu NAME, os NAME, card ID, one_time NS
//   found 20                                    so many steps, whatever the unit is
//   no_kernels                                  they were not recorded
//   whole 900 1000                              the GPU span and the program's, beside steps
//   range load = 9 9 8                          how long ranges of this name were open
//   kernel forward/layer 0/gemm = 40 41 39 x2 class=gemm precision=fp32 grid=8 block=128
//   collective backward/allreduce = 5 5 5      on the critical path as all device work is here,
//   copy load/[CUDA memcpy HtoD] = 9 9 9        unless off the path: hidden=1
//   call forward/layer 0/cudaLaunchKernel = 3 3 3 x2 kind=launch     (sync, host)
//
// A path's first names are a phase, a layer, operations; the last one is the kernel or call itself.
// One value stands for all steps. x2: so many of them in a step. The residual is what the steps
// have beyond all that is on the path. Throws std::invalid_argument that names the line.
Run RunOf(std::string_view text);

}  // namespace xsp::test
