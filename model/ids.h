#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace xsp {

// An index into one table of a trace. Each table has its own Id type, so that a track cannot be
// used where a string is meant. A default-made Id points nowhere.
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}

  constexpr bool valid() const { return value != kNone; }
  constexpr auto operator<=>(const Id&) const = default;
};

using StringId = Id<struct StringTag>;    // A row of Trace::strings().
using EventId = Id<struct EventTag>;      // A row of Trace::events().
using TrackId = Id<struct TrackTag>;      // A row of Trace::tracks().
using ProcessId = Id<struct ProcessTag>;  // A row of Trace::processes().
using GpuId = Id<struct GpuTag>;          // A row of Trace::gpus().
using DomainId = Id<struct DomainTag>;    // A row of Trace::domains().
using ChainId = Id<struct ChainTag>;      // A call chain: a run of rows of Trace::frames().
// What an operator takes, as operands: a run of rows of Trace::operands().
using SignatureId = Id<struct SignatureTag>;

}  // namespace xsp

template <class Tag>
struct std::hash<xsp::Id<Tag>> {
  std::size_t operator()(xsp::Id<Tag> id) const noexcept { return id.value; }
};
