#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/ranks/rank_waits.h"
#include "sim/ranks/slowdown.h"

namespace xsp {

// What holds up a job.
enum class Culprit : std::uint8_t {
  kNobody,         // Nothing that matters.
  kWorker,         // One rank.
  kWorkers,        // Several ranks, not all of one host.
  kHost,           // One node.
  kStage,          // A stage has more to do than others.
  kCommunication,  // Transfers of one kind, on no rank in particular.
  kRotates,        // Now this rank, now that.
  kUnknown,        // What was recorded does not tell who waits for whom.
};
std::string_view NameOf(Culprit culprit);  // "nobody", "rank", ...

// A verdict on a job.
struct Blame {
  Culprit culprit = Culprit::kNobody;
  std::vector<WorkerRow> workers;  // The ranks that are meant.
  std::string host;                // kHost.
  std::int64_t stage = 0;          // kStage.
  std::string type;                // What takes longer, as by_type has it; empty: compute at large.
  double slowdown = 1;             // How much slower this alone makes the job.
  double without_ns = 0;   // A step if they did as their peers; kStage: if all stages were alike.
  double longer = 1;       // Their `type` against that of their peers.
  double steps_share = 0;  // In how many of the steps they are the slowest.
  // kRotates: passes of the same micro-batch are long together: lengths of sequences.
  bool by_micro_batch = false;
};

// A slowdown of less is nobody's fault, and a part that explains less of it is not its cause.
inline constexpr double kBlameFrom = 1.02;
inline constexpr double kBlameShare = 0.5;
// Chance alone makes ranks wait for whoever is slowest this time; more than that is worth a look.
inline constexpr double kRotatesFrom = 1.05;

// `all` and `peers`: by the two ideals. Nobody is blamed for what chance does.
Blame FindBlame(const JobOperations& job, const JobSimulation& simulation, const OpTimes& measured,
                const JobSlowdown& all, const JobSlowdown& peers);

}  // namespace xsp
