#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xsp {

enum class Collective : std::uint8_t {
  kAllReduce,
  kReduceScatter,
  kAllGather,
  kAllToAll,
  kBroadcast,
  kReduce,
  kSendReceive,
};
std::string_view NameOf(Collective collective);

// By the name of a kernel or an operation: "ncclDevKernel_AllReduce_Sum_f32_RING_LL".
std::optional<Collective> CollectiveOf(std::string_view name);

}  // namespace xsp
