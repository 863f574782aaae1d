#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hierarchy/level.h"

// What the text of a range says: pure functions, no trace needed.
namespace xsp {

// The phase that a user's name speaks of ("forward pass", "optimizer.step", "post_processing").
Phase PhaseOfName(std::string_view name);

// How much a name speaks of steps: 3 "Step 7", "iteration 3", "ProfilerStep#1"; 2 "batch 4",
// "frame 9"; 1 "epoch 2"; 0 not at all.
int StepRank(std::string_view name);

// The kind of a name: runs of digits become '#', so that "Step 7" and "Step 8" are of one kind.
std::string KindOfName(std::string_view name);

// What ranges of an NVTX domain of this name are.
enum class DomainKind : std::uint8_t { kUser, kLibrary, kTensorRt, kXla, kPython };
DomainKind KindOfDomain(std::string_view domain);

// Names such as "ncclAllReduce", "cublasSgemm", "cub::DeviceRadixSort", in whatever domain.
bool IsLibraryCall(std::string_view name);

// Threads on which PyTorch runs the backward pass, and those that load data.
bool IsBackwardThread(std::string_view thread_name);
bool IsLoaderThread(std::string_view thread_name);
// Ranges around a load from worker processes, by the names of PyTorch's iterators.
bool NamesLoaderWorkers(std::string_view range);

}  // namespace xsp
