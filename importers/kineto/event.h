#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/column.h"
#include "model/time.h"

namespace xsp {

// Absent numbers of an event.
inline constexpr std::int64_t kAbsent = kMissing<std::int64_t>;

// A process or thread as the file names it: a number (perhaps in quotes), or a word.
struct KinetoPlace {
  std::int64_t number = kAbsent;
  std::string_view word;  // Where it is no number: "Spans", "stream 7".
};

// One element of traceEvents: the fields that mean something to us. Views live until the parser
// goes on.
struct KinetoEvent {
  char phase = 0;  // 'X' complete, 'i' instant, 's' and 'f' ends of a flow, 'M' a name.
  std::string_view category;
  std::string_view name;
  KinetoPlace process;
  KinetoPlace thread;
  TimeNs begin = kAbsent;  // As in the file: since 1970, or since baseTimeNanoseconds.
  DurationNs duration = kAbsent;
  std::int64_t flow = kAbsent;

  // "args".
  std::int64_t external_id = kAbsent;
  std::int64_t correlation = kAbsent;
  std::int64_t device = kAbsent;
  std::int64_t context = kAbsent;
  std::int64_t stream = kAbsent;
  std::int64_t bytes = kAbsent;
  // Kernels.
  std::array<std::int64_t, 3> grid = {kAbsent, kAbsent, kAbsent};
  std::array<std::int64_t, 3> block = {kAbsent, kAbsent, kAbsent};
  std::int64_t registers = kAbsent;
  std::int64_t shared = kAbsent;
  std::int64_t graph = kAbsent;
  std::int64_t graph_node = kAbsent;
  std::int64_t priority = kAbsent;
  // Operators.
  std::int64_t sequence = kAbsent;
  std::int64_t forward_thread = kAbsent;
  std::string_view input_sizes;  // JSON, as written.
  std::string_view input_types;  // JSON, as written.
  std::string_view module;
  std::int64_t python_module = kAbsent;
  // Waits.
  std::string_view sync_kind;
  std::int64_t wait_stream = kAbsent;
  std::int64_t wait_record = kAbsent;  // Correlation id of the record waited for.
  std::int64_t wait_event = kAbsent;
  // Memory.
  std::int64_t address = kAbsent;
  std::int64_t device_type = kAbsent;
  std::int64_t total_allocated = kAbsent;
  std::int64_t total_reserved = kAbsent;
  // Collectives.
  std::string_view collective;
  std::string_view element_type;
  std::string_view group_name;
  std::int64_t group_size = kAbsent;
  std::int64_t in_elements = kAbsent;
  std::int64_t out_elements = kAbsent;
  std::int64_t rank = kAbsent;
  std::int64_t source_rank = kAbsent;
  std::int64_t target_rank = kAbsent;
  std::int64_t collective_sequence = kAbsent;
  // Names.
  std::string_view given_name;
};

}  // namespace xsp
