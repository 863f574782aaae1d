#include "sim/ranks/job/operation_types.h"

#include <algorithm>
#include <array>

namespace xsp {
namespace {

constexpr std::array kKnownTypes = {
    OperationType{"forward-compute", OpRole::kForward, OpJoins::kNobody, false, ""},
    OperationType{"backward-compute", OpRole::kBackward, OpJoins::kNobody, false, ""},
    OperationType{"forward-send", OpRole::kForwardSend, OpJoins::kPartner, true, "forward-pp-comm"},
    OperationType{"forward-recv", OpRole::kForwardReceive, OpJoins::kPartner, true,
                  "forward-pp-comm"},
    OperationType{"backward-send", OpRole::kBackwardSend, OpJoins::kPartner, true,
                  "backward-pp-comm"},
    OperationType{"backward-recv", OpRole::kBackwardReceive, OpJoins::kPartner, true,
                  "backward-pp-comm"},
    OperationType{"params-all-gather", OpRole::kGatherParameters, OpJoins::kReplicas, true, ""},
    OperationType{"grads-reduce-scatter", OpRole::kReduceGradients, OpJoins::kReplicas, true, ""},
    OperationType{"gc", OpRole::kOther, OpJoins::kNobody, false, ""},
    OperationType{"layernorm-grads-all-reduce", OpRole::kOther, OpJoins::kNobody, true, ""},
    OperationType{"embedding-grads-all-reduce", OpRole::kOther, OpJoins::kEmbeddings, true, ""},
    OperationType{"separate-grads-all-reduce", OpRole::kOther, OpJoins::kReplicas, true, ""},
    OperationType{"optimizer-clip-main-grad", OpRole::kOther, OpJoins::kAll, true, ""},
    OperationType{"optimizer", OpRole::kOther, OpJoins::kNobody, false, ""},
};

}  // namespace

// Names of other tracers: a collective is one of the replicas, anything else is computed.
OperationType OperationTypeCalled(std::string_view name) {
  for (const OperationType& known : kKnownTypes) {
    if (known.name == name) return known;
  }
  for (const std::string_view word :
       {"all-reduce", "all_reduce", "allreduce", "all-gather", "all_gather", "allgather",
        "reduce-scatter", "reduce_scatter", "all-to-all", "all_to_all", "alltoall", "broadcast",
        "barrier"}) {
    if (name.find(word) != name.npos) return {name, OpRole::kOther, OpJoins::kReplicas, true, ""};
  }
  return {name, OpRole::kOther, OpJoins::kNobody, false, ""};
}

std::size_t TurnInStep(std::string_view name) {
  const auto place = std::find_if(kKnownTypes.begin(), kKnownTypes.end(),
                                  [&](const OperationType& known) { return known.name == name; });
  return static_cast<std::size_t>(place - kKnownTypes.begin());
}

}  // namespace xsp
