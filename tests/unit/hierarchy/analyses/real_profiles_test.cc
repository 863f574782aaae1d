#include <catch2/catch.hpp>

#include "hierarchy/analyses/profile.h"
#include "importers/importer.h"
#include "tests/support/real_traces.h"

using namespace xsp;

namespace {

// What does not add up in a profile; empty where all does.
std::vector<std::string> FaultsOf(const Profile& profile) {
  std::vector<std::string> faults;
  for (const RankProfile& rank : profile.ranks) {
    double layers = 0, kernels = 0, covered = 0;
    for (const LayerRow& row : rank.layers) {
      layers += row.gpu.latency_ns;
      const bool has_work = row.gpu_ns > 0 || row.copies_ns > 0;
      if (has_work) covered += row.latency_ns;
      if (row.NonGpuNs() < 0) faults.push_back(row.path + ": negative non-GPU part");
      if (row.copies_ns > row.NonGpuNs() + 1) faults.push_back(row.path + ": copies");
      if (row.gpu_ns > row.gpu.latency_ns + 1 && row.gpu.count > 0) {
        faults.push_back(row.path + ": busier than its kernels");
      }
    }
    for (const KernelRow& row : rank.kernels) kernels += row.gpu.latency_ns;
    const double slack = 1e-9 * rank.gpu.latency_ns + 1;
    if (std::abs(layers - rank.gpu.latency_ns) > slack) faults.push_back("layers do not add up");
    if (std::abs(kernels - rank.gpu.latency_ns) > slack) faults.push_back("kernels do not add up");
    if (covered > rank.latency_ns + 1) faults.push_back("latencies of layers exceed the unit");
    if (rank.kernel_busy_ns > rank.latency_ns + 1) faults.push_back("busier than the unit");
  }
  return faults;
}

DurationNs KernelTime(const Trace& trace) {
  DurationNs sum = 0;
  for (EventId e : trace.OfKind(EventKind::kKernel)) sum += trace.duration(e);
  return sum;
}

}  // namespace

TEST_CASE("in every real trace layers and the rest add up to all kernels") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  for (const auto& file : test::FilesBelow(*folder / "nsys", ".sqlite")) {
    CAPTURE(file.filename().string());
    const Trace trace = ImportFile(file);
    const Hierarchy hierarchy(trace);
    const Profile whole = MeasureProfile(hierarchy, {});
    CHECK(FaultsOf(whole) == std::vector<std::string>{});
    double sum = 0;
    for (const RankProfile& rank : whole.ranks) sum += rank.gpu.latency_ns;
    CHECK(sum == Approx(static_cast<double>(KernelTime(trace))));
    const Steps& steps = hierarchy.steps();
    if (steps.Counted().empty()) continue;
    ProfileOptions options;
    options.steps = steps.Counted();
    CHECK(FaultsOf(MeasureProfile(hierarchy, options)) == std::vector<std::string>{});
  }
}
