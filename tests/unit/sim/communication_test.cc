#include "sim/models/communication.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

Links Flat(std::uint32_t gpus, double gb_per_s, double latency_ns = 0) {
  Links links;
  links.gpus = gpus;
  links.per_machine = gpus;
  links.inside = gb_per_s * 1e9;
  links.inside_latency_ns = latency_ns;
  return links;
}

TEST_CASE("an all-reduce over a ring sends 2(n-1)/n of its bytes") {
  // 100 MB over 4 GPUs at 10 GB/s: 100e6 * 1.5 / 10e9 s.
  CHECK(RingNs(Collective::kAllReduce, 100e6, Flat(4, 10)) == Approx(15e6));
  CHECK(RingNs(Collective::kAllGather, 100e6, Flat(4, 10)) == Approx(7.5e6));
  CHECK(RingNs(Collective::kBroadcast, 100e6, Flat(4, 10)) == Approx(10e6));
  CHECK(RingNs(Collective::kAllReduce, 100e6, Flat(1, 10)) == 0);
}

TEST_CASE("each step of a ring has its latency") {
  CHECK(RingNs(Collective::kAllReduce, 0, Flat(8, 10, 3000)) == Approx(14 * 3000));
  CHECK(RingNs(Collective::kReduceScatter, 0, Flat(8, 10, 3000)) == Approx(7 * 3000));
}

Links Cluster() {
  Links links;
  links.gpus = 16;
  links.per_machine = 8;
  links.inside = 200e9;
  links.between = 10e9;
  links.inside_latency_ns = links.between_latency_ns = 0;
  return links;
}

TEST_CASE("a ring that leaves the machine is as slow as the network") {
  CHECK(RingNs(Collective::kAllReduce, 1e9, Cluster()) == Approx(1e9 * 2 * 15 / 16 / 10e9 * 1e9));
}

TEST_CASE("through the hierarchy the network carries an eighth for each GPU") {
  const double inside = 1e9 * 2 * 7 / 8 / 200e9 * 1e9;
  const double between = 1e9 / 8 * 2 * 1 / 2 / 10e9 * 1e9;
  CHECK(HierarchicalNs(Collective::kAllReduce, 1e9, Cluster()) == Approx(inside + between));
  CHECK(CollectiveNs(Collective::kAllReduce, 1e9, Cluster()) == Approx(inside + between));
  CHECK(HierarchicalNs(Collective::kAllReduce, 1e9, Flat(4, 10)) ==
        RingNs(Collective::kAllReduce, 1e9, Flat(4, 10)));
}

TEST_CASE("collectives are told by name") {
  CHECK(CollectiveOf("ncclDevKernel_AllReduce_Sum_f32_RING_LL(args)") == Collective::kAllReduce);
  CHECK(CollectiveOf("ncclKernel_ReduceScatter_RING_SIMPLE") == Collective::kReduceScatter);
  CHECK(CollectiveOf("nccl:_all_gather_base") == Collective::kAllGather);
  CHECK(CollectiveOf("ncclDevKernel_SendRecv") == Collective::kSendReceive);
  CHECK(CollectiveOf("void vllm::cross_device_reduce_2stage<half, 4>") == Collective::kAllReduce);
  CHECK_FALSE(CollectiveOf("ampere_sgemm"));
}

TEST_CASE("gradients go into buckets as they come") {
  const std::vector<Bucket> buckets = GradientBuckets({4, 4, 4, 4, 4, 4}, 10, 1);
  REQUIRE(buckets.size() == 3);
  CHECK(buckets[0].bytes == 4);
  CHECK(buckets[0].last == 0);
  CHECK(buckets[1].bytes == 12);
  CHECK(buckets[1].last == 3);
  CHECK(buckets[2].bytes == 8);
  CHECK(buckets[2].last == 5);
  CHECK(GradientBuckets({}, 10, 1).empty());
}

TEST_CASE("usual links: NVLink where the GPU has it, else PCIe") {
  CHECK(UsualLinks(*PeaksOfNamed("A100"), 8, 8).inside == Approx(234e9));
  CHECK(UsualLinks(*PeaksOfNamed("RTX 4090"), 2, 2).inside == Approx(16e9));
  CHECK(UsualLinks(*PeaksOfNamed("A100"), 16, 8, 50e9).between == Approx(45e9));
  CHECK(UsualLinks(*PeaksOfNamed("A100"), 16, 8).machines() == 2);
}

}  // namespace
}  // namespace xsp
