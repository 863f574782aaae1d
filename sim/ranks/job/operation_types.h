#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// What the names of operations in a table tell (docs/ranks.md): those of the published traces, and
// words in the names of other tracers.
namespace xsp {

// What an operation does in a step.
enum class OpRole : std::uint8_t {
  kForward,
  kBackward,
  kForwardSend,
  kForwardReceive,
  kBackwardSend,
  kBackwardReceive,
  kGatherParameters,
  kReduceGradients,
  kOther,  // In its turn between the passes, or behind them.
};
inline constexpr std::size_t kOpRoles = static_cast<std::size_t>(OpRole::kOther) + 1;

// With whom an operation is a joint one.
enum class OpJoins : std::uint8_t { kNobody, kPartner, kReplicas, kEmbeddings, kAll };

struct OperationType {
  std::string_view name;
  OpRole role;
  OpJoins joins;
  bool is_communication;
  std::string_view shown;  // Empty: its name.
};

// A step that has such operations reduces other gradients beside its backward passes.
inline constexpr std::string_view kSeparateGradients = "separate-grads-all-reduce";

// Keeps a view of the name.
OperationType OperationTypeCalled(std::string_view name);

// Of what begins together, what has the smaller number comes first in a step.
std::size_t TurnInStep(std::string_view name);

}  // namespace xsp
