#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "importers/importer.h"
#include "model/names/communication.h"
#include "model/spans.h"
#include "tests/support/real_traces.h"
#include "tests/unit/sim/text_workbench.h"

// Of every trace that people published: no forecast is below what the devices have to do, and no
// range is without width, without a best case, or below it.
namespace xsp {
namespace {

using test::TextWorkbench;

// Those that leave kernels as they are: whatever they do to waits, launches and copies, a stream
// still has all of its kernels to run, one after the other.
constexpr const char* kKeepKernels[] = {"--no-sync",  "--pinned",
                                        "--prefetch", "--cuda-graphs",
                                        "--loader=4", "--no-sync --cuda-graphs --pinned"};
// Those that do not.
constexpr const char* kChangeKernels[] = {"--fuse",
                                          "--amp",
                                          "--attention --fuse",
                                          "--on-gpu=H100",
                                          "--faster=name=*,by=2",
                                          "--faster=name=*,by=100",
                                          "--merge-kernels",
                                          "--fill-gpu",
                                          "--batch=2",
                                          "--fused-optimizer"};

// The time in which the busiest stream had a kernel on it, by the trace alone: of one step, or of
// the span. Collectives wait for each other, and may take less. Nothing where programs run beside
// the steps, which these do not wait for.
DurationNs BusiestStream(const Hierarchy& hierarchy, const Unit& unit) {
  const Trace& trace = hierarchy.trace();
  const Steps& steps = hierarchy.steps();
  if (unit.is_step && !steps.beside.empty()) return 0;
  const std::vector<TimeRange> times = MeasuredTimes(steps, unit);
  std::map<std::uint32_t, std::vector<TimeRange>> streams;
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    const KernelKind kind = hierarchy.kinds().OfName(trace.name_of(kernel));
    if (IsCommunication(kind.kernel_class)) continue;
    for (const TimeRange& time : times) {
      const TimeRange in = TimeRange{trace.begin(kernel), trace.end(kernel)}.Clip(time);
      if (!in.Empty()) streams[trace.track_of(kernel).value].push_back(in);
    }
  }
  DurationNs most = 0;
  for (auto& [track, ranges] : streams) most = std::max(most, UnionLength(std::move(ranges)));
  return unit.MeanOfCounted(most);
}

void CheckBounds(const Forecast& forecast) {
  if (!forecast.applies) return;
  CHECK(forecast.forecast >= forecast.floor);
  CHECK(forecast.floor >= 0);
  CHECK(forecast.bound >= 0);
  CHECK(forecast.bound <= forecast.fast);
  CHECK(forecast.fast < forecast.forecast);
  CHECK(forecast.forecast < forecast.slow);
  CHECK(forecast.SpeedupHigh() > forecast.Speedup());
  CHECK(forecast.Speedup() > forecast.SpeedupLow());
}

std::vector<std::filesystem::path> AllTraces(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> traces;
  for (const char* part : {"nsys", "nsys_hard", "nsys_stats", "kineto"}) {
    for (const char* extension : {".sqlite", ".gz"}) {
      for (auto& file : test::FilesBelow(folder / part, extension)) traces.push_back(file);
    }
  }
  return traces;
}

TEST_CASE("no forecast of a real trace is below what its devices have to do") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  std::size_t forecasts = 0;
  for (const auto& file : AllTraces(*folder)) {
    Trace trace = ImportFile(file);
    if (trace.DeviceWork().empty()) continue;
    const TextWorkbench text(std::move(trace));
    const Unit& unit = text.bench().unit();
    const DurationNs busiest = BusiestStream(text.hierarchy(), unit);
    for (const char* options : kKeepKernels) {
      CAPTURE(file.filename().string(), options);
      const Forecast forecast = text.Run(options);
      CheckBounds(forecast);
      CHECK(forecast.forecast + std::abs(forecast.OtherSteps()) >= busiest - busiest / 100);
      forecasts += forecast.applies ? 1 : 0;
    }
    for (const char* options : kChangeKernels) {
      CAPTURE(file.filename().string(), options);
      const Forecast forecast = text.Run(options);
      CheckBounds(forecast);
      forecasts += forecast.applies ? 1 : 0;
    }
  }
  CHECK(forecasts > 300);
}

}  // namespace
}  // namespace xsp
