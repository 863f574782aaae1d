// Writes host operations as a deep-learning framework would do them: ranges around operators with
// sequence numbers, host work before each launch, a tape for the backward pass.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sample_traces/scenarios.h"
#include "sample_traces/script.h"

namespace xsp::samples {

// Numbers that the framework gives to operators, per process. They go on from step to step: what
// is written inside a loop gets the stride once the loop is complete.
class OperatorNumbers {
 public:
  // Gives the operation its numbers: %0 is the sequence number, %1 the operator id.
  void Number(Script& script, Op& op, int64_t sequence);
  int64_t NextSequence() { return next_sequence_++; }
  // Everything since the last call was written in a loop of so many repetitions.
  void EndLoop(Program& program, int64_t repetitions);

 private:
  struct Place {
    int32_t thread;
    size_t op;
  };
  std::vector<Place> places_;
  int64_t next_sequence_ = 31;
  int64_t next_operator_ = 101;
  int64_t first_sequence_ = 31;
  int64_t first_operator_ = 101;
};

// One operator: what the forward pass launches and what the backward pass will.
struct Operator {
  std::string name;           // aten::linear
  std::string inner;          // aten::addmm, may be empty
  std::string backward_name;  // AddmmBackward0; empty: no gradient
  std::vector<KernelSpec> forward;
  std::vector<KernelSpec> backward;
};

// Writes operators to one host thread.
class TorchScript {
 public:
  TorchScript(Script& script, OperatorNumbers& numbers, NvtxLevel level, int32_t stream,
              int64_t operator_ns)
      : script_(script),
        numbers_(numbers),
        level_(level),
        stream_(stream),
        operator_ns_(operator_ns) {}

  Script& script() { return script_; }
  int32_t stream() const { return stream_; }

  // A range of the level, left out when the trace is to show less.
  void Push(NvtxLevel level, std::string_view text, bool registered = false);
  void PushNumbered(NvtxLevel level, std::string_view text, int64_t first);  // %0, one more a step
  void Pop(NvtxLevel level);

  // The forward pass of an operator; gives back its sequence number.
  int64_t Forward(const Operator& op);
  void Backward(const Operator& op, int64_t sequence);
  // An operator without gradient that launches the kernels.
  void Simple(std::string_view name, const std::vector<KernelSpec>& kernels);
  // tensor.item(): copy to the host and wait, in every so-manieth step. `groups`: how a change can
  // find it.
  void Item(uint32_t groups, int64_t every);
  // Begins and ends an operator's range.
  void Begin(std::string_view name, int64_t sequence = -1);
  void End() { Pop(NvtxLevel::kOps); }
  void Launch(const KernelSpec& kernel);

 private:
  Script& script_;
  OperatorNumbers& numbers_;
  NvtxLevel level_;
  int32_t stream_;
  int64_t operator_ns_;
};

}  // namespace xsp::samples
