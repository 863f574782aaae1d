#include "importers/kineto/places.h"

#include <algorithm>
#include <cstdlib>

#include "importers/kineto/text.h"

namespace xsp {
namespace {

// "stream 7", as old files name a GPU's rows.
std::int64_t TrailingNumber(std::string_view word) {
  const std::size_t at = word.find_last_not_of("0123456789");
  return WholeNumber(word.substr(at == word.npos ? 0 : at + 1)).value_or(kAbsent);
}

std::int64_t DeviceOf(const KinetoEvent& event) {
  if (event.device >= 0) return event.device;
  return std::max<std::int64_t>(0, event.process.number);
}

}  // namespace

std::uint32_t Small(std::int64_t value) {
  return value < 0 || value >= kNone32 ? kNone32 : static_cast<std::uint32_t>(value);
}
std::uint64_t Large(std::int64_t value) {
  return value < 0 ? kNone64 : static_cast<std::uint64_t>(value);
}
std::uint32_t Correlation(std::int64_t value) {
  return value <= 0 || value >= kNone32 ? 0 : Small(value);
}

std::uint32_t ContextOf(const KinetoEvent& event) {
  return event.context >= 0 ? Small(event.context) : 1;
}

std::int64_t NumberOf(const KinetoPlace& place) {
  if (place.number != kAbsent) return std::abs(place.number);
  std::uint32_t hash = 2166136261u;
  for (char c : place.word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return 0x80000000u | (hash >> 1);
}

KinetoTrack ThreadOf(const KinetoEvent& event) {
  return {.kind = TrackKind::kThread,
          .process = NumberOf(event.process),
          .thread = NumberOf(event.thread)};
}

KinetoTrack StreamOf(const KinetoEvent& event, std::int64_t stream) {
  return {.kind = TrackKind::kStream,
          .device = DeviceOf(event),
          .context = ContextOf(event),
          .stream = stream};
}

KinetoTrack StreamOf(const KinetoEvent& event) {
  std::int64_t stream = event.stream;
  if (stream < 0) stream = event.thread.number;
  if (stream < 0) stream = TrailingNumber(event.thread.word);
  return StreamOf(event, std::max<std::int64_t>(0, stream));
}

}  // namespace xsp
