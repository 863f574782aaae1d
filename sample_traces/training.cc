#include "sample_traces/training.h"

#include <algorithm>
#include <string>

namespace xsp::samples {
namespace {

constexpr int64_t kVocabulary = 8'192;
constexpr int64_t kHeadSize = 64;

int64_t OperatorNs(Bound bound) { return bound == Bound::kHost ? 21'000 : 7'000; }
int64_t DefaultHidden(Bound bound) { return bound == Bound::kHost ? 128 : 1'024; }

}  // namespace

TrainingRank::TrainingRank(Program& program, const ScenarioOptions& options, int32_t device)
    : program_(program),
      options_(options),
      hidden_(options.hidden > 0 ? options.hidden : DefaultHidden(options.bound)),
      sequence_length_(options.bound == Bound::kHost ? 64 : 256),
      tokens_(options.batch * sequence_length_),
      parameters_(options.layers * 12 * hidden_ * hidden_ + kVocabulary * hidden_),
      process_(program.AddProcess("python3")),
      context_(program.AddContext(process_, device)),
      stream_(program.DefaultStream(context_)),
      main_script_(program, program.AddThread(process_, "python3")),
      autograd_script_(program, program.AddThread(process_, "pt_autograd_0")),
      loader_script_(program, program.AddThread(process_, "pt_data_pin")),
      main_(main_script_, numbers_, options.nvtx, stream_, OperatorNs(options.bound)),
      autograd_(autograd_script_, numbers_, options.nvtx, stream_, OperatorNs(options.bound)),
      backward_go_(program.AddSemaphore(0)),
      backward_done_(program.AddSemaphore(0)),
      batch_ready_(program.AddSemaphore(0)),
      batch_slots_(program.AddSemaphore(2)) {
  program.threads[main_script_.thread()].start_ns = 4'000'000 + 350'000 * device;
}

void TrainingRank::Write(const GradientExchange& exchange) {
  exchange_ = exchange;
  if (exchange_.communicator >= 0) {
    nccl_stream_ = program_.AddStream(context_, false, -5);
    domain_ = program_.AddDomain(process_, "NCCL");
    for (int64_t i = 0; i <= options_.layers; ++i) {
      ready_events_.push_back(program_.AddEvent(context_));
    }
    reduced_event_ = program_.AddEvent(context_);
  }
  WriteSetup();
  WriteSteps("warm-up %0", 0, options_.warmup);
  WriteSteps("step %0", options_.warmup, options_.steps);
  main_script_.DeviceSync(context_);
}

void TrainingRank::WriteSetup() {
  Script& script = main_script_;
  script.OsCall("open", 21'000);
  script.OsCall("mmap", 9'000);
  main_.Push(NvtxLevel::kSteps, "build model");
  script.ApiCall("cudaGetDeviceProperties_v2_v12000", 6'200);
  const int64_t matrix = hidden_ * hidden_ * 4;
  for (int64_t layer = 0; layer < options_.layers; ++layer) {
    script.Malloc(context_, 12 * matrix, false);
    CopySpec weights;
    weights.bytes = 4 * matrix;
    script.Copy(weights, stream_);
    script.Work(90'000);
  }
  script.Malloc(context_, kVocabulary * hidden_ * 4, false);
  script.Memset(kVocabulary * hidden_ * 4, stream_);
  script.StreamSync(stream_);
  main_.Pop(NvtxLevel::kSteps);
}

void TrainingRank::WriteSteps(std::string_view text, int64_t first, int64_t steps) {
  if (steps <= 0) return;
  for (Script* script : {&main_script_, &autograd_script_, &loader_script_}) script->Loop(steps);
  tape_.clear();
  main_.PushNumbered(NvtxLevel::kSteps, text, first);
  WriteLoading();
  WriteForward();
  WriteBackward();
  WriteOptimizer();
  main_.Item(kGroupSync, options_.sync_every);
  main_.Pop(NvtxLevel::kSteps);
  main_script_.Work(24'000);
  for (Script* script : {&main_script_, &autograd_script_, &loader_script_}) script->EndLoop();
  numbers_.EndLoop(program_, steps);
}

void TrainingRank::WriteLoading() {
  loader_script_.Wait(batch_slots_, "pthread_cond_wait");
  const int64_t load_ns = options_.bound == Bound::kInput ? 60'000'000 : 900'000;
  loader_script_.Work(load_ns).groups = kGroupLoading;
  loader_script_.OsCall("read", 48'000);
  loader_script_.Post(batch_ready_);

  main_.Push(NvtxLevel::kSteps, "data loading");
  main_script_.Wait(batch_ready_, "pthread_cond_timedwait");
  main_script_.Post(batch_slots_);
  main_script_.Work(15'000);
  for (int i = 0; i < 2; ++i) {  // tokens and targets
    CopySpec copy;
    copy.bytes = tokens_ * 8;
    copy.host = options_.pinned ? MemoryKind::kPinned : MemoryKind::kPageable;
    main_.Begin("aten::to");
    main_script_.Copy(copy, stream_);
    main_.End();
  }
  main_.Pop(NvtxLevel::kSteps);
}

Operator TrainingRank::Linear(int64_t in, int64_t out, bool bias) const {
  const Precision precision = options_.precision;
  Operator op{"aten::linear",
              bias ? "aten::addmm" : "aten::mm",
              bias ? "AddmmBackward0" : "MmBackward0",
              {},
              {}};
  const bool amp = precision == Precision::kAmp;
  if (amp) op.forward.push_back(CastKernel(in * out, true));  // the weight, once a pass
  op.forward.push_back(GemmKernel(tokens_, out, in, "tn", precision));
  op.backward.push_back(GemmKernel(tokens_, in, out, "nn", precision));
  op.backward.push_back(GemmKernel(out, in, tokens_, "nt", precision));
  if (bias) op.backward.push_back(ReduceKernel("sum_functor", tokens_ * out / 4));
  if (amp) op.backward.push_back(CastKernel(in * out, false));  // the gradient back
  return op;
}

std::vector<Operator> TrainingRank::LayerOperators() const {
  const Precision precision = options_.precision;
  const int64_t heads = std::max<int64_t>(1, hidden_ / kHeadSize);
  const auto norm = [&] {
    return Operator{"aten::layer_norm",
                    "aten::native_layer_norm",
                    "NativeLayerNormBackward0",
                    {LayerNormKernel(tokens_, hidden_, false)},
                    {LayerNormKernel(tokens_, hidden_, true),
                     ReduceKernel("GammaBetaBackward", hidden_ * 128)}};
  };
  const auto residual = [&] {
    return Operator{"aten::add",
                    "",
                    "AddBackward0",
                    {ElementwiseKernel("CUDAFunctor_add", tokens_ * hidden_, 3, Precision::kFp32)},
                    {}};
  };
  const auto attention = [&](bool backward) {
    return AttentionKernel(options_.batch, heads, sequence_length_, kHeadSize, backward, precision);
  };
  const bool amp = precision == Precision::kAmp;
  return {
      norm(),
      Linear(hidden_, 3 * hidden_, true),
      {"aten::scaled_dot_product_attention",
       amp ? "aten::_scaled_dot_product_flash_attention"
           : "aten::_scaled_dot_product_efficient_attention",
       amp ? "ScaledDotProductFlashAttentionBackward0"
           : "ScaledDotProductEfficientAttentionBackward0",
       {attention(false)},
       {attention(true)}},
      Linear(hidden_, hidden_, true),
      residual(),
      norm(),
      Linear(hidden_, 4 * hidden_, true),
      {"aten::gelu",
       "",
       "GeluBackward0",
       {ElementwiseKernel("GeluCUDAKernelImpl", tokens_ * hidden_ * 4, 2, precision)},
       {ElementwiseKernel("GeluBackwardCUDAKernelImpl", tokens_ * hidden_ * 4, 3, precision)}},
      Linear(4 * hidden_, hidden_, true),
      residual(),
  };
}

std::vector<Operator> TrainingRank::HeadOperators() const {
  return {
      Linear(hidden_, kVocabulary, false),
      {"aten::log_softmax",
       "aten::_log_softmax",
       "LogSoftmaxBackward0",
       {SoftmaxKernel(tokens_, kVocabulary, false)},
       {SoftmaxKernel(tokens_, kVocabulary, true)}},
      {"aten::nll_loss_nd",
       "aten::nll_loss_forward",
       "NllLossBackward0",
       {LossKernel(tokens_, false)},
       {LossKernel(tokens_, true)}},
  };
}

void TrainingRank::AddOperator(int64_t layer, const Operator& op) {
  tape_.push_back({layer, op, main_.Forward(op)});
}

void TrainingRank::WriteForward() {
  main_.Push(NvtxLevel::kSteps, "forward");
  main_.Push(NvtxLevel::kLayers, "embedding", true);
  AddOperator(0, {"aten::embedding",
                  "aten::index_select",
                  "EmbeddingBackward0",
                  {EmbeddingKernel(tokens_, hidden_, false)},
                  {EmbeddingKernel(tokens_, hidden_, true)}});
  main_.Pop(NvtxLevel::kLayers);
  for (int64_t layer = 0; layer < options_.layers; ++layer) {
    main_.Push(NvtxLevel::kLayers, "layer " + std::to_string(layer), true);
    for (const Operator& op : LayerOperators()) AddOperator(layer + 1, op);
    main_.Pop(NvtxLevel::kLayers);
  }
  main_.Push(NvtxLevel::kLayers, "loss", true);
  for (const Operator& op : HeadOperators()) AddOperator(options_.layers + 1, op);
  main_.Pop(NvtxLevel::kLayers);
  main_.Pop(NvtxLevel::kSteps);
}

void TrainingRank::WriteBackward() {
  main_.Push(NvtxLevel::kSteps, "backward");
  main_.Simple("aten::ones_like", {ElementwiseKernel("FillFunctor", 1, 1, Precision::kFp32)});
  main_script_.Post(backward_go_);
  main_script_.Wait(backward_done_);
  main_.Pop(NvtxLevel::kSteps);

  autograd_script_.Wait(backward_go_);
  int64_t layer = options_.layers + 1;
  for (auto entry = tape_.rbegin(); entry != tape_.rend(); ++entry) {
    if (entry->layer != layer) {
      if (layer <= options_.layers) WriteBucket(layer);
      layer = entry->layer;
    }
    autograd_.Backward(entry->op, entry->sequence);
  }
  WriteBucket(0);
  if (exchange_.communicator >= 0) {
    autograd_script_.EventRecord(reduced_event_, nccl_stream_);
    autograd_script_.StreamWait(stream_, reduced_event_);
  }
  autograd_script_.Post(backward_done_);
}

// The gradients of one layer are summed over the ranks while earlier layers still compute.
void TrainingRank::WriteBucket(int64_t layer) {
  if (exchange_.communicator < 0) return;
  const int64_t bytes = 4 * (layer > 0 ? 12 * hidden_ * hidden_ : kVocabulary * hidden_);
  Script& script = autograd_script_;
  script.EventRecord(ready_events_[layer], stream_);
  script.StreamWait(nccl_stream_, ready_events_[layer]);
  Op& range = script.PushRegistered("ncclAllReduce", domain_);
  range.payload = 0;
  range.color = 0xff76b900;
  range.first[0] = 0x5eed;
  range.amount = bytes;
  const KernelSpec kernel = AllReduceKernel(exchange_.ranks);
  const int64_t transfer = 18'000 + bytes * 2 * (exchange_.ranks - 1) / exchange_.ranks / 180;
  script.Collective(program_.AddKernel(kernel), nccl_stream_, exchange_.communicator, transfer);
  script.Pop(domain_);
}

void TrainingRank::WriteOptimizer() {
  main_.Push(NvtxLevel::kSteps, "optimizer");
  if (options_.precision == Precision::kAmp) {
    main_.Simple("aten::_amp_foreach_non_finite_check_and_unscale_",
                 {NonFiniteCheckKernel(parameters_)});
    main_.Item(kGroupNone, 1);  // were all gradients finite?
  }
  main_.Begin("Optimizer.step#AdamW.step");
  const char* const passes[] = {"BinaryOpScalarFunctor", "TernaryOpScalarFunctor",
                                "PointwiseOpScalarFunctor", "UnaryOpFunctor",
                                "PointwiseOpScalarListFunctor"};
  for (const char* pass : passes) {
    main_.Simple("aten::_foreach_op_", {OptimizerKernel(pass, parameters_)});
  }
  main_.End();
  main_.Begin("Optimizer.zero_grad#AdamW.zero_grad");
  main_script_.Memset(parameters_ * 4, stream_);
  main_.End();
  main_.Pop(NvtxLevel::kSteps);
}

}  // namespace xsp::samples
