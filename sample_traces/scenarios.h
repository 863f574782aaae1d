// Ready-made programs with the machine that they run on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sample_traces/kernels.h"
#include "sample_traces/machine.h"
#include "sample_traces/nsys_writer.h"
#include "sample_traces/program.h"

namespace xsp::samples {

enum class Bound : uint8_t { kGpu, kHost, kInput };
// Each level includes those before it.
enum class NvtxLevel : uint8_t { kNone, kSteps, kLayers, kOps };
// Whose texts a serving program writes.
enum class Engine : uint8_t { kVllm, kSglang, kTensorRtLlm };

struct ScenarioOptions {
  uint64_t seed = 1;
  int64_t steps = 8;
  int64_t warmup = 2;
  int64_t layers = 2;
  int64_t hidden = 0;  // 0: what suits `bound`
  int64_t batch = 8;
  int64_t sync_every = 1;  // steps between two reads of the loss
  int32_t streams = 4;
  int32_t ranks = 2;
  int32_t queue_depth = 1'022;
  Precision precision = Precision::kFp32;
  Bound bound = Bound::kGpu;
  NvtxLevel nvtx = NvtxLevel::kOps;
  Engine engine = Engine::kVllm;
  bool graph_nodes = true;
  bool eager = false;  // serve: nothing is captured, decode is launched kernel by kernel
  bool pinned = false;
  bool scaler = true;  // mixed precision scales its loss, as fp16 needs it

  // What a program would do after a change; training only.
  bool fused_optimizer = false;  // one update kernel instead of one per pass
  bool graphs = false;           // forward, backward and update are captured and replayed
  bool prefetch = false;         // batches come by pinned copies on a stream of their own
  bool fused_pointwise = false;  // the chains below as one kernel each
  int64_t pointwise = 0;         // more elementwise operators in a chain behind each GELU
  int64_t input_bytes = 0;       // of a batch; 0: its tokens
  int64_t workers = 1;           // threads that load data
  int64_t accumulate = 1;        // micro-batches of a step
  int64_t bucket_bytes = 0;      // gradients summed at once; 0: those of a layer
  int64_t link_rate = 180;       // of an all-reduce, in bytes per ns
};

struct Scenario {
  Program program;
  MachineConfig machine;
  ExportOptions options;
};

struct ScenarioEntry {
  std::string_view name;
  std::string_view help;
  Scenario (*make)(const ScenarioOptions&);
};

// All scenarios, in the order in which help lists them.
const std::vector<ScenarioEntry>& Scenarios();
// Throws std::runtime_error that lists what there is.
Scenario MakeScenario(std::string_view name, const ScenarioOptions& options);
// The number of steps after which the program has launched at least `kernels` kernels.
int64_t StepsForKernels(std::string_view name, const ScenarioOptions& options, int64_t kernels);

// One change to a program, for pairs of before and after.
struct ChangeEntry {
  std::string_view name;
  std::string_view help;
  void (*apply)(Scenario&);
};
const std::vector<ChangeEntry>& Changes();
void ApplyChange(std::string_view name, Scenario& scenario);

Scenario MakeTrain(const ScenarioOptions& options);
Scenario MakeInfer(const ScenarioOptions& options);
Scenario MakeMulti(const ScenarioOptions& options);
Scenario MakeStreams(const ScenarioOptions& options);
Scenario MakeCopies(const ScenarioOptions& options);
Scenario MakeAlloc(const ScenarioOptions& options);
Scenario MakeGraphs(const ScenarioOptions& options);
Scenario MakeHpc(const ScenarioOptions& options);
Scenario MakeServe(const ScenarioOptions& options);

}  // namespace xsp::samples
