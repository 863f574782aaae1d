#include "model/names/communication.h"

#include <algorithm>
#include <array>

#include "model/names/words.h"

namespace xsp {
namespace {

template <std::size_t kSize>
bool StartsWithAny(std::string_view text, const std::array<std::string_view, kSize>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

// Libraries and frameworks that do nothing else, whatever their operations are called.
constexpr std::array<std::string_view, 9> kCommunicates = {"nccl",
                                                           "rccl",
                                                           "msccl",
                                                           "nvshmem",
                                                           "c10d::",
                                                           "c10d_functional::",
                                                           "_c10d_functional::",
                                                           "deep_ep",
                                                           "record_param_comms"};
// Operators on tensors of one GPU: "aten::broadcast_to" sends nothing.
constexpr std::array<std::string_view, 3> kStaysOnGpu = {"aten::", "prims::", "prim::"};

}  // namespace

bool NamesCommunication(std::string_view text) {
  if (StartsWithAny(text, kCommunicates)) return true;
  if (StartsWithAny(text, kStaysOnGpu)) return false;
  const Words words(text);
  return words.HasAny({"allreduce", "allgather", "reducescatter", "alltoall", "sendrecv",
                       "broadcast", "communication", "comm", "comms", "nccl", "rccl", "msccl",
                       "nvshmem"}) ||
         words.HasRun({"all", "reduce"}) || words.HasRun({"all", "gather"}) ||
         words.HasRun({"reduce", "scatter"}) || words.HasRun({"all", "to", "all"}) ||
         words.HasRun({"all", "all"}) ||  // "all2all".
         words.HasRun({"send", "recv"}) || words.HasRun({"grad", "sync"}) ||
         words.HasRun({"gradient", "sync"}) || words.HasRun({"gradient", "synchronization"});
}

}  // namespace xsp
