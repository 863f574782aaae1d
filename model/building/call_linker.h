#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/events.h"
#include "model/ids.h"
#include "model/time.h"

namespace xsp {

// Finds the CUDA call that issued a piece of work, by (process, correlation id). Correlation ids
// are counted per process: a tool that joins on the id alone mixes up processes.
class CallLinker {
 public:
  // `process_of_call[i]` is the process of calls row i. Rows are sorted by begin. Id 0 means
  // "none". Keeps a reference to `calls`.
  CallLinker(const Events& calls, const std::vector<ProcessId>& process_of_call);

  struct Link {
    std::uint32_t row = Id<struct CallTag>::kNone;  // Row in `calls`; kNone: there is no such call.
    bool ambiguous = false;                         // Several calls had this id.
    bool found() const { return row != Id<struct CallTag>::kNone; }
  };

  // Where an id was reused, the last call that began no later than the work is its call.
  Link Find(ProcessId process, std::uint32_t correlation, TimeNs work_begin) const;

 private:
  // The last call row of each correlation id of one process: a plain array where the ids are dense
  // (they nearly always are), a hash table where a file has them scattered.
  struct Index {
    std::uint32_t lowest = 0;
    std::vector<std::uint32_t> dense;
    std::unordered_map<std::uint32_t, std::uint32_t> sparse;
  };

  static Index MakeIndex(const Events& calls, const std::vector<std::uint32_t>& rows);
  std::uint32_t* Slot(Index& index, std::uint32_t correlation);
  std::uint32_t Last(ProcessId process, std::uint32_t correlation) const;

  const Events& calls_;
  std::vector<Index> by_process_;
  // Where ids were reused: the last row of such an id -> all its rows, in order.
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> reused_;
};

}  // namespace xsp
