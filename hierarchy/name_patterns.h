#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hierarchy/level.h"

// What the text of a range says: pure functions, no trace needed.
namespace xsp {

// A range's text, taken apart.
struct ParsedRangeName {
  std::string_view text;  // What names the thing: without sequence number, ids, sizes. May point
                          // into `own`, else into the parsed text.
  std::string own;        // Where the shown name is not a piece of the text.
  std::int32_t sequence = -1;  // "seq = N" of PyTorch; -1: none.
  bool is_backward = false;    // A node of the autograd graph: "AddmmBackward0".
  std::optional<Level> level;  // Where the form of the text tells it.
};

// PyTorch ("aten::mm, seq = 5, op_id = 7, sizes = [...]"), PyProf and DLProf dictionaries,
// "layer:NAME", XLA modules and thunks, Megatron module paths; any other text stays as it is.
ParsedRangeName ParseRangeName(std::string_view text);

// The phase that a user's name speaks of ("forward pass", "optimizer.step", "post_processing").
Phase PhaseOfName(std::string_view name);

// How much a name speaks of steps: 3 "Step 7", "iteration 3", "ProfilerStep#1"; 2 "batch 4",
// "frame 9"; 1 "epoch 2"; 0 not at all.
int StepRank(std::string_view name);

// The kind of a name: runs of digits become '#', so that "Step 7" and "Step 8" are of one kind.
std::string KindOfName(std::string_view name);

// What ranges of an NVTX domain of this name are.
enum class DomainKind : std::uint8_t { kUser, kLibrary, kTensorRt, kXla };
DomainKind KindOfDomain(std::string_view domain);

// Names such as "ncclAllReduce", "cublasSgemm", "cub::DeviceRadixSort", in whatever domain.
bool IsLibraryCall(std::string_view name);

// Threads on which PyTorch runs the backward pass, and those that load data.
bool IsBackwardThread(std::string_view thread_name);
bool IsLoaderThread(std::string_view thread_name);

}  // namespace xsp
