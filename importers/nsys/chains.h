#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "model/building/trace_builder.h"
#include "model/details.h"
#include "model/ids.h"

namespace xsp {

// The tables of call chains; each numbers its chains for itself.
enum class ChainTable : std::uint8_t { kSampling = 0, kOsrt, kCuda };

// The call chains of an export. First the tables are read, in runs and by several threads; then
// Close() gives every chain its id; from then on events find their chains.
class NsysChains {
 public:
  // A run of rows; `frames.chain` is not known yet.
  struct Rows {
    std::uint64_t order = 0;
    std::vector<std::int64_t> id;
    std::vector<std::int64_t> depth;
    Frames frames;
  };

  NsysChains() = default;

  // [threads]
  void Add(ChainTable table, Rows rows);

  // Sorts the frames of each table by chain and depth and hands them to the builder.
  void Close(TraceBuilder& builder);

  // [threads] The chain with this number in its table; none if there is no such chain.
  ChainId Find(ChainTable table, std::int64_t id) const;

 private:
  struct Table {
    std::vector<Rows> runs;
    std::vector<std::int64_t> ids;  // Of all chains, ascending.
    std::uint32_t first = 0;        // ChainId of ids[0].
  };

  std::mutex mutex_;
  std::array<Table, 3> tables_;
};

}  // namespace xsp
