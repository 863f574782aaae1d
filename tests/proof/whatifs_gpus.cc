// The same program on another GPU: kernels that multiply, stream and compute otherwise, each with
// the time that the other GPU's rates give it.
#include <vector>

#include "sample_traces/kernels.h"
#include "tests/proof/one_thread.h"
#include "tests/proof/whatif_options.h"

namespace xsp::proof {
namespace {

using samples::KernelSpec;
using samples::Precision;
using samples::Scenario;

// How many times as fast another GPU is than the A100 of the samples, in permille: by its data
// sheet and what products reach of it.
struct Rates {
  int64_t fp32 = 1'000;          // Products without tensor cores,
  int64_t bandwidth = 1'000;     // what streams memory,
  int64_t instructions = 1'000;  // and what computes otherwise: multiprocessors times clock.
};
constexpr int64_t kH100Links = 1'500;           // 450 GB/s in a direction, of 300.
constexpr Rates kH100 = {2'963, 2'154, 1'716};  // 132 × 1.98 GHz, 66.9 TF × 0.76, 3.35 TB/s.
constexpr Rates kV100 = {805, 579, 804};        // 80 × 1.53 GHz, 15.7 TF × 0.88, 0.9 TB/s.

constexpr int64_t kElements = 16 << 20;
constexpr int64_t kFixedNs = 1'600;

KernelSpec Faster(KernelSpec kernel, int64_t permille) {
  kernel.duration_ns = kFixedNs + (kernel.duration_ns - kFixedNs) * 1'000 / permille;
  return kernel;
}

KernelSpec Product(const Rates& rates) {
  return Faster(samples::GemmKernel(8'192, 2'048, 512, "tn", Precision::kFp32), rates.fp32);
}
// A few rows times a large weight: it takes as long as the weight takes to read.
KernelSpec FewRows(const Rates& rates) {
  return Faster(samples::GemmKernel(64, 8'192, 8'192, "tn", Precision::kAmp), rates.bandwidth);
}
KernelSpec Stream(const Rates& rates) {
  return Faster(samples::ElementwiseKernel("CUDAFunctor_add", kElements, 3, Precision::kFp32),
                rates.bandwidth);
}
// Functions that take far longer than their operands take to read.
KernelSpec Functions(const Rates& rates) {
  KernelSpec kernel =
      samples::ElementwiseKernel("erfinv_kernel_cuda", kElements, 2, Precision::kFp32);
  kernel.duration_ns *= 5;
  return Faster(kernel, rates.instructions);
}
KernelSpec Random(const Rates& rates) {
  return Faster(samples::PlainKernel("distribution_elementwise_grid_stride_kernel", "float *, int",
                                     4'096, 400'000),
                rates.instructions);
}

// Of a collective 20 us are latency.
KernelSpec Exchange(const Rates& rates) {
  constexpr int64_t kLatency = 20'000, kTransfer = 600'000;
  const int64_t links = rates.bandwidth == kH100.bandwidth ? kH100Links : 1'000;
  return samples::PlainKernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "float *", 24,
                              kLatency + kTransfer * 1'000 / links);
}

Scenario Rounds(const std::vector<KernelSpec>& kernels) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  std::vector<int32_t> numbers;
  for (const KernelSpec& kernel : kernels) numbers.push_back(thread.program().AddKernel(kernel));
  // What shows that the program has a kernel that does next to nothing.
  const int32_t empty =
      thread.program().AddKernel(samples::ElementwiseKernel("FillFunctor", 1, 1, Precision::kFp32));
  script.Loop(24);
  script.Push("step %0", 0, 1);
  for (int i = 0; i < 4; ++i) {
    for (const int32_t kernel : numbers) {
      script.Work(6'000);
      script.Launch(kernel, thread.default_stream());
    }
    script.Launch(empty, thread.default_stream());
  }
  script.StreamSync(thread.default_stream());
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

// Batches go in and results come back, beside some kernels. Twice as fast a link is all that copies
// of pinned memory need; those of pageable memory are staged by the same host.
Scenario CopiesInAndOut(samples::MemoryKind memory, const Rates& rates, int64_t link) {
  Scenario scenario;
  OneThread thread(scenario);
  scenario.machine.pinned_rate = scenario.machine.pinned_rate * link / 1'000;
  samples::Script& script = thread.script();
  const int32_t stream = thread.default_stream();
  const int32_t kernel = thread.program().AddKernel(Stream(rates));
  const int32_t empty =
      thread.program().AddKernel(samples::ElementwiseKernel("FillFunctor", 1, 1, Precision::kFp32));
  const bool is_async = memory == samples::MemoryKind::kPinned;
  script.Loop(24);
  script.Push("step %0", 0, 1);
  script.Copy({samples::CopyKind::kHostToDevice, 48 << 20, memory, is_async, -1}, stream);
  for (int i = 0; i < 4; ++i) {
    script.Work(6'000);
    script.Launch(kernel, stream);
    script.Launch(empty, stream);
  }
  script.Copy({samples::CopyKind::kDeviceToHost, 24 << 20, memory, is_async, -1}, stream);
  script.StreamSync(stream);
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

WhatIfCase CopiesCase(std::string name, std::string program, samples::MemoryKind memory) {
  constexpr int64_t kPcie5 = 2'000;  // Of PCIe 4.
  return {"on-gpu: " + std::move(name), std::move(program), "--on-gpu=H100",
          [memory] { return CopiesInAndOut(memory, {}, 1'000); },
          [memory] { return CopiesInAndOut(memory, kH100, kPcie5); }};
}

using Program = std::vector<KernelSpec> (*)(const Rates&);

WhatIfCase Case(std::string name, std::string program, std::string gpu, Program kernels,
                const Rates& rates) {
  return {"on-gpu: " + std::move(name), std::move(program), "--on-gpu=" + std::move(gpu),
          [kernels] { return Rounds(kernels({})); },
          [kernels, rates] { return Rounds(kernels(rates)); }};
}

std::vector<KernelSpec> Training(const Rates& rates) {
  return {Product(rates), Stream(rates), Product(rates), Stream(rates), Random(rates)};
}
std::vector<KernelSpec> Sampling(const Rates& rates) {
  return {Random(rates), Functions(rates), Stream(rates)};
}
std::vector<KernelSpec> Exchanging(const Rates& rates) {
  return {Product(rates), Stream(rates), Exchange(rates)};
}
std::vector<KernelSpec> Decoding(const Rates& rates) { return {FewRows(rates), Stream(rates)}; }

}  // namespace

std::vector<WhatIfCase> GpuWhatIfs() {
  return {
      Case("products and streams on an H100", "products, sums, random numbers", "H100", Training,
           kH100),
      Case("products and streams on a V100", "products, sums, random numbers", "V100", Training,
           kV100),
      Case("random numbers and functions on an H100", "random numbers, functions, sums", "H100",
           Sampling, kH100),
      Case("random numbers and functions on a V100", "random numbers, functions, sums", "V100",
           Sampling, kV100),
      Case("products of few rows on an H100", "products of 64 rows with large weights", "H100",
           Decoding, kH100),
      Case("collectives on an H100", "products, sums, all-reduces", "H100", Exchanging, kH100),
      CopiesCase("copies of pinned memory on an H100", "48 MB in, sums, 24 MB back, pinned",
                 samples::MemoryKind::kPinned),
      CopiesCase("copies of pageable memory on an H100", "48 MB in, sums, 24 MB back, pageable",
                 samples::MemoryKind::kPageable),
  };
}

}  // namespace xsp::proof
