// Image classification: pre-process on the host, predict layer by layer, post-process.
#include <string>

#include "sample_traces/scenarios.h"
#include "sample_traces/script.h"
#include "sample_traces/torch_script.h"

namespace xsp::samples {
namespace {

constexpr int64_t kImageSide = 224;

// A convolution block: convolution, normalisation, activation.
std::vector<Operator> Block(int64_t pixels, int64_t in, int64_t out, Precision precision) {
  const int64_t elements = pixels * out;
  return {
      {"aten::conv2d",
       "aten::cudnn_convolution",
       "",
       {ConvolutionKernel(pixels, in, out, precision)},
       {}},
      {"aten::batch_norm", "aten::cudnn_batch_norm", "", {BatchNormKernel(elements)}, {}},
      {"aten::relu_", "", "", {ElementwiseKernel("clamp_min_scalar", elements, 2, precision)}, {}},
  };
}

void WritePredict(TorchScript& torch, const ScenarioOptions& options) {
  const Precision precision = options.precision;
  const int64_t side = options.bound == Bound::kHost ? kImageSide / 4 : kImageSide / 2;
  int64_t pixels = options.batch * side * side;
  int64_t channels = options.hidden > 0 ? options.hidden : 32;
  torch.Push(NvtxLevel::kSteps, "predict");
  torch.Push(NvtxLevel::kLayers, "stem", true);
  for (const Operator& op : Block(pixels, 3, channels, precision)) torch.Forward(op);
  torch.Forward({"aten::max_pool2d", "", "", {PoolKernel(pixels * channels / 4)}, {}});
  torch.Pop(NvtxLevel::kLayers);
  pixels /= 4;
  for (int64_t layer = 0; layer < options.layers; ++layer) {
    torch.Push(NvtxLevel::kLayers, "layer" + std::to_string(layer + 1), true);
    const int64_t out = layer % 2 == 1 ? channels * 2 : channels;
    for (const Operator& op : Block(pixels, channels, out, precision)) torch.Forward(op);
    torch.Forward({"aten::add_",
                   "",
                   "",
                   {ElementwiseKernel("CUDAFunctor_add", pixels * out, 3, precision)},
                   {}});
    if (out != channels) pixels /= 4;
    channels = out;
    torch.Pop(NvtxLevel::kLayers);
  }
  torch.Push(NvtxLevel::kLayers, "head", true);
  torch.Forward({"aten::adaptive_avg_pool2d",
                 "aten::mean",
                 "",
                 {ReduceKernel("MeanOps", pixels * channels)},
                 {}});
  torch.Forward({"aten::linear",
                 "aten::addmm",
                 "",
                 {GemmKernel(options.batch, 1'000, channels, "tn", precision)},
                 {}});
  torch.Pop(NvtxLevel::kLayers);
  torch.Pop(NvtxLevel::kSteps);
}

}  // namespace

Scenario MakeInfer(const ScenarioOptions& options) {
  Scenario scenario;
  Program& program = scenario.program;
  const int32_t process = program.AddProcess("python3");
  const int32_t context = program.AddContext(process, 0);
  const int32_t stream = program.DefaultStream(context);
  Script script(program, program.AddThread(process, "python3"));
  program.threads[script.thread()].start_ns = 3'000'000;
  OperatorNumbers numbers;
  TorchScript torch(script, numbers, options.nvtx, stream,
                    options.bound == Bound::kHost ? 18'000 : 6'000);
  const auto host = options.pinned ? MemoryKind::kPinned : MemoryKind::kPageable;
  const int64_t image_bytes = options.batch * 3 * kImageSide * kImageSide * 4;

  script.OsCall("open", 18'000);
  script.Malloc(context, image_bytes, false);
  script.Loop(options.steps + options.warmup);
  torch.PushNumbered(NvtxLevel::kSteps, "request %0", 0);
  torch.Push(NvtxLevel::kSteps, "pre-process");
  script.OsCall("read", 140'000).groups = kGroupLoading;
  const int64_t decode_ns = options.bound == Bound::kInput ? 9'000'000 : 700'000;
  script.Work(decode_ns).groups = kGroupLoading;
  torch.Begin("aten::to");
  script.Copy({CopyKind::kHostToDevice, image_bytes, host, true, -1}, stream);
  torch.End();
  torch.Simple("aten::sub_",
               {ElementwiseKernel("CUDAFunctor_sub", image_bytes / 4, 3, Precision::kFp32)});
  torch.Pop(NvtxLevel::kSteps);
  WritePredict(torch, options);
  torch.Push(NvtxLevel::kSteps, "post-process");
  torch.Simple("aten::softmax", {SoftmaxKernel(options.batch, 1'000, false)});
  torch.Begin("aten::to");
  script.Copy({CopyKind::kDeviceToHost, options.batch * 4'000, host, true, -1}, stream);
  script.StreamSync(stream);
  torch.End();
  script.Work(160'000);
  torch.Pop(NvtxLevel::kSteps);
  torch.Pop(NvtxLevel::kSteps);
  script.Work(30'000);
  script.EndLoop();
  numbers.EndLoop(program, options.steps + options.warmup);
  return scenario;
}

}  // namespace xsp::samples
