#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/time.h"
#include "model/trace.h"

namespace xsp {

// What an MPI call does, as far as waiting is concerned.
enum class MpiRole : std::uint8_t {
  kNone,         // It waits for nobody: MPI_Comm_rank, MPI_Test.
  kMeeting,      // Nobody leaves before all have come: MPI_Barrier, MPI_Allreduce.
  kFromRoot,     // Nobody leaves before the root has come: MPI_Bcast, MPI_Scatter.
  kToRoot,       // The root does not leave before all have come: MPI_Reduce, MPI_Gather.
  kSend,         // May wait for the receive: MPI_Send, MPI_Ssend.
  kReceive,      // Waits for the send: MPI_Recv.
  kExchange,     // Both: MPI_Sendrecv.
  kPostSend,     // Comes back at once; a wait ends it: MPI_Isend.
  kPostReceive,  // The same: MPI_Irecv.
  kAwaitOne,     // Waits for the oldest of these: MPI_Wait, MPI_Waitany.
  kAwaitAll,     // Waits for all of these: MPI_Waitall.
};

// The role of a call by its name, "MPI_Allreduce".
MpiRole MpiRoleOf(std::string_view name);

// An MPI call: a row of MPI's own tables, or a range of the NVTX domain "MPI".
struct MpiCall {
  EventId event;
  MpiRole role = MpiRole::kNone;
  ProcessId process;
  TrackId track;
  std::uint64_t group = 0;  // Communicator, as this process calls it; 0: not recorded.
  std::int32_t tag = -1;    // -1: not recorded, or any.
  std::int32_t peer = -1;   // The other rank, or the root; -1: not recorded, or any.
};

// All with a role, by begin.
std::vector<MpiCall> MpiCallsOf(const Trace& trace);

// A call that ends no sooner than others have come to theirs.
struct MpiWait {
  EventId call;
  std::vector<EventId> others;  // Empty: somebody who was not recorded.
  bool is_message = false;      // Else a collective.
};

// Who waits for whom. Collectives of a communicator are matched by their order, messages by
// sender, receiver and tag, and by their order. Where that does not go together with the times (one
// left before another came) nobody is known.
std::vector<MpiWait> FindMpiWaits(const Trace& trace, const std::vector<MpiCall>& calls);

}  // namespace xsp
