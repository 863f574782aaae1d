#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "hierarchy/hierarchy.h"
#include "model/names/communication.h"
#include "model/trace.h"

namespace xsp {

// What is a collective, and which communicator collectives belong to, where the trace says so: NCCL
// marks its calls with ranges whose payload has the communicator's id, the same on all its ranks.
// Refers to the hierarchy.
class Communicators {
 public:
  explicit Communicators(const Hierarchy& hierarchy);

  // Whether a kernel is a collective: by its class, so that a user's rules tell, too.
  bool IsCollective(EventId kernel) const {
    const StringId name = hierarchy_.trace().name_of(kernel);
    return IsCommunication(hierarchy_.kinds().OfName(name).kernel_class);
  }
  // The communicator of the innermost such range that holds the launch. Nothing where there is
  // none: the payload was not recorded, or the kernel was launched at the end of a group of calls.
  std::optional<std::uint64_t> Of(EventId kernel) const;

 private:
  const Hierarchy& hierarchy_;
  std::unordered_map<EventId, std::uint64_t> of_range_;
};

}  // namespace xsp
