#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "live/inject/cupti_api.h"

namespace xsp::inject {

// Goes through the records of a buffer with the iterator of the libcupti that wrote them: only that
// knows how long they are. Calls f(record, kind, bytes, is_last) for each; a record ends where the
// next begins, the last one with the buffer. Returns where the records begin.
template <class F>
const std::uint8_t* WalkRecords(const CuptiApi& api, std::uint8_t* buffer, std::size_t valid, F f) {
  auto kind_of = [](const std::uint8_t* record) {
    std::uint32_t kind;
    std::memcpy(&kind, record, sizeof kind);
    return kind;
  };
  const std::uint8_t* const end = buffer + valid;
  const std::uint8_t* first = nullptr;
  const std::uint8_t* record = nullptr;
  void* next = nullptr;
  while (api.GetNextRecord(buffer, valid, &next) == kCuptiSuccess) {
    const auto* at = static_cast<const std::uint8_t*>(next);
    // An iterator that does not move on, or leaves the buffer, is not followed.
    if (at == nullptr || at < buffer || end - at < 8 || (record != nullptr && at <= record)) break;
    if (record != nullptr) {
      f(record, kind_of(record), static_cast<std::size_t>(at - record), false);
    } else {
      first = at;
    }
    record = at;
  }
  if (record != nullptr) f(record, kind_of(record), static_cast<std::size_t>(end - record), true);
  return first;
}

}  // namespace xsp::inject
