#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/byte_sink.h"
#include "graph/readings/critical_path.h"
#include "graph/task_graph.h"
#include "hierarchy/totals/path_totals.h"

namespace xsp {

// Which time the stacks of a program weigh.
enum class StackWeight : std::uint8_t {
  kDevice,  // Of device work, where it was launched.
  kHost,    // Of the host: ranges and calls.
  kPath,    // Of the critical path.
};
std::string_view NameOf(StackWeight weight);  // "device", "host", "path".

// The critical path of a unit, and how many steps it spans.
struct StackPath {
  const TaskGraph& graph;
  const CriticalPath& path;
  std::uint32_t steps = 1;
};

// A program as stacks with their own time, without that of longer ones: what flame graphs are made
// of. Figures are means of the steps that `totals` sums up (of the path: of its own), or of the
// whole; each is rounded to a nanosecond. `path` is needed for kPath only, and so are places in
// `totals` (keep_places, with_calls).
class Stacks {
 public:
  Stacks(const PathTotals& totals, StackWeight weight, const StackPath* path);

  // Calls f with the names of each stack, outermost first, and its time, which is more than 0. Of
  // stacks deeper than 64 the outermost names and the innermost.
  void ForEach(const std::function<void(std::span<const std::string_view>, DurationNs)>& f) const;

  DurationNs total() const;

 private:
  void WeighPath(const StackPath& path);
  std::string_view NameAt(std::uint32_t row) const;

  const PathTotals& totals_;
  // Stacks are rows: those of `totals`, then one for each kind of wait below one of them.
  std::vector<DurationNs> own_;
  std::vector<std::uint32_t> depth_, outer_;  // Of the rows of `totals`: see stacks.cc.
  struct Wait {
    PathId place;
    PathKind kind;
    DurationNs ns = 0;
  };
  std::vector<Wait> waits_;
};

// As lines "step;forward;gemm 1234" (nanoseconds), which flamegraph.pl, inferno and others read.
// Returns how many.
std::uint64_t WriteFolded(const Stacks& stacks, const ByteSink& sink);
// As a document for speedscope. Returns how many stacks it holds.
std::uint64_t WriteSpeedscope(const Stacks& stacks, std::string_view name, const ByteSink& sink);

}  // namespace xsp
