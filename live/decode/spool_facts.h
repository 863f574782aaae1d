#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "live/decode/clock_map.h"
#include "live/spool/cupti_records.h"
#include "live/spool/format.h"
#include "live/spool/spool_reader.h"

namespace xsp::live {

// What must be known of a spool before its events can be read: everything that events refer to
// stands somewhere in the file, not always ahead of them. Times are CUPTI's or the host's own.
struct SpoolFacts {
  struct Note {
    NoteFront front;
    std::string text;
  };
  struct ThreadFacts {
    std::string name;
    std::int32_t priority = 0;
  };
  // A call of the runtime or the driver, before it is known whether it is the program's own.
  struct Call {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint32_t thread = 0;
    std::uint32_t correlation = 0;
    std::uint32_t cbid = 0;
    std::uint32_t return_value = 0;
    bool driver = false;
  };
  struct Switch {
    std::uint64_t time = 0;
    bool on = false;
  };
  // Where events of a thread stand; sorted, these are the thread's events in order.
  struct EventsBlock {
    std::uint32_t thread = 0;
    std::uint32_t use = 0;
    std::uint32_t begin = 0;
    std::uint64_t file_offset = 0;
    auto operator<=>(const EventsBlock&) const = default;
  };
  struct DeviceFacts {
    CuptiDeviceRecord record = {};
    std::string name;
  };

  std::filesystem::path file;
  std::uint64_t bytes = 0;
  std::uint64_t torn_bytes = 0;
  std::uint64_t damaged_blocks = 0;  // Sound by their checksum, but not as they should be.
  ProcessFront process = {};
  CountsFront counts = {};
  std::vector<Note> notes;
  std::vector<ClockReading> clock_readings;
  ClockMap clock;

  std::uint32_t cupti_version = 0;
  std::uint32_t cuda_version = 0;
  std::string driver_version;

  std::map<std::uint32_t, std::string> domains;
  std::unordered_map<std::uint64_t, std::string> strings;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> categories;  // (domain, category).
  std::map<std::uint32_t, std::string> nvtx_threads;
  std::map<std::uint32_t, ThreadFacts> threads;
  std::map<std::pair<bool, std::uint32_t>, std::string> call_names;  // (driver, cbid).
  std::map<std::uint32_t, CuptiContextRecord> contexts;
  std::map<std::pair<std::uint32_t, std::uint32_t>, CuptiStreamRecord> streams;
  std::map<std::uint32_t, DeviceFacts> devices;
  // Which device a context is on, also where work says so and no record of the context does.
  std::map<std::uint32_t, std::uint32_t> device_of_context;
  std::vector<Call> calls;
  std::vector<Switch> switches;
  std::vector<EventsBlock> host_events;  // Sorted.

  // Takes over what a forked process has from the one that it was forked from.
  void Inherit(const SpoolFacts& origin);
};

// Reads a spool once, to its end or to where it is torn. Throws Error if it is no spool at all, or
// does not say whose it is.
SpoolFacts ReadFacts(const std::filesystem::path& file);

}  // namespace xsp::live
