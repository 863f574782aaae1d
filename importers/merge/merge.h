#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "importers/merge/clock_fit.h"
#include "model/event_kind.h"
#include "model/trace.h"

namespace xsp {

// A file that was read.
struct Recording {
  std::filesystem::path file;
  Trace trace;
};

// What two recordings were put on one clock by.
enum class JoinedBy : std::uint8_t {
  kFirst,  // Nothing: the first recording, whose clock is that of the trace.
  kCorrelation,
  kOrder,  // Of the kernels, where correlation ids were counted otherwise.
  kCollectives,
  kTimeOfDay,
};
std::string_view NameOf(JoinedBy by);

// What became of one recording.
struct JoinedRecording {
  std::filesystem::path file;
  JoinedBy by = JoinedBy::kFirst;
  std::size_t moments = 0;  // Kernels or collectives that could be found in the first,
  std::size_t matched = 0;  // and those that were.
  ClockFit clock;           // To add to its times; moments is 0 by the time of day.
  std::map<EventKind, std::uint32_t> taken;     // Events that are in the trace.
  std::map<EventKind, std::uint32_t> left_out;  // Those that the first has already.
};

struct MergedRecordings {
  Trace trace;
  std::vector<JoinedRecording> joined;  // The one whose clock counts first.
  std::vector<std::string> notes;       // What was joined by what, and how well clocks agree.
};

// Puts several recordings into one trace:
//  - one of nsys and those of the PyTorch profiler of the same run: the CUDA side of the first with
//    the operators, shapes and modules of the others;
//  - one per rank of a distributed job: one trace with several processes, on one clock.
// Throws Error, with the reason, if they do not belong together.
MergedRecordings MergeRecordings(std::vector<Recording> recordings);

}  // namespace xsp
