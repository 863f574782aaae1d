#pragma once

#include "sim/whatif.h"

// The named what-ifs, one file each. To add one: a file here that defines its
// WhatIf, a line below, a row in whatifs.cc, a text test with an answer worked
// out by hand.
namespace xsp {

extern const WhatIf kTf32;
extern const WhatIf kAmp;
extern const WhatIf kFaster;
extern const WhatIf kReplace;
extern const WhatIf kNoSync;
extern const WhatIf kCudaGraphs;
extern const WhatIf kFusedOptimizer;
extern const WhatIf kDdp;
extern const WhatIf kFuse;
extern const WhatIf kPinned;
extern const WhatIf kPrefetch;
extern const WhatIf kLoader;
extern const WhatIf kKeepOnDevice;
extern const WhatIf kAllocateOnce;
extern const WhatIf kLargerCopies;
extern const WhatIf kReadEvery;
extern const WhatIf kManagedPrefetch;
extern const WhatIf kFillGpu;
extern const WhatIf kMergeKernels;
extern const WhatIf kOverlapHost;
extern const WhatIf kBatch;
extern const WhatIf kAccumulate;
extern const WhatIf kNetwork;
extern const WhatIf kBuckets;
extern const WhatIf kBatchNorm;
extern const WhatIf kAttentionFused;
extern const WhatIf kFp8;
extern const WhatIf kChannelsLast;
extern const WhatIf kOnGpu;
extern const WhatIf kCheckpoint;
extern const WhatIf kGist;
extern const WhatIf kVdnn;
extern const WhatIf kP3;
extern const WhatIf kBlueConnect;
extern const WhatIf kDgc;
extern const WhatIf kFsdp;
extern const WhatIf kMetaFlow;
extern const WhatIf kTensorParallel;
extern const WhatIf kPipeline;

}  // namespace xsp
