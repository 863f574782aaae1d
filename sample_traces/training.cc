#include "sample_traces/training.h"

#include <algorithm>
#include <string>
#include <utility>

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
      main_(main_script_, numbers_, options.nvtx, stream_, OperatorNs(options.bound)),
      autograd_(autograd_script_, numbers_, options.nvtx, stream_, OperatorNs(options.bound)),
      backward_go_(program.AddSemaphore(0)),
      backward_done_(program.AddSemaphore(0)),
      batch_ready_(program.AddSemaphore(0)),
      batch_slots_(program.AddSemaphore(2 * options.workers)) {
  for (int64_t i = 0; i < options.workers; ++i) {
    loader_scripts_.emplace_back(program, program.AddThread(process_, "pt_data_pin"));
  }
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
  if (options_.prefetch) {
    copy_stream_ = program_.AddStream(context_, false);
    copied_event_ = program_.AddEvent(context_);
  }
  WriteSetup();
  WriteSteps("warm-up %0", 0, options_.warmup);
  if (options_.graphs) WriteCapture();
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
  for (Script* script : {&main_script_, &autograd_script_}) script->Loop(steps);
  // Each loader makes its share of the batches.
  const auto workers = static_cast<int64_t>(loader_scripts_.size());
  const int64_t batches = steps * options_.accumulate;
  for (int64_t i = 0; i < workers; ++i) {
    loader_scripts_[static_cast<size_t>(i)].Loop(batches / workers +
                                                 (i < batches % workers ? 1 : 0));
  }
  main_.PushNumbered(NvtxLevel::kSteps, text, first);
  for (Script& loader : loader_scripts_) WriteLoader(loader);
  for (int64_t i = 0; i < options_.accumulate; ++i) {
    tape_.clear();
    WriteLoading();
    WriteForward();
    WriteBackward(i + 1 == options_.accumulate);
  }
  WriteOptimizer();
  main_.Item(kGroupSync, options_.sync_every);
  main_.Pop(NvtxLevel::kSteps);
  main_script_.Work(24'000);
  for (Script* script : {&main_script_, &autograd_script_}) script->EndLoop();
  for (Script& loader : loader_scripts_) loader.EndLoop();
  numbers_.EndLoop(program_, steps);
}

// All kernels of a step are captured once, pass by pass, on the thread that
// launches them.
void TrainingRank::WriteCapture() {
  forward_graph_ = program_.AddGraph();
  backward_graph_ = program_.AddGraph();
  update_graph_ = program_.AddGraph();
  tape_.clear();
  const auto capture = [&](Script& script, int32_t graph, auto write) {
    script.BeginCapture(stream_);
    write();
    script.EndCapture(stream_, graph);
    script.Instantiate(graph);
  };
  capture(main_script_, forward_graph_, [&] { WriteForwardOperators(); });
  main_script_.Post(backward_go_);
  main_script_.Wait(backward_done_);
  autograd_script_.Wait(backward_go_);
  capture(autograd_script_, backward_graph_, [&] { WriteBackwardOperators(false); });
  autograd_script_.Post(backward_done_);
  capture(main_script_, update_graph_, [&] { WriteUpdate(); });
  numbers_.EndLoop(program_, 1);
  replay_ = true;
}

void TrainingRank::WriteLoader(Script& loader) {
  loader.Wait(batch_slots_, "pthread_cond_wait");
  const int64_t load_ns = options_.bound == Bound::kInput ? 60'000'000 : 900'000;
  loader.Work(load_ns).groups = kGroupLoading;
  loader.OsCall("read", 48'000);
  loader.Post(batch_ready_);
}

void TrainingRank::WriteLoading() {
  main_.Push(NvtxLevel::kSteps, "data loading");
  main_script_.Wait(batch_ready_, "pthread_cond_timedwait");
  main_script_.Post(batch_slots_);
  main_script_.Work(15'000);
  const bool pinned = options_.pinned || options_.prefetch;
  for (int i = 0; i < 2; ++i) {  // tokens and targets
    CopySpec copy;
    copy.bytes = i == 0 && options_.input_bytes > 0 ? options_.input_bytes : tokens_ * 8;
    copy.host = pinned ? MemoryKind::kPinned : MemoryKind::kPageable;
    main_.Begin("aten::to");
    main_script_.Copy(copy, options_.prefetch ? copy_stream_ : stream_);
    main_.End();
  }
  if (options_.prefetch) {
    main_script_.EventRecord(copied_event_, copy_stream_);
    main_script_.StreamWait(stream_, copied_event_);
  }
  main_.Pop(NvtxLevel::kSteps);
}

// A cast of mixed precision is an operator of its own, and so is its way back.
Operator TrainingRank::Cast(int64_t elements) const {
  return {"aten::to",
          "aten::_to_copy",
          "ToCopyBackward0",
          {CastKernel(elements, true)},
          {CastKernel(elements, false)}};
}

void TrainingRank::AddLinear(std::vector<Operator>& operators, int64_t in, int64_t out, bool bias,
                             bool input_is_half) const {
  const Precision precision = options_.precision;
  if (precision == Precision::kAmp) {
    if (bias) operators.push_back(Cast(out));
    operators.push_back(Cast(in * out));  // the weight, once a pass
    if (!input_is_half) operators.push_back(Cast(tokens_ * in));
  }
  Operator op{"aten::linear",
              bias ? "aten::addmm" : "aten::mm",
              bias ? "AddmmBackward0" : "MmBackward0",
              {GemmKernel(tokens_, out, in, "tn", precision)},
              {GemmKernel(tokens_, in, out, "nn", precision),
               GemmKernel(out, in, tokens_, "nt", precision)}};
  if (bias) op.backward.push_back(ReduceKernel("sum_functor", tokens_ * out / 4));
  operators.push_back(op);
}

std::vector<Operator> TrainingRank::LayerOperators() const {
  const Precision precision = options_.precision;
  const bool amp = precision == Precision::kAmp;
  const int64_t heads = std::max<int64_t>(1, hidden_ / kHeadSize);
  std::vector<Operator> operators;
  const auto norm = [&] {
    operators.push_back({"aten::layer_norm",
                         "aten::native_layer_norm",
                         "NativeLayerNormBackward0",
                         {LayerNormKernel(tokens_, hidden_, false)},
                         {LayerNormKernel(tokens_, hidden_, true),
                          ReduceKernel("GammaBetaBackward", hidden_ * 128)}});
  };
  // The sum is in fp32; on the way back its gradient is cast for the product
  // that comes next.
  const auto residual = [&] {
    operators.push_back(
        {"aten::add",
         "",
         "AddBackward0",
         {ElementwiseKernel("CUDAFunctor_add", tokens_ * hidden_, 3, Precision::kFp32)},
         {}});
    if (amp) operators.back().backward.push_back(CastKernel(tokens_ * hidden_, true));
  };
  const auto attention = [&](bool backward) {
    return AttentionKernel(options_.batch, heads, sequence_length_, kHeadSize, backward, precision);
  };
  norm();
  AddLinear(operators, hidden_, 3 * hidden_, true, false);
  operators.push_back({"aten::scaled_dot_product_attention",
                       amp ? "aten::_scaled_dot_product_flash_attention"
                           : "aten::_scaled_dot_product_efficient_attention",
                       amp ? "ScaledDotProductFlashAttentionBackward0"
                           : "ScaledDotProductEfficientAttentionBackward0",
                       {attention(false)},
                       {attention(true)}});
  AddLinear(operators, hidden_, hidden_, true, true);
  residual();
  norm();
  AddLinear(operators, hidden_, 4 * hidden_, true, false);
  for (const Operator& op : Chain()) operators.push_back(op);
  AddLinear(operators, 4 * hidden_, hidden_, true, true);
  residual();
  return operators;
}

// GELU and the elementwise operators behind it on the same tensor. A compiler makes one kernel of
// them, which reads and writes memory once; on the way back it reads the input of GELU, too.
std::vector<Operator> TrainingRank::Chain() const {
  const int64_t elements = tokens_ * hidden_ * 4;
  const Precision precision = options_.precision;
  if (options_.fused_pointwise) {
    return {{"CompiledFunction",
             "",
             "CompiledFunctionBackward",
             {FusedChainKernel(options_.pointwise + 1, elements, 2, precision)},
             {FusedChainKernel(options_.pointwise + 1, elements, 3, precision)}}};
  }
  std::vector<Operator> operators = {
      {"aten::gelu",
       "",
       "GeluBackward0",
       {ElementwiseKernel("GeluCUDAKernelImpl", elements, 2, precision)},
       {ElementwiseKernel("GeluBackwardCUDAKernelImpl", elements, 3, precision)}}};
  const KernelSpec kernel = ElementwiseKernel("sigmoid_kernel_cuda", elements, 2, precision);
  operators.insert(operators.end(), static_cast<size_t>(options_.pointwise),
                   {"aten::sigmoid", "", "SigmoidBackward0", {kernel}, {kernel}});
  return operators;
}

std::vector<Operator> TrainingRank::HeadOperators() const {
  std::vector<Operator> operators;
  AddLinear(operators, hidden_, kVocabulary, false, false);
  operators.push_back({"aten::log_softmax",
                       "aten::_log_softmax",
                       "LogSoftmaxBackward0",
                       {SoftmaxKernel(tokens_, kVocabulary, false)},
                       {SoftmaxKernel(tokens_, kVocabulary, true)}});
  operators.push_back({"aten::nll_loss_nd",
                       "aten::nll_loss_forward",
                       "NllLossBackward0",
                       {LossKernel(tokens_, false)},
                       {LossKernel(tokens_, true)}});
  return operators;
}

void TrainingRank::AddOperator(int64_t layer, const Operator& op) {
  tape_.push_back({layer, op, main_.Forward(op)});
}

void TrainingRank::WriteForward() {
  main_.Push(NvtxLevel::kSteps, "forward");
  if (replay_) {
    main_script_.GraphLaunch(forward_graph_, stream_);
  } else {
    WriteForwardOperators();
  }
  main_.Pop(NvtxLevel::kSteps);
}

void TrainingRank::WriteForwardOperators() {
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
}

void TrainingRank::WriteBackward(bool exchange) {
  main_.Push(NvtxLevel::kSteps, "backward");
  main_.Simple("aten::ones_like", {ElementwiseKernel("FillFunctor", 1, 1, Precision::kFp32)});
  main_script_.Post(backward_go_);
  main_script_.Wait(backward_done_);
  main_.Pop(NvtxLevel::kSteps);

  autograd_script_.Wait(backward_go_);
  if (replay_) {
    autograd_script_.GraphLaunch(backward_graph_, stream_);
  } else {
    WriteBackwardOperators(exchange);
  }
  autograd_script_.Post(backward_done_);
}

void TrainingRank::WriteBackwardOperators(bool exchange) {
  const bool sums = exchange && exchange_.communicator >= 0;
  next_ready_ = ready_events_.size();
  int64_t layer = options_.layers + 1;
  for (auto entry = tape_.rbegin(); entry != tape_.rend(); ++entry) {
    if (entry->layer != layer) {
      if (sums && layer <= options_.layers) AddToBucket(layer);
      layer = entry->layer;
    }
    autograd_.Backward(entry->op, entry->sequence);
  }
  if (!sums) return;
  AddToBucket(0);
  WriteBucket();
  autograd_script_.EventRecord(reduced_event_, nccl_stream_);
  autograd_script_.StreamWait(stream_, reduced_event_);
}

// The gradients of a layer join those that wait; enough of them are summed over
// the ranks while earlier layers still compute.
void TrainingRank::AddToBucket(int64_t layer) {
  bucket_fill_ += 4 * (layer > 0 ? 12 * hidden_ * hidden_ : kVocabulary * hidden_);
  if (bucket_fill_ >= options_.bucket_bytes) WriteBucket();
}

void TrainingRank::WriteBucket() {
  const int64_t bytes = std::exchange(bucket_fill_, 0);
  if (bytes == 0) return;
  Script& script = autograd_script_;
  const int32_t ready = ready_events_[--next_ready_];
  script.EventRecord(ready, stream_);
  script.StreamWait(nccl_stream_, ready);
  Op& range = script.PushRegistered("ncclAllReduce", domain_);
  range.payload = 0;
  range.color = 0xff76b900;
  range.first[0] = 0x5eed;
  range.amount = bytes;
  const KernelSpec kernel = AllReduceKernel(exchange_.ranks);
  const int64_t transfer =
      18'000 + bytes * 2 * (exchange_.ranks - 1) / exchange_.ranks / options_.link_rate;
  script.Collective(program_.AddKernel(kernel), nccl_stream_, exchange_.communicator, transfer);
  script.Pop(domain_);
}

void TrainingRank::WriteOptimizer() {
  main_.Push(NvtxLevel::kSteps, "optimizer");
  if (options_.precision == Precision::kAmp && options_.scaler) WriteScaler();
  if (replay_) {
    main_script_.GraphLaunch(update_graph_, stream_);
  } else {
    WriteUpdate();
  }
  main_.Pop(NvtxLevel::kSteps);
}

// Loss scaling: numbers that say by how much, a check of all gradients, and a
// wait for its answer.
void TrainingRank::WriteScaler() {
  for (int i = 0; i < 6; ++i) {
    main_.Simple("aten::mul", {ElementwiseKernel("MulFunctor", 1, 3, Precision::kFp32)});
  }
  main_.Simple("aten::_amp_foreach_non_finite_check_and_unscale_",
               {NonFiniteCheckKernel(parameters_)});
  main_.Item(kGroupNone, 1);  // were all gradients finite?
}

void TrainingRank::WriteUpdate() {
  main_.Begin("Optimizer.step#AdamW.step");
  if (options_.fused_optimizer) {
    main_.Simple("aten::_fused_adamw_", {FusedOptimizerKernel(parameters_)});
  } else {
    const char* const passes[] = {"BinaryOpScalarFunctor", "TernaryOpScalarFunctor",
                                  "PointwiseOpScalarFunctor", "UnaryOpFunctor",
                                  "PointwiseOpScalarListFunctor"};
    for (const char* pass : passes) {
      main_.Simple("aten::_foreach_op_", {OptimizerKernel(pass, parameters_)});
    }
  }
  main_.End();
  main_.Begin("Optimizer.zero_grad#AdamW.zero_grad");
  main_script_.Memset(parameters_ * 4, stream_);
  main_.End();
}

}  // namespace xsp::samples
