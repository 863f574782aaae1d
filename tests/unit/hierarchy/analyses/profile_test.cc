#include "hierarchy/analyses/profile.h"

#include <catch2/catch.hpp>

#include "tests/unit/hierarchy/analyses/profile_of.h"

using namespace xsp;
using test::LayerAt;
using test::ProfileOfText;

TEST_CASE("a layer's latency begins when the device work before it has ended") {
  const Profile profile = ProfileOfText(R"(
    T1   0-100 push model
    T1  10-30  push first
    T1  12-13  api cudaLaunchKernel #1
    T1  14-15  api cudaLaunchKernel #2
    T1  30-50  push second
    T1  32-33  api cudaLaunchKernel #3
    S7  12-20  kernel a #1
    S7  25-60  kernel b #2
    S7  62-80  kernel c #3
  )");
  REQUIRE(profile.layer_level == Level::kLayer);
  CHECK_FALSE(profile.is_step);
  CHECK(profile.ranks.at(0).latency_ns == 68);  // The GPU span.
  const LayerRow& first = LayerAt(profile, "model/first");
  CHECK(first.latency_ns == 60 - 12);  // The GPU span begins at 12.
  CHECK(first.gpu_ns == 8 + 35);
  CHECK(first.NonGpuNs() == 5);
  CHECK(first.host_ns == 20);
  const LayerRow& second = LayerAt(profile, "model/second");
  CHECK(second.latency_ns == 80 - 60);  // The host came to it at 30, the device at 60.
  CHECK(second.gpu_ns == 18);
  CHECK(second.NonGpuNs() == 2);
  CHECK(second.index == 2);
}

TEST_CASE("a layer that waits for the host counts from its begin there") {
  const Profile profile = ProfileOfText(R"(
    T1   0-200 push model
    T1   0-20  push first
    T1   2-3   api cudaLaunchKernel #1
    T1 100-150 push second
    T1 120-121 api cudaLaunchKernel #2
    S7   4-10  kernel a #1
    S7 130-140 kernel b #2
  )");
  const LayerRow& second = LayerAt(profile, "model/second");
  CHECK(second.latency_ns == 140 - 100);
  CHECK(second.NonGpuNs() == 30);
}

TEST_CASE("kernels that overlap on streams never make the non-GPU part negative") {
  const Profile profile = ProfileOfText(R"(
    T1   0-100 push model
    T1   0-20  push first
    T1   2-3   api cudaLaunchKernel #1
    T1   4-5   api cudaLaunchKernel #2
    T1  20-40  push second
    T1  22-23  api cudaLaunchKernel #3
    S7  10-50  kernel a #1
    S8  10-60  kernel b #2
    S9  30-55  kernel c #3
  )");
  const LayerRow& first = LayerAt(profile, "model/first");
  CHECK(first.gpu.latency_ns == 90);
  CHECK(first.latency_ns == 50);
  CHECK(first.gpu_ns == 50);
  const LayerRow& second = LayerAt(profile, "model/second");
  CHECK(second.latency_ns == 0);  // Hidden behind the first.
  CHECK(second.NonGpuNs() == 0);
  CHECK(profile.ranks[0].kernel_busy_ns == 50);
}

TEST_CASE("copies are part of what is not kernels") {
  const Profile profile = ProfileOfText(R"(
    T1   0-100 push model
    T1   0-20  push first
    T1   2-3   api cudaMemcpyAsync #1
    T1   4-5   api cudaLaunchKernel #2
    S7  10-30  memcpy HtoD #1 bytes=64
    S8  20-40  kernel a #2
  )");
  const LayerRow& first = LayerAt(profile, "model/first");
  CHECK(first.latency_ns == 30);
  CHECK(first.gpu_ns == 20);
  CHECK(first.NonGpuNs() == 10);
  CHECK(first.copies_ns == 10);
}

