#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "model/building/trace_builder.h"
#include "model/trace.h"

namespace xsp {

// How a trace goes into another one.
struct CopyOptions {
  DurationNs shift = 0;  // Added to all times.
  // The global id that a process has there; others keep their own.
  std::map<ProcessId, std::uint64_t> process_ids;
  // Added to the numbers of named NVTX domains: those of two sources must not meet.
  std::uint64_t domain_offset = 0;
  std::set<EventKind> left_out;  // Kinds that stay behind.
};

// Copies whole traces into one builder, which sorts them, links work with calls anew and numbers
// everything. Ids of different traces do not meet, but for processes of the same global id.
class TraceCopier {
 public:
  explicit TraceCopier(TraceBuilder& builder) : builder_(builder) {}

  void Copy(const Trace& trace, const CopyOptions& options);

  // After the last trace.
  void Finish() { builder_.SetOperands(std::move(operands_)); }

 private:
  struct Names;  // The ids of a trace in the builder.

  void CopyEntities(const Trace& trace, const CopyOptions& options, Names& names);
  void CopyTracks(const Trace& trace, Names& names);
  void CopyEvents(const Trace& trace, const CopyOptions& options, const Names& names);
  void CopyTables(const Trace& trace, const CopyOptions& options, const Names& names);

  TraceBuilder& builder_;
  std::uint64_t order_ = 0;        // Of the traces.
  std::uint32_t gpus_ = 0;         // Copied so far.
  std::uint32_t chains_ = 0;       // Copied so far.
  std::uint32_t source_rows_ = 0;  // Of NVTX events, given anew.
  std::uint32_t signatures_ = 0;   // Copied so far.
  Operands operands_;
};

}  // namespace xsp
