#include <catch2/catch.hpp>
#include <string>

#include "importers/importer.h"
#include "tests/support/real_traces.h"
#include "tests/unit/sim/text_workbench.h"

// What-ifs on traces that people published: training of language models, and programs that are
// nothing of the kind.
namespace xsp {
namespace {

using test::TextWorkbench;

constexpr const char* kOptions[] = {"--batch-norm",
                                    "--attention",
                                    "--fp8",
                                    "--channels-last",
                                    "--on-gpu=H100",
                                    "--checkpoint",
                                    "--gist",
                                    "--vdnn",
                                    "--p3",
                                    "--blueconnect",
                                    "--dgc",
                                    "--fsdp",
                                    "--tensor-parallel",
                                    "--pipeline",
                                    "--ddp=8 --dgc",
                                    "--amp --fp8",
                                    "--no-sync",
                                    "--faster=name=*,by=2",
                                    "--cuda-graphs"};

// The simulated time of one unit: a forecast is the measured time and what the simulation gains.
double SimulatedAfter(const Forecast& forecast) {
  if (!forecast.applies) return static_cast<double>(forecast.replayed);
  return static_cast<double>(forecast.forecast - forecast.measured + forecast.replayed);
}

DurationNs SumOf(const std::vector<Limit>& limits) {
  DurationNs sum = 0;
  for (const Limit& limit : limits) sum += limit.ns;
  return sum;
}

void CheckSane(const Forecast& forecast) {
  CHECK(forecast.forecast > 0);
  // No order of things makes devices do their work in less time than it takes; the steps that are
  // simulated are a little longer or shorter than the mean one.
  const DurationNs margin = std::abs(forecast.OtherSteps()) + forecast.measured / 100;
  CHECK(SimulatedAfter(forecast) >= static_cast<double>(forecast.floor - margin));
  // What the unit waits for fills it without a hole, before and after.
  CHECK(SumOf(forecast.limits_before) == forecast.replayed);
  CHECK(static_cast<double>(SumOf(forecast.limits_after)) ==
        Approx(SimulatedAfter(forecast)).margin(2));
  // What is said to change is all that changes. Means of a step are rounded, row by row.
  DurationNs changed = 0;
  for (const PlannedChange& change : forecast.changes) {
    changed += change.device_after - change.device_before;
  }
  CHECK(static_cast<double>(forecast.device_after - forecast.device_before) ==
        Approx(static_cast<double>(changed)).margin(2));
  if (forecast.applies) return;
  CHECK_FALSE(forecast.reason.empty());
  CHECK(forecast.changes.empty());
}

TEST_CASE("every what-if gives an answer on every kind of real trace") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  for (const char* name :
       {"jsun-012__assignment2-systems__result", "zx3xyy__assignment2-systems__result",
        "GindaChen__nsys-ai__mfu_2gpu_after", "MohanadOdema__DLProf__w_Relu__nsys_profile",
        "danae-pan__hpc_assignment3__report2"}) {
    const TextWorkbench bench(ImportFile(*folder / "nsys" / (std::string(name) + ".sqlite")));
    for (const char* options : kOptions) {
      CAPTURE(name, options);
      CheckSane(bench.Run(options));
    }
  }
}

TEST_CASE("the order in which what-ifs are asked for does not matter on real traces") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  for (const char* name :
       {"jsun-012__assignment2-systems__result", "zx3xyy__assignment2-systems__result"}) {
    const TextWorkbench bench(ImportFile(*folder / "nsys" / (std::string(name) + ".sqlite")));
    const Forecast first = bench.Run("--amp --attention --fuse --no-sync");
    // Those that change kernels have found their work.
    CHECK((first.reason.empty() || first.reason.find("--no-sync") == 0));
    for (const char* options :
         {"--no-sync --fuse --attention --amp", "--fuse --amp --attention --no-sync",
          "--attention --fuse --no-sync --amp", "--amp --fuse --attention --no-sync"}) {
      CAPTURE(name, options);
      const Forecast other = bench.Run(options);
      CHECK(other.forecast == first.forecast);
      CHECK(other.slow == first.slow);
      CHECK(other.whatifs == first.whatifs);
    }
  }
}

TEST_CASE("what-ifs of training on a real training run say what an expert expects") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  const TextWorkbench bench(
      ImportFile(*folder / "nsys" / "jsun-012__assignment2-systems__result.sqlite"));
  const Forecast attention = bench.Run("--attention");
  CHECK(attention.Speedup() > 1.0);
  CHECK(attention.Speedup() < 1.3);
  const Forecast checkpoint = bench.Run("--checkpoint");
  // A forward pass more: between nothing and a half of the step.
  CHECK(checkpoint.Speedup() < 0.95);
  CHECK(checkpoint.Speedup() > 0.6);
  REQUIRE(checkpoint.memory_bytes);
  CHECK(*checkpoint.memory_bytes < 0);
  const Forecast h100 = bench.Run("--on-gpu=H100");
  CHECK(h100.Speedup() > 1.5);
  CHECK(h100.Speedup() < 6);
  // The time of a step grows, and the work with the number of GPUs.
  const Forecast fsdp = bench.Run("--fsdp=gpus=8");
  CHECK(fsdp.work == 8);
  CHECK(fsdp.forecast > 0.8 * static_cast<double>(fsdp.measured));
  CHECK(*fsdp.memory_bytes < 0);
  // A step that ends with a sync of the device: transfers to servers go on beside it.
  const Forecast first = bench.Run("--p3=network=10Gbit");
  CHECK(first.forecast < bench.Run("--p3=network=10Gbit,priorities=no").forecast);
  CHECK(first.Speedup() < 0.7);
  const Forecast pipeline = bench.Run("--pipeline=stages=4,micro=16");
  CHECK(pipeline.Speedup() < 4);
}

}  // namespace
}  // namespace xsp