TEST_CASE("what a layer holds besides another layer stays its own") {
  const Profile profile = ProfileOfText(R"(
    T1   0-100 push model
    T1   0-90  push outer
    T1   2-3   api cudaLaunchKernel #1
    T1  10-30  push inner
    T1  12-13  api cudaLaunchKernel #2
    T1  40-41  api cudaLaunchKernel #3
    S7   5-9   kernel a #1
    S7  15-25  kernel b #2
    S7  45-50  kernel c #3
  )");
  CHECK(LayerAt(profile, "model/outer").latency_ns == (9 - 5) + (50 - 40));
  CHECK(LayerAt(profile, "model/outer").gpu.count == 2);
  CHECK(LayerAt(profile, "model/outer/inner").latency_ns == 25 - 10);
}

TEST_CASE("a layer without device work has its host time as far as nothing hides it") {
  const Profile profile = ProfileOfText(R"(
    T1   0-100 push model
    T1   0-20  push first
    T1   2-3   api cudaLaunchKernel #1
    T1  20-40  push idle
    T1  40-60  push third
    T1  42-43  api cudaLaunchKernel #2
    S7   5-30  kernel a #1
    S7  45-50  kernel b #2
  )");
  const LayerRow& idle = LayerAt(profile, "model/idle");
  CHECK(idle.latency_ns == 40 - 30);
  CHECK(idle.host_ns == 20);
  CHECK(idle.gpu.count == 0);
  CHECK(idle.index == 2);
}

TEST_CASE("what the host does between launches in no layer is nobody's latency") {
  const Profile profile = ProfileOfText(R"(
    T1   0-100 push model
    T1   0-1   api cudaLaunchKernel #1
    T1  10-40  push idle
    T1  50-51  api cudaLaunchKernel #2
    S7   2-5   kernel a #1
    S7  53-60  kernel b #2
  )");
  CHECK(LayerAt(profile, "model/idle").latency_ns == 30);
  const LayerRow& loose = LayerAt(profile, "model/[no layer]");
  CHECK_FALSE(loose.is_layer);
  CHECK(loose.latency_ns == (5 - 2) + (60 - 50));
  CHECK(loose.gpu_ns == 10);
}

TEST_CASE("the launch of a CUDA graph is the host's time once, however many kernels it has") {
  const Profile profile = ProfileOfText(R"(
    T1   0-100 push model
    T1   0-1   push idle
    T1   2-4   api cudaLaunchKernel #1
    T1  10-30  api cudaGraphLaunch #2
    T1  50-55  api cudaGraphLaunch #3
    S7   4-6   kernel a #1
    S7  31-33  kernel a #2
    S7  34-36  kernel b #2
    S8  34-38  kernel c #2
    S7  56-58  kernel a #3
    S7  58-60  kernel b #3
  )");
  CHECK(LayerAt(profile, "model/[no layer]").host_ns == 2 + 20 + 5);
}

// A CUDA graph of four layers, each a product and another kernel; its launch takes 23.
constexpr std::string_view kLayersOfAGraph = R"(
    T1   0-23  api cudaGraphLaunch #1
    S7  30-32  kernel embed #1
    S7  32-34  kernel ampere_sgemm_128x64_tn #1
    S7  34-36  kernel foo #1
    S7  36-38  kernel ampere_sgemm_128x64_tn #1
    S7  38-40  kernel foo #1
    S7  40-42  kernel ampere_sgemm_128x64_tn #1
    S7  42-44  kernel foo #1
    S7  44-46  kernel ampere_sgemm_128x64_tn #1
    S7  46-48  kernel foo #1)";

TEST_CASE("layers that one launch has divide its time among them") {
  const Profile profile = ProfileOfText(kLayersOfAGraph);
  double sum = 0;
  std::size_t layers = 0;
  for (const LayerRow& row : profile.ranks.at(0).layers) {
    sum += row.host_ns;
    layers += row.is_layer ? 1 : 0;
    CHECK(row.host_ns > 0);
  }
  CHECK(layers == 4);
  CHECK(sum == 23);
}

