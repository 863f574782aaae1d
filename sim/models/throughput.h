#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/forecast.h"

namespace xsp {

// What a user says of a run, and where it was said: no trace has it for sure.
struct StatedRun {
  std::optional<double> tokens;          // Of a step, or of the run where there are no steps.
  std::optional<double> params;          // Of the model.
  std::optional<double> price_per_hour;  // Of one GPU, in whatever money.
  std::string tokens_source = "given", params_source = "given";

  bool empty() const { return !tokens && !params && !price_per_hour; }
};

// Matrix work of one phase or layer, per unit.
struct WorkRate {
  std::string what;
  DurationNs ns = 0;           // Of its kernels.
  DurationNs with_shapes = 0;  // Of those whose sizes were recorded.
  double flops = 0;            // Of those: what they did.
  double model_flops = 0;      // What the model needs, by tokens and parameters; 0: not known.
};

// How well a unit uses its GPUs. Rates are per second, money is as the price was given.
//
//   MFU = tokens x parameters x 6 / (time x GPUs x peak); 2 in the place of 6 without backward pass
//   HFU = flop of all matrix products that ran / (time x GPUs x peak), by their recorded sizes
struct Throughput {
  DurationNs unit = 0;
  bool is_step = false;
  std::uint32_t gpus = 1;
  StatedRun facts;  // With what the trace tells where nobody said.
  bool trains = false;
  std::optional<double> tokens_per_s;
  std::optional<double> model_flops;  // Of a unit.

  Precision format = Precision::kUnknown;  // In which most matrix work is done,
  std::optional<double> peak;              // what the data sheet promises for it, of one GPU,
  std::optional<double> reachable;         // and what can be reached,
  std::string reachable_source;            // in words.
  std::optional<double> mfu;
  double executed_flops = 0;   // Of the products whose sizes were recorded;
  DurationNs kernels = 0;      // of all kernels,
  DurationNs with_shapes = 0;  // those took so much.
  std::optional<double> hfu;   // None where sizes of less than half of the matrix work are known.
  DurationNs matrix = 0;       // Time of all matrix work.

  std::vector<WorkRate> phases, layers;  // In the order in which they come; the longest first.
  double idle_share = 0;                 // Of the GPUs' time.

  double GpuSeconds() const { return static_cast<double>(unit) / 1e9 * gpus; }
  // The price of some time on all GPUs; nothing where none was given.
  std::optional<double> Price(double seconds) const;
};

// `busy`: how long a device worked in a unit, of several the mean.
Throughput FindThroughput(const Workbench& workbench, const StatedRun& stated, DurationNs busy);

// "tokens=4096", "4096 tokens": the number that a step's name tells; nothing for others.
std::optional<double> TokensInText(std::string_view text);

}  // namespace xsp
