#pragma once

#include <string_view>

#include "model/trace.h"

namespace xsp::test {

// A trace written down as text, one event a line: track, time, kind, name, then facts in any order.
// Blank lines and what follows a '#' that stands before a space are left out.
//
//   T1       0-100  push "step 1"                      NVTX push/pop range
//   T1       0-100  startend load domain=NCCL          NVTX start/end range
//   T1       7      mark hello                         NVTX mark (an instant)
//   T1       5-8    api cudaLaunchKernel #1            a CUDA call with correlation id 1
//   S7      10-30   kernel gemm #1 grid=2x1x1 block=128x1x1 regs=32 shared=1024 node=5 graph=2
//   S7      31-40   memcpy HtoD #2 bytes=1024 src=pageable dst=device
//   S7      41-42   memset #3 bytes=64
//   S7      50-90   graph #4                           a graph traced as one piece
//   M        5-9    migration HtoD bytes=4096          unified-memory migration
//   T1      40-60   sync stream=7 #5                   also: sync context, sync event=3
//   T1      61-62   wait stream=8 event=3 #6           cudaStreamWaitEvent
//   T1              record stream=7 event=3 #7         takes the time of call #7
//   T1       3-9    osrt read
//   T1       3-9    mpi MPI_Send bytes=8
//   T1       3-9    library cublasSgemm
//   T1       3      node 5 from=2                      a graph node was made (from another)
//   T1       3      sample main<-solve cycles=100      call chain, innermost first
//   T1       3      sched out                          also: sched in
//   T5       0      named receiver                     no event: a thread and its name
//   T1       3-9    overhead flush
//   D        3      alloc bytes=100 address=7          also: free
//
// Tracks: T<thread>, S<stream>, M (migrations), D (device), each with a prefix where it is not
// process 1, device 0, context 1: "P2.T1", "P2.D1.C3.S7". Stream 7 is the null stream of its
// context. Streams other than 7 are blocking unless flag=nonblocking is given on one of their
// lines. Facts of NVTX events: domain=NAME, category=N, json='{"a":1}'. flag=unfinished marks an
// event. Texts of frameworks ("aten::mm, seq = 5") become operators. Throws std::invalid_argument
// that names the line.
Trace MakeTrace(std::string_view text);

}  // namespace xsp::test
