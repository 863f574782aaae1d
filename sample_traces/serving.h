// A serving engine: batches that prefill and decode, and what the engines write about them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sample_traces/scenarios.h"

namespace xsp::samples {

// One batch that the engine runs: the truth that a reader of the trace should find.
struct ServedBatch {
  int64_t context_requests = 0;
  int64_t context_tokens = 0;
  int64_t generation_requests = 0;  // one token each

  int64_t requests() const { return context_requests + generation_requests; }
  int64_t tokens() const { return context_tokens + generation_requests; }
  std::string_view kind() const {
    if (context_requests == 0) return generation_requests == 0 ? "idle" : "decode";
    return generation_requests == 0 ? "prefill" : "mixed";
  }
};

// The batches of a run, in order.
std::vector<ServedBatch> ServedBatches(const ScenarioOptions& options);

// The text that an engine puts around such a step; `number` counts them from 0.
std::string StepText(Engine engine, const ServedBatch& batch, int64_t number);
// The text around a layer that gets so many tokens.
std::string LayerText(Engine engine, int64_t layer, int64_t tokens, int64_t width);

}  // namespace xsp::samples
