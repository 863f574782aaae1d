#include "hierarchy/analyses/roofline.h"

#include <catch2/catch.hpp>

using namespace xsp;

namespace {

CallFigures Call(double ns) {
  CallFigures call;
  call.latency_ns = ns;
  return call;
}

}  // namespace

TEST_CASE("sums of kernels have the intensity, throughput and occupancy of the sums") {
  CallFigures a = Call(100), b = Call(300);
  a.flops = 1000, a.flops_source = kFromCounters;
  a.read_bytes = 10, a.write_bytes = 30, a.bytes_source = kFromCounters;
  a.achieved_occupancy = 0.5;
  b.flops = 200, b.flops_source = kFromShapes;
  b.read_bytes = 50, b.write_bytes = 10, b.bytes_source = kFromShapes;
  b.achieved_occupancy = 0.1;
  GpuFigures sum = GpuFigures::OfCall(a);
  sum.Add(GpuFigures::OfCall(b));
  CHECK(sum.count == 2);
  CHECK(sum.Intensity() == 1200.0 / 100);
  CHECK(*sum.FlopsPerSecond() == Approx(1200 / 400e-9));
  CHECK(*sum.Occupancy() == Approx((100 * 0.5 + 300 * 0.1) / 400));
  CHECK(SourceWords(sum.flops_source) == "ncu+shapes");
  CHECK(sum.FlopsCoverage() == 1);
  sum.DivideBy(2);
  CHECK(sum.Intensity() == 1200.0 / 100);
  CHECK(sum.Flops() == 600.0);
}

TEST_CASE("what is not known is unknown, not zero") {
  const GpuFigures none = GpuFigures::OfCall(Call(100));
  CHECK_FALSE(none.Flops());
  CHECK_FALSE(none.ReadBytes());
  CHECK_FALSE(none.Occupancy());
  CHECK_FALSE(none.Intensity());
  CHECK_FALSE(none.FlopsPerSecond());
  CHECK_FALSE(none.BoundBy(*PeaksOfNamed("V100")));
  CHECK(SourceWords(none.flops_source).empty());
}

TEST_CASE("kernels without figures do not thin out those of the others") {
  CallFigures known = Call(100);
  known.flops = 1000, known.flops_source = kFromCounters;
  known.read_bytes = 5, known.write_bytes = 5, known.bytes_source = kFromCounters;
  GpuFigures sum = GpuFigures::OfCall(known);
  sum.Add(GpuFigures::OfCall(Call(300)));
  CHECK(sum.latency_ns == 400);
  CHECK(*sum.FlopsPerSecond() == Approx(1000 / 100e-9));
  CHECK(sum.Intensity() == 100.0);
  CHECK(sum.FlopsCoverage() == 0.25);
}

TEST_CASE("achieved and theoretical occupancy are not mixed") {
  CallFigures theoretical = Call(100), achieved = Call(100);
  theoretical.theoretical_occupancy = 1;
  achieved.theoretical_occupancy = 1;
  achieved.achieved_occupancy = 0.25;
  GpuFigures sum = GpuFigures::OfCall(theoretical);
  CHECK(sum.Occupancy() == 1.0);
  CHECK(SourceWords(sum.OccupancySource()) == "theoretical");
  sum.Add(GpuFigures::OfCall(achieved));
  CHECK(sum.Occupancy() == 0.25);
  CHECK(SourceWords(sum.OccupancySource()) == "ncu");
}
