#include "hierarchy/names/communicators.h"

namespace xsp {

Communicators::Communicators(const Hierarchy& hierarchy) : hierarchy_(hierarchy) {
  const Collectives& known = hierarchy.trace().collectives();
  for (std::size_t row = 0; row < known.event.size(); ++row) {
    const std::uint64_t communicator = known.communicator[row];
    if (communicator != kMissing<std::uint64_t>) of_range_.emplace(known.event[row], communicator);
  }
}

std::optional<std::uint64_t> Communicators::Of(EventId kernel) const {
  const EventId call = hierarchy_.trace().call_of(kernel);
  if (of_range_.empty() || !call.valid()) return std::nullopt;
  const HostRanges& ranges = hierarchy_.ranges();
  // Not by time alone: what another thread had open says nothing of this call's communicator.
  for (HostRanges::Place place = ranges.OfCall(call);
       place.range != HostRanges::kNone && !place.temporal; place = ranges.parent(place.range)) {
    const auto it = of_range_.find(ranges.event(place.range));
    if (it != of_range_.end()) return it->second;
  }
  return std::nullopt;
}

}  // namespace xsp