TEST_CASE("a profile of steps is a mean and layers are matched by path and place") {
  const Profile profile = ProfileOfText(R"(
    T1   0-99  push "step 1"
    T1   0-50  push forward
    T1   2-40  push block
    T1   3-4   api cudaLaunchKernel #1
    S7   5-15  kernel a #1 grid=2x1x1 block=64x1x1
    T1 100-199 push "step 2"
    T1 100-150 push forward
    T1 102-140 push block
    T1 103-104 api cudaLaunchKernel #2
    S7 105-135 kernel a #2 grid=2x1x1 block=64x1x1
    T1 200-299 push "step 3"
    T1 200-250 push forward
    T1 202-240 push block
    T1 203-204 api cudaLaunchKernel #3
    S7 205-225 kernel a #3 grid=2x1x1 block=64x1x1
  )");
  REQUIRE(profile.is_step);
  CHECK(profile.steps == 3);
  REQUIRE(profile.ranks.at(0).kernels.size() == 1);
  CHECK(profile.ranks[0].kernels[0].gpu.latency_ns == 20);
  CHECK(profile.ranks[0].kernels[0].gpu.count == 1);
  CHECK(LayerAt(profile, "forward/block").latency_ns == Approx((13 + 33 + 23) / 3.0));
}

TEST_CASE("without layers the outermost operations stand in for them") {
  const Profile profile = ProfileOfText(R"(
    T1   0-20  push "aten::linear, seq = 1"
    T1   1-19  push "aten::mm, seq = 1"
    T1   2-3   api cudaLaunchKernel #1
    S7   5-15  kernel a #1
  )");
  CHECK(profile.layer_level == Level::kOp);
  CHECK(profile.ranks.at(0).layers.size() == 1);
  CHECK(LayerAt(profile, "aten::linear").gpu.count == 1);
}

TEST_CASE("a trace without ranges or repetition has no layers") {
  const Profile profile = ProfileOfText(R"(
    T1   2-3   api cudaLaunchKernel #1
    S7   5-15  kernel a #1
  )");
  CHECK(profile.layer_level == Level::kTrace);
  CHECK(profile.ranks.at(0).gpu.latency_ns == 10);
  CHECK_FALSE(profile.ranks.at(0).layers.at(0).is_layer);
}

TEST_CASE("allocations count for the layer that made them") {
  const Profile profile = ProfileOfText(R"(
    T1   0-100 push model
    T1   0-20  push first
    T1   2-3   api cudaMalloc #1
    T1   4-5   api cudaLaunchKernel #2
    T1  20-40  push second
    T1  22-23  api cudaLaunchKernel #3
    D    2     alloc bytes=1000 address=7 #1
    S7  10-30  kernel a #2
    S7  30-40  kernel b #3
  )");
  REQUIRE(profile.has_memory);
  CHECK(LayerAt(profile, "model/first").allocated_bytes == 1000.0);
  CHECK(LayerAt(profile, "model/second").allocated_bytes == 0.0);
  CHECK(profile.ranks[0].allocated_bytes == 1000.0);
}

TEST_CASE("without memory events allocations are unknown") {
  const Profile profile = ProfileOfText(R"(
    T1   0-20  push model
    T1   1-19  push first
    T1   2-3   api cudaLaunchKernel #1
    S7   5-15  kernel a #1
  )");
  CHECK_FALSE(profile.has_memory);
  CHECK_FALSE(LayerAt(profile, "model/first").allocated_bytes);
}

TEST_CASE("the kind of a layer is its name without what counts it") {
  CHECK(KindOfLayerName("blocks.7.attn") == "blocks.*.attn");
  CHECK(KindOfLayerName("layer 12") == "layer *");
  CHECK(KindOfLayerName("conv2d") == "conv2d");
  CHECK(KindOfLayerName("/layer1/conv1/Conv + /layer1/relu_1/Relu") == "Conv + Relu");
  CHECK(KindOfLayerName("PWN(PWN(/a/Sigmoid), /a/Mul)") == "PWN");
  CHECK(KindOfLayerName("Reformatting CopyNode for Input Tensor 0 to /a/Conv") ==
        "Reformatting CopyNode");
}
