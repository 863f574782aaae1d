// One rank of a language-model training: the main thread, the autograd thread, the data loader.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sample_traces/scenarios.h"
#include "sample_traces/script.h"
#include "sample_traces/torch_script.h"

namespace xsp::samples {

// How ranks exchange gradients; none: a single rank.
struct GradientExchange {
  int32_t communicator = -1;
  int32_t rank = 0;
  int32_t ranks = 1;
};

class TrainingRank {
 public:
  // Adds process, threads and context on `device` to the program.
  TrainingRank(Program& program, const ScenarioOptions& options, int32_t device);
  TrainingRank(const TrainingRank&) = delete;  // the scripts point into it
  TrainingRank& operator=(const TrainingRank&) = delete;

  int32_t context() const { return context_; }
  // Writes the whole program of the rank.
  void Write(const GradientExchange& exchange);

 private:
  void WriteSetup();
  void WriteSteps(std::string_view text, int64_t first, int64_t steps);
  void WriteCapture();
  void WriteLoader(Script& loader);
  void WriteLoading();
  void WriteForward();
  void WriteForwardOperators();
  void WriteBackward(bool exchange);
  void WriteBackwardOperators(bool exchange);
  void WriteOptimizer();
  void WriteScaler();
  void WriteUpdate();
  void AddToBucket(int64_t layer);
  void WriteBucket();
  void AddOperator(int64_t layer, const Operator& op);
  std::vector<Operator> LayerOperators() const;
  std::vector<Operator> HeadOperators() const;
  std::vector<Operator> Chain() const;
  Operator Cast(int64_t elements) const;
  void AddLinear(std::vector<Operator>& operators, int64_t in, int64_t out, bool bias,
                 bool input_is_half) const;

  // An operator that the backward pass will come back to.
  struct TapeEntry {
    int64_t layer;
    Operator op;
    int64_t sequence;
  };

  Program& program_;
  const ScenarioOptions options_;
  int64_t hidden_;
  int64_t sequence_length_;
  int64_t tokens_;
  int64_t parameters_;
  int32_t process_;
  int32_t context_;
  int32_t stream_;
  int32_t nccl_stream_ = -1;
  int32_t domain_ = 0;
  std::vector<int32_t> ready_events_;
  int32_t reduced_event_ = -1;
  int32_t copy_stream_ = -1;
  int32_t copied_event_ = -1;
  int32_t forward_graph_ = -1;
  int32_t backward_graph_ = -1;
  int32_t update_graph_ = -1;
  bool replay_ = false;      // steps launch graphs
  int64_t bucket_fill_ = 0;  // bytes of gradients that wait to be summed
  size_t next_ready_ = 0;    // ready_events_ before it are still to be used
  OperatorNumbers numbers_;
  Script main_script_;
  Script autograd_script_;
  std::vector<Script> loader_scripts_;
  TorchScript main_;
  TorchScript autograd_;
  int32_t backward_go_;
  int32_t backward_done_;
  int32_t batch_ready_;
  int32_t batch_slots_;
  GradientExchange exchange_;
  std::vector<TapeEntry> tape_;
};

}  // namespace xsp::samples
