#include "hierarchy/totals/activity_mix.h"

#include <catch2/catch.hpp>

#include "model/names/kernel_rules.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

// The mixes that occur, in order of their bits, as "compute alone 40, idle 20".
std::string MixOf(std::string_view timeline, const KernelRules& rules = KernelRules::BuiltIn()) {
  const Trace trace = test::MakeTrace(timeline);
  const KernelKinds kinds(trace, rules);
  DeviceActivity device;
  for (EventId work : trace.DeviceWork()) {
    device.Add({trace.begin(work), trace.end(work)}, ActivityOf(trace, kinds, work));
  }
  const ActivityMix lasted = device.Mix();
  std::string text;
  for (std::size_t mix = 0; mix < kActivityMixes; ++mix) {
    if (lasted[mix] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(NameOfMix(mix)) + " " +
            std::to_string(lasted[mix]);
  }
  return text;
}

TEST_CASE("the mixes of compute, copies and communication sum to a device's span") {
  CHECK(MixOf(R"(
S7   0-40  kernel gemm
S8  30-60  kernel ncclDevKernel_AllReduce_Sum_f32
S9  35-45  memcpy HtoD bytes=8
S7  70-80  kernel relu
S9  90-100 memset bytes=8
)") == "idle 20, compute alone 40, copy alone 10, communication alone 15, "
       "compute + communication 5, copy + communication 5, compute + copy + communication 5");
}

TEST_CASE("vLLM's own all-reduce is communication, and so is what a user's rule says") {
  constexpr std::string_view kTimeline = R"(
S7   0-40  kernel gemm
S8  30-60  kernel vllm::cross_device_reduce_1stage<__nv_bfloat16,2>
S7  60-70  kernel exchange_halo
)";
  CHECK(MixOf(kTimeline) == "compute alone 40, communication alone 20, compute + communication 10");
  const KernelRules rules = KernelRules::FromJson(
      R"({"rules": [{"id": "mine", "match": "^exchange_halo", "class": "collective"}]})", "mine");
  CHECK(MixOf(kTimeline, rules) ==
        "compute alone 30, communication alone 30, compute + communication 10");
}

TEST_CASE("a device without work has no mix") { CHECK(MixOf("") == ""); }

}  // namespace
}  // namespace xsp
