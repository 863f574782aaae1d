// The hierarchy benchmark in one process: hierarchy_bench FILE.sqlite
// Reads the export, builds its hierarchy and the tree of its counted steps. Prints: seconds to
// read, to build the hierarchy, to build the tree; kernels, calls, ranges, nodes of the hierarchy.
#include <chrono>
#include <cstdio>

#include "hierarchy/hierarchy.h"
#include "hierarchy/totals/path_totals.h"
#include "importers/importer.h"

namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto begin = Clock::now();
  const xsp::Trace trace = xsp::ImportFile(argv[1]);
  const double read = Since(begin);
  begin = Clock::now();
  const xsp::Hierarchy hierarchy(trace);
  const double built = Since(begin);
  begin = Clock::now();
  const xsp::Steps& steps = hierarchy.steps();
  const xsp::PathTotals tree(hierarchy, {.steps = steps.Counted(), .with_calls = false});
  const double summed = Since(begin);
  std::printf("%.6f %.6f %.6f %u %u %u %zu\n", read, built, summed,
              trace.OfKind(xsp::EventKind::kKernel).size(),
              trace.OfKind(xsp::EventKind::kApi).size(),
              trace.OfKind(xsp::EventKind::kNvtxPushPop).size(), hierarchy.nodes().size());
}
