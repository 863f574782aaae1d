#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hierarchy/hierarchy.h"
#include "model/trace.h"

namespace xsp {

// What was told of the collective that a kernel carries out; what nobody told is missing.
struct ToldCollective {
  Collectives::Row row;
  // Sends and receives that were launched as one, to or from some of the ranks only.
  bool is_exchange = false;
};

// What the source says of the collectives that kernels carry out: the kernel's own row, that of the
// ranges that hold its launch, or, where several calls are launched as a group, of the calls that
// came before. Kernels are asked for in order of launch. Refers to the hierarchy.
class KernelCollectives {
 public:
  explicit KernelCollectives(const Hierarchy& hierarchy);

  ToldCollective Of(EventId kernel);

 private:
  void AddFrom(std::uint32_t row, Collectives::Row& to) const;
  bool AddFromRanges(EventId call, Collectives::Row& to) const;
  ToldCollective TakeGroup(EventId call);
  bool IsExchange(std::span<const std::uint32_t> group) const;

  // Calls of one thread that told something, by begin, and those of them that were launched.
  struct Thread {
    std::vector<std::uint32_t> rows;
    std::size_t launched = 0;
  };

  const Hierarchy& hierarchy_;
  std::unordered_map<EventId, std::uint32_t> row_of_;
  std::map<TrackId, Thread> threads_;
};

// "all_reduce", "send", "receive", "barrier", ... of any spelling: "ncclAllReduce",
// "_allgather_base", "MPI_Iallreduce". Empty for what is none.
std::string_view OperationWord(std::string_view name);

}  // namespace xsp
