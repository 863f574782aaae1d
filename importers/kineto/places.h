#pragma once

#include <cstdint>
#include <string_view>

#include "importers/kineto/event.h"
#include "importers/kineto/rows.h"

// Where an event of a Kineto file happened, and its numbers as the model holds them.
namespace xsp {

inline constexpr std::uint32_t kNone32 = kMissing<std::uint32_t>;
inline constexpr std::uint64_t kNone64 = kMissing<std::uint64_t>;

// The number, or the model's "missing" for one that is negative, absent or too large.
std::uint32_t Small(std::int64_t value);
std::uint64_t Large(std::int64_t value);
// A correlation id; 0 for none.
std::uint32_t Correlation(std::int64_t value);

// A process or thread without a number goes by a number made of its name, from 2^31 upwards.
std::int64_t NumberOf(const KinetoPlace& place);

KinetoTrack ThreadOf(const KinetoEvent& event);
// The stream that the event itself names, or another one of the same context.
KinetoTrack StreamOf(const KinetoEvent& event);
KinetoTrack StreamOf(const KinetoEvent& event, std::int64_t stream);

// CUDA's rows name their context; AMD's do not: there is one.
std::uint32_t ContextOf(const KinetoEvent& event);

}  // namespace xsp
