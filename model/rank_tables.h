#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/column.h"

// What is kept of a rank beside its trace: small tables with texts, from which questions about many
// ranks are answered without reading a trace again. hierarchy/ranks/ makes them, store/dataset/
// writes and reads them.
//
// Times are nanoseconds on the rank's own clock, `session_start_ns` of its facts is where that
// begins. Numbers are signed: engines that know no unsigned ones would make decimals of them. A
// step is told by its number, from 1; 0 is outside of steps. Unknown numbers are kMissing, unknown
// texts empty.
namespace xsp {

// One step.
struct RankStep {
  std::int64_t step = 0;
  std::string name;  // As the user named it; "step 3" where nobody did.
  std::string kind;  // "decode"; empty: steps of this trace have no kinds.
  std::string role;  // "counted", "cold", "outlier" or "left_out".
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  bool operator==(const RankStep&) const = default;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"step", "", "Its number, from 1."}, &As::step...);
    f(Column{"name", "", "As the user named it; \"step 3\" where nobody did."}, &As::name...);
    f(Column{"kind", "", "What sort of step, such as decode; empty: there are no sorts."},
      &As::kind...);
    f(Column{"role", "", "counted, cold, outlier or left_out."}, &As::role...);
    f(Column{"begin_ns", "ns", "When it began, on the rank's clock."}, &As::begin_ns...);
    f(Column{"end_ns", "ns", "When it ended."}, &As::end_ns...);
  }
};

// What a step's time went to, by cause. The rows that are `part_of` nothing add up to the step:
//
//   compute             a compute kernel or a graph was running, on any stream
//   launch_starved      none was, and the host had not issued the next one
//   blocking            none was; the next one was issued, and something that it had to wait for
//                       ended within the gap
//   dependency_stalled  none was; the next one was issued, and nothing known explains the delay
//   no_more_compute     none was, and none follows in the trace
//
// Part of "blocking" are blocking_communication and blocking_copy, by what was waited for.
// "communication", part of "beside", is the union of all communication, which may run at the same
// time as compute; part of "communication" is communication_exposed: no other device work covers
// it, so that at most so much can be won. Where a trace has no steps, the rows of step 0 are about
// all of its time from the first device work to the last.
struct RankBudget {
  std::int64_t step = 0;
  std::string cause;
  std::string part_of;  // Empty: one of those that add up.
  std::int64_t ns = 0;

  bool operator==(const RankBudget&) const = default;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"step", "", "The number of the step, from 1."}, &As::step...);
    f(Column{"cause", "", "What the time went to; see below."}, &As::cause...);
    f(Column{"part_of", "", "Empty: one of the causes that add up to the step; else see below."},
      &As::part_of...);
    f(Column{"ns", "ns", "How long."}, &As::ns...);
  }
};

// One collective (or send, or receive) that the rank took part in, in order of begin. Where the
// source told of no communicator, its operation stands for one ("kernel:all_reduce"). `sequence` is
// the source's own, or counts the operations of the communicator on this rank, from 0.
struct CollectiveInstance {
  std::string communicator;  // "0x1234abcd", "group:0", "mpi:0", "kernel:all_reduce".
  std::int64_t sequence = 0;
  bool sequence_is_recorded = false;  // Else counted: off where a recording begins later.
  std::string operation;              // "all_reduce", "send", ...; empty: unknown.
  std::int64_t bytes = kMissing<std::int64_t>;
  std::int64_t participants = kMissing<std::int64_t>;
  std::int64_t peer = kMissing<std::int64_t>;  // Of a send or receive: its rank in there.
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t step = 0;  // That launched it.
  std::int64_t exposed_ns = 0;
  std::int64_t blocking_ns = 0;
  std::int64_t stream = kMissing<std::int64_t>;  // CUDA stream; none: on the host (MPI).

  bool operator==(const CollectiveInstance&) const = default;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"communicator", "", "Who takes part: equal on all of them."}, &As::communicator...);
    f(Column{"sequence", "", "Counts the operations of the communicator."}, &As::sequence...);
    f(Column{"sequence_is_recorded", "", "The source says so; else counted on this rank, from 0."},
      &As::sequence_is_recorded...);
    f(Column{"operation", "", "all_reduce, send, receive, ...; empty: unknown."},
      &As::operation...);
    f(Column{"bytes", "bytes", "Message size.", Nulls::kAllowed}, &As::bytes...);
    f(Column{"participants", "", "Ranks in the communicator.", Nulls::kAllowed},
      &As::participants...);
    f(Column{"peer", "", "The other rank of a send or receive, in the communicator.",
             Nulls::kAllowed},
      &As::peer...);
    f(Column{"begin_ns", "ns", "When it began, on the rank's clock."}, &As::begin_ns...);
    f(Column{"end_ns", "ns", "When it ended."}, &As::end_ns...);
    f(Column{"step", "", "The step that launched it, from 1; 0: outside of steps."}, &As::step...);
    f(Column{"exposed_ns", "ns", "How much of it no other device work covers."},
      &As::exposed_ns...);
    f(Column{"blocking_ns", "ns", "How much of it held a compute kernel back."},
      &As::blocking_ns...);
    f(Column{"stream", "", "CUDA stream; null: a call of the host.", Nulls::kAllowed},
      &As::stream...);
  }
};

// A send, a receive or both at once with some of the ranks: no collective.
inline bool IsMessage(const CollectiveInstance& instance) {
  return instance.operation == "send" || instance.operation == "receive" ||
         instance.operation == "exchange";
}

