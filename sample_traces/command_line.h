// The arguments of xsp-sample.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sample_traces/kineto_writer.h"
#include "sample_traces/scenarios.h"

namespace xsp::samples {

struct CommandLine {
  bool help = false;
  std::string scenario;
  std::string output;
  ScenarioOptions options;
  std::string schema = "newest";
  int64_t kernels = 0;  // 0: as many as the steps have
  std::vector<std::string> changes;
  KinetoOptions kineto;  // Used where the output is a .json file.
};

// Throws std::runtime_error with what is wrong.
CommandLine ParseCommandLine(const std::vector<std::string>& arguments);
std::string HelpText();
// Whether the output is a trace of the PyTorch profiler: by its name, *.json.
bool WantsKineto(const CommandLine& command);
// Builds the scenario that the command line asks for, changes applied.
Scenario MakeScenario(const CommandLine& command);

}  // namespace xsp::samples
