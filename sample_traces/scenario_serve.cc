// A serving engine on tensor-parallel ranks: eager prefill, decode replayed from CUDA graphs that
// were captured before, sampling, a thread that schedules and takes results.
#include <map>
#include <memory>
#include <string>

#include "sample_traces/scenarios.h"
#include "sample_traces/script.h"
#include "sample_traces/serving.h"

namespace xsp::samples {
namespace {

constexpr int64_t kServedVocabulary = 8'192;

// What the host does around the model, as the engine calls it.
struct HostTexts {
  std::string_view schedule, prepare, forward, sample, output;
};

HostTexts TextsOf(Engine engine) {
  switch (engine) {
    case Engine::kSglang:
      return {"scheduler.get_next_batch_to_run", "scheduler.process_input_requests", "", "",
              "scheduler.process_batch_result"};
    case Engine::kTensorRtLlm:
      return {"_schedule", "_prepare_inputs", "", "_sample_async", "_handle_responses"};
    case Engine::kVllm:
      break;
  }
  return {"schedule: allocate_slots", "gpu_model_runner: preprocess", "gpu_model_runner: forward",
          "gpu_model_runner: sample", "llm_engine step: process_outputs"};
}

class ServingRank {
 public:
  ServingRank(Program& program, const ScenarioOptions& options, int32_t device)
      : program_(program),
        options_(options),
        process_(program.AddProcess("serve")),
        context_(program.AddContext(process_, device)),
        stream_(program.AddStream(context_, false)),
        script_(program, program.AddThread(process_, "worker")),
        scheduler_(program, program.AddThread(process_, "scheduler")),
        scheduled_(program.AddSemaphore(0)),
        finished_(program.AddSemaphore(0)),
        width_(options.hidden > 0 ? options.hidden : 2'048),
        texts_(TextsOf(options.engine)) {
    program.threads[script_.thread()].start_ns = 2'000'000;
    program.threads[scheduler_.thread()].start_ns = 2'100'000;
  }

  int32_t context() const { return context_; }

  void Write(const std::vector<ServedBatch>& batches, int32_t communicator) {
    communicator_ = communicator;
    script_.Malloc(context_, 512 << 20, false);
    if (!options_.eager) WriteCaptures(batches);
    int64_t number = 0;
    for (const ServedBatch& batch : batches) {
      WriteScheduling();
      WriteStep(batch, number++);
    }
    script_.DeviceSync(context_);
  }

 private:
  bool Shows(NvtxLevel level) const { return options_.nvtx >= level; }

  void Push(Script& script, NvtxLevel level, std::string_view text) {
    if (Shows(level) && !text.empty()) script.Push(text);
  }
  void Pop(Script& script, NvtxLevel level, std::string_view text) {
    if (Shows(level) && !text.empty()) script.Pop();
  }

  void WriteLayers(int64_t tokens) {
    const Precision precision = Precision::kAmp;
    const int64_t heads = width_ / 128;
    for (int64_t layer = 0; layer < options_.layers; ++layer) {
      const std::string text = LayerText(options_.engine, layer, tokens, width_);
      Push(script_, NvtxLevel::kLayers, text);
      const auto launch = [&](const KernelSpec& kernel) {
        script_.Work(options_.bound == Bound::kHost ? 12'000 : 3'000);
        script_.Launch(program_.AddKernel(kernel), stream_);
      };
      launch(LayerNormKernel(tokens, width_, false));
      launch(GemmKernel(tokens, 3 * width_, width_, "tn", precision));
      launch(AttentionKernel(1, heads, tokens, 128, false, precision));
      launch(GemmKernel(tokens, width_, width_, "tn", precision));
      launch(GemmKernel(tokens, 4 * width_, width_, "tn", precision));
      launch(ElementwiseKernel("SiluAndMul", tokens * 4 * width_, 2, precision));
      launch(GemmKernel(tokens, width_, 4 * width_, "tn", precision));
      Pop(script_, NvtxLevel::kLayers, text);
    }
  }

  // A graph for each batch that only decodes.
  void WriteCaptures(const std::vector<ServedBatch>& batches) {
    for (const ServedBatch& batch : batches) {
      if (batch.kind() != "decode" || graphs_.contains(batch.tokens())) continue;
      const std::string text = "capture_" + std::to_string(batch.tokens()) + "_FULL";
      Push(script_, NvtxLevel::kLayers, text);
      script_.BeginCapture(stream_);
      WriteLayers(batch.tokens());
      const int32_t graph = program_.AddGraph();
      script_.EndCapture(stream_, graph);
      script_.Instantiate(graph);
      Pop(script_, NvtxLevel::kLayers, text);
      graphs_[batch.tokens()] = graph;
    }
  }

  // On its own thread: takes the results of the last step, then makes the next batch.
  void WriteScheduling() {
    if (has_results_) {
      scheduler_.Wait(finished_);
      Push(scheduler_, NvtxLevel::kLayers, texts_.output);
      scheduler_.Work(40'000);
      Pop(scheduler_, NvtxLevel::kLayers, texts_.output);
    }
    Push(scheduler_, NvtxLevel::kLayers, texts_.schedule);
    scheduler_.Work(options_.bound == Bound::kHost ? 400'000 : 60'000);
    Pop(scheduler_, NvtxLevel::kLayers, texts_.schedule);
    scheduler_.Post(scheduled_);
    has_results_ = true;
  }

  void WriteStep(const ServedBatch& batch, int64_t number) {
    script_.Wait(scheduled_);
    const std::string text = StepText(options_.engine, batch, number);
    Push(script_, NvtxLevel::kSteps, text);
    Push(script_, NvtxLevel::kLayers, texts_.prepare);
    script_.Work(25'000);
    script_.Copy({CopyKind::kHostToDevice, 8 * batch.tokens(), MemoryKind::kPinned, true, -1},
                 stream_);
    Pop(script_, NvtxLevel::kLayers, texts_.prepare);
    Push(script_, NvtxLevel::kLayers, texts_.forward);
    if (batch.kind() == "decode" && !options_.eager) {
      script_.GraphLaunch(graphs_.at(batch.tokens()), stream_);
    } else {
      WriteLayers(batch.tokens());
    }
    Pop(script_, NvtxLevel::kLayers, texts_.forward);
    if (communicator_ >= 0) {
      const KernelSpec reduce = AllReduceKernel(options_.ranks);
      script_.Collective(program_.AddKernel(reduce), stream_, communicator_,
                         10'000 + batch.tokens() * width_ * 2 / options_.link_rate);
    }
    Push(script_, NvtxLevel::kLayers, texts_.sample);
    script_.Work(15'000);
    script_.Launch(program_.AddKernel(SoftmaxKernel(batch.requests(), kServedVocabulary, false)),
                   stream_);
    script_.Copy({CopyKind::kDeviceToHost, 8 * batch.requests(), MemoryKind::kPinned, true, -1},
                 stream_);
    script_.StreamSync(stream_);
    Pop(script_, NvtxLevel::kLayers, texts_.sample);
    Pop(script_, NvtxLevel::kSteps, text);
    script_.Post(finished_);
  }

  Program& program_;
  const ScenarioOptions& options_;
  const int32_t process_, context_, stream_;
  Script script_, scheduler_;
  const int32_t scheduled_, finished_;
  const int64_t width_;
  const HostTexts texts_;
  int32_t communicator_ = -1;
  bool has_results_ = false;
  std::map<int64_t, int32_t> graphs_;  // by tokens
};

}  // namespace

std::vector<ServedBatch> ServedBatches(const ScenarioOptions& options) {
  std::vector<ServedBatch> batches;
  const int64_t full = options.batch;
  for (int64_t i = 0; i < options.steps + options.warmup; ++i) {
    if (i % 8 == 0) {
      batches.push_back({2, i % 16 == 0 ? 1'024 : 768, 0});
    } else if (i % 16 == 13) {
      batches.push_back({1, 256, full - 1});
    } else {
      batches.push_back({0, 0, i % 8 == 7 ? full - 1 : full});
    }
  }
  return batches;
}

std::string StepText(Engine engine, const ServedBatch& batch, int64_t number) {
  const auto text = [](int64_t value) { return std::to_string(value); };
  switch (engine) {
    case Engine::kSglang:
      if (batch.kind() == "prefill") {
        return "step[EXTEND bs=" + text(batch.requests()) + " toks=" + text(batch.tokens()) + "]";
      }
      return "step[" + std::string(batch.kind() == "mixed" ? "MIXED" : "DECODE") +
             " bs=" + text(batch.requests()) + "]";
    case Engine::kTensorRtLlm:
      return "[Executor] _forward_step " + text(number) + ": " + text(batch.context_requests) +
             " ctx reqs, " + text(batch.context_tokens) + " ctx tokens, " +
             text(batch.generation_requests) + " gen reqs";
    case Engine::kVllm:
      break;
  }
  return "execute_context_" + text(batch.context_requests) + "(" + text(batch.context_tokens) +
         ")_generation_" + text(batch.generation_requests) + "(" + text(batch.generation_requests) +
         ")";
}

std::string LayerText(Engine engine, int64_t layer, int64_t tokens, int64_t width) {
  const std::string path = std::string(engine == Engine::kVllm ? "LlamaForCausalLM" : "model") +
                           ".model.layers." + std::to_string(layer);
  const std::string size = std::to_string(width);
  return "{'Module': '" + path + "', 'TrainableParams': {'weight': [" + size + ", " + size +
         "]}, 'Inputs': [[" + std::to_string(tokens) + ", " + size + "]], 'StaticParams': {}}";
}

Scenario MakeServe(const ScenarioOptions& options) {
  Scenario scenario;
  const std::vector<ServedBatch> batches = ServedBatches(options);
  std::vector<std::unique_ptr<ServingRank>> ranks;
  Communicator communicator;
  for (int32_t device = 0; device < options.ranks; ++device) {
    ranks.push_back(std::make_unique<ServingRank>(scenario.program, options, device));
    communicator.contexts.push_back(ranks.back()->context());
  }
  scenario.program.communicators.push_back(communicator);
  for (const auto& rank : ranks) rank->Write(batches, 0);
  scenario.machine.trace_graph_nodes = options.graph_nodes;
  return scenario;
}

}  // namespace xsp::samples