// Compute between collectives. A segment ends where a collective begins, where compute had to wait
// for one, and where the phase changes; it has one row for each class of work in it. The rows of a
// segment have the same begin and end, and their busy times add up to that of the segment.
struct RankSegment {
  std::int64_t step = 0;
  std::int64_t sequence = 0;  // Among the segments of the step, from 0.
  std::string work_class;     // What this part of it does: "gemm".
  std::string phase;          // "forward", "backward", ...; "none": unknown.
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t busy_ns = 0;     // What runs at once counts once, for what began first.
  std::int64_t operations = 0;  // Kernels and graphs.
  // The collective that held its first kernel back: a row of `collectives`, from 0.
  std::int64_t waits_for = kMissing<std::int64_t>;

  bool operator==(const RankSegment&) const = default;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    f(Column{"step", "", "The step that launched it, from 1; 0: outside of steps."}, &As::step...);
    f(Column{"sequence", "", "Counts the segments of the step, from 0."}, &As::sequence...);
    f(Column{"work_class", "", "What this part of the segment does: gemm."}, &As::work_class...);
    f(Column{"phase", "", "forward, backward, ...; none: unknown."}, &As::phase...);
    f(Column{"begin_ns", "ns", "When the segment's first work began, on the rank's clock."},
      &As::begin_ns...);
    f(Column{"end_ns", "ns", "When its last work ended."}, &As::end_ns...);
    f(Column{"busy_ns", "ns", "How long this class was at work in it; adds up over classes."},
      &As::busy_ns...);
    f(Column{"operations", "", "Kernels and graphs of this class."}, &As::operations...);
    f(Column{"waits_for", "",
             "The collective that held its first kernel back: a row of "
             "collective_instances, from 0.",
             Nulls::kAllowed},
      &As::waits_for...);
  }
};

// What is known of the rank as a whole: one row.
struct RankFacts {
  std::int64_t global_rank = kMissing<std::int64_t>;  // In a dataset: its folder's.
  std::string rank_source;  // What told: "recorded", "mpi", "process name", "nccl"; or nothing.
  std::int64_t world_size = kMissing<std::int64_t>;
  std::int64_t local_rank = kMissing<std::int64_t>;  // The number of its GPU on the host.
  std::string host;
  std::string process;  // "python [4711]".
  std::string gpu;      // Model.
  std::string gpu_uuid;
  std::string clock_source;  // "utc": session_start_ns is known; "none": it is not.
  std::int64_t session_start_ns = kMissing<std::int64_t>;  // Since 1970, UTC, by the host's clock.
  std::int64_t begin_ns = 0;  // From the first to the last device work, on the rank's clock.
  std::int64_t end_ns = 0;
  std::string format;          // "nsys-sqlite".
  std::string tool_version;    // Of the recorder.
  std::string driver_version;  // Of the GPU.
  std::string cuda_version;    // Of the driver.
  std::string step_source;     // "none", "range", "repetition".
  bool is_partial = false;     // Salvaged from a damaged file.
  std::string fingerprint;     // Of a step: "gemm 24, norm 6 | all_reduce of 8: 4".
  std::string source_name;     // The file it was made from.

  bool operator==(const RankFacts&) const = default;

  template <class... As, class F>
  static constexpr void Columns(F&& f) {
    // Not "global_rank": the folder of a dataset gives that, and a column would hide it.
    f(Column{"recorded_rank", "", "Its rank as the trace tells it.", Nulls::kAllowed},
      &As::global_rank...);
    f(Column{"rank_source", "", "What told: recorded, mpi, process name, nccl; or nothing."},
      &As::rank_source...);
    f(Column{"world_size", "", "Ranks of the job.", Nulls::kAllowed}, &As::world_size...);
    f(Column{"local_rank", "", "The number of its GPU on the host.", Nulls::kAllowed},
      &As::local_rank...);
    f(Column{"host", "", "Where it ran; empty: unknown."}, &As::host...);
    f(Column{"process_name", "", "Name and number of the process."}, &As::process...);
    f(Column{"gpu", "", "Model of its GPU."}, &As::gpu...);
    f(Column{"gpu_uuid", "", "UUID of its GPU."}, &As::gpu_uuid...);
    f(Column{"clock_source", "", "utc: session_start_ns is known; else none."},
      &As::clock_source...);
    f(Column{"session_start_ns", "ns", "Zero of the rank's clock, since 1970 UTC.",
             Nulls::kAllowed},
      &As::session_start_ns...);
    f(Column{"begin_ns", "ns", "Begin of the first device work."}, &As::begin_ns...);
    f(Column{"end_ns", "ns", "End of the last device work."}, &As::end_ns...);
    f(Column{"format", "", "What the source is, such as nsys-sqlite."}, &As::format...);
    f(Column{"tool_version", "", "Of the recorder."}, &As::tool_version...);
    f(Column{"driver_version", "", "Of the GPU's driver."}, &As::driver_version...);
    f(Column{"cuda_version", "", "Highest CUDA version of the driver."}, &As::cuda_version...);
    f(Column{"step_source", "", "What steps were found by: none, range, repetition."},
      &As::step_source...);
    f(Column{"is_partial", "", "Salvaged from a damaged file."}, &As::is_partial...);
    f(Column{"fingerprint", "", "What a step holds: kernels by class, collectives by type."},
      &As::fingerprint...);
    f(Column{"source_name", "", "The file that it was made from."}, &As::source_name...);
  }
};

// Another one whenever the same trace gives other rows.
inline constexpr std::int64_t kRankTablesVersion = 4;

// All of one rank: a process with device work (or, where no process has any, with MPI calls).
struct RankTables {
  std::int64_t rules = kRankTablesVersion;
  std::int64_t process = 0;  // A row of the trace's processes.
  RankFacts facts;
  std::vector<RankStep> steps;
  std::vector<RankBudget> budget;
  std::vector<CollectiveInstance> collectives;
  std::vector<RankSegment> segments;

  bool operator==(const RankTables&) const = default;
};

}  // namespace xsp
