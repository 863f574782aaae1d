#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "importers/kineto/reader.h"
#include "model/building/trace_builder.h"

namespace xsp {

// Turns the rows of a Kineto file into rows of a trace: says which process owns the GPU's work,
// gives tracks and domains their ids, moves times to the trace's clock, links backward operators
// with the threads of their forward ones, and hands everything to the builder.
class KinetoBuilder {
 public:
  KinetoBuilder(KinetoFile& file, const KinetoFacts& facts, TraceBuilder& builder);

  void Build();
  // The modules that kernels name, on the trace's clock; to be asked for after Build.
  std::vector<KinetoRows::KernelModule> TakeKernelModules() { return std::move(kernel_modules_); }

 private:
  void FindOwner();
  void FindOrigin();
  void AddGpus();
  void AddContexts();
  void SetNames();
  void LinkForwardThreads();
  void AddPiece(KinetoRows& rows, std::uint64_t order);

  ProcessId Process(std::int64_t number);
  TrackId Resolve(const KinetoTrack& track);

  KinetoFile& file_;
  const KinetoFacts& facts_;
  TraceBuilder& builder_;
  std::int64_t owner_ = 0;                    // The process that launches the GPU's work.
  TimeNs origin_ = 0;                         // Time 0 of the trace, in the file's time.
  std::vector<std::vector<TrackId>> tracks_;  // By piece.
  std::map<KinetoTrack, TrackId> track_ids_;
  std::vector<KinetoRows::KernelModule> kernel_modules_;
};

}  // namespace xsp
