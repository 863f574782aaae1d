#include "sample_traces/command_line.h"

#include <charconv>
#include <functional>
#include <stdexcept>

namespace xsp::samples {
namespace {

int64_t ParseNumber(const std::string& option, const std::string& text, int64_t least,
                    int64_t most) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw std::runtime_error(option + " needs a number from " + std::to_string(least) + " to " +
                             std::to_string(most) + ", not '" + text + "'");
  }
  return value;
}

template <typename Enum>
Enum ParseWord(const std::string& option, const std::string& text,
               std::initializer_list<std::pair<const char*, Enum>> words) {
  std::string known;
  for (const auto& [word, value] : words) {
    if (text == word) return value;
    known += (known.empty() ? "" : ", ") + std::string(word);
  }
  throw std::runtime_error(option + " is one of " + known + ", not '" + text + "'");
}

struct OptionEntry {
  const char* name;
  const char* argument;
  const char* help;
  std::function<void(CommandLine&, const std::string& option, const std::string& text)> set;
};

using Number = int64_t ScenarioOptions::*;

OptionEntry NumberOption(const char* name, Number field, int64_t least, int64_t most,
                         const char* help) {
  return {name, "N", help,
          [=](CommandLine& command, const std::string& option, const std::string& text) {
            command.options.*field = ParseNumber(option, text, least, most);
          }};
}

OptionEntry SmallNumberOption(const char* name, int32_t ScenarioOptions::*field, int64_t least,
                              int64_t most, const char* help) {
  return {name, "N", help,
          [=](CommandLine& command, const std::string& option, const std::string& text) {
            command.options.*field = static_cast<int32_t>(ParseNumber(option, text, least, most));
          }};
}

OptionEntry FlagOption(const char* name, bool ScenarioOptions::*field, const char* help) {
  return {name, "yes|no", help,
          [=](CommandLine& command, const std::string& option, const std::string& text) {
            command.options.*field = ParseWord<bool>(option, text, {{"yes", true}, {"no", false}});
          }};
}

std::vector<OptionEntry> MakeOptions() {
  using Text = const std::string&;
  constexpr int64_t kMany = 1'000'000'000;
  return {
      {"-o", "FILE", "write here (needed): an nsys export, or a Kineto trace if FILE is *.json",
       [](CommandLine& command, Text, Text text) { command.output = text; }},
      {"--schema", "NAME", "old, middle, newest (default), or a version: 2.9.1, 3.7.2, ...",
       [](CommandLine& command, Text, Text text) { command.schema = text; }},
      {"--seed", "N", "of all noise (default 1)",
       [](CommandLine& command, Text option, Text text) {
         command.options.seed = static_cast<uint64_t>(ParseNumber(option, text, 0, INT64_MAX));
       }},
      NumberOption("--steps", &ScenarioOptions::steps, 1, kMany, "steps, requests, ... (8)"),
      NumberOption("--warmup", &ScenarioOptions::warmup, 0, kMany, "steps before those (2)"),
      NumberOption("--layers", &ScenarioOptions::layers, 1, 1'000, "layers of the model (2)"),
      NumberOption("--hidden", &ScenarioOptions::hidden, 8, 65'536, "width of the model"),
      NumberOption("--batch", &ScenarioOptions::batch, 1, 4'096, "samples in a batch (8)"),
      NumberOption("--sync-every", &ScenarioOptions::sync_every, 1, kMany,
                   "steps between two reads of a result (1)"),
      SmallNumberOption("--streams", &ScenarioOptions::streams, 1, 64, "streams (4)"),
      SmallNumberOption("--ranks", &ScenarioOptions::ranks, 2, 8,
                        "GPUs of `multi` and `serve` (2)"),
      SmallNumberOption("--queue-depth", &ScenarioOptions::queue_depth, 1, 65'536,
                        "places in the launch queue (1022)"),
      {"--kernels", "N", "as many steps as it takes to launch N kernels",
       [](CommandLine& command, Text option, Text text) {
         command.kernels = ParseNumber(option, text, 1, kMany);
       }},
      NumberOption("--workers", &ScenarioOptions::workers, 1, 64, "threads that load data (1)"),
      NumberOption("--accumulate", &ScenarioOptions::accumulate, 1, 64,
                   "micro-batches of a training step (1)"),
      NumberOption("--bucket-bytes", &ScenarioOptions::bucket_bytes, 0, kMany,
                   "gradients summed at once (those of a layer)"),
      NumberOption("--input-bytes", &ScenarioOptions::input_bytes, 0, kMany,
                   "of a training batch (its tokens)"),
      NumberOption("--pointwise", &ScenarioOptions::pointwise, 0, 64,
                   "elementwise operators in a chain behind each GELU (0)"),
      FlagOption("--scaler", &ScenarioOptions::scaler, "mixed precision scales its loss (yes)"),
      FlagOption("--pinned", &ScenarioOptions::pinned, "batches come from pinned memory"),
      FlagOption("--prefetch", &ScenarioOptions::prefetch,
                 "batches come by pinned copies on a stream of their own"),
      FlagOption("--fused-optimizer", &ScenarioOptions::fused_optimizer,
                 "one kernel updates all parameters"),
      FlagOption("--fused-pointwise", &ScenarioOptions::fused_pointwise,
                 "those chains as one kernel each"),
      FlagOption("--graphs", &ScenarioOptions::graphs, "training steps replay CUDA graphs"),
      FlagOption("--eager", &ScenarioOptions::eager, "serving: nothing is captured"),
      {"--precision", "WORD", "fp32 (default), tf32 or amp",
       [](CommandLine& command, Text option, Text text) {
         command.options.precision = ParseWord<Precision>(
             option, text,
             {{"fp32", Precision::kFp32}, {"tf32", Precision::kTf32}, {"amp", Precision::kAmp}});
       }},
      {"--bound", "WORD", "what limits it: gpu (default), host or input",
       [](CommandLine& command, Text option, Text text) {
         command.options.bound = ParseWord<Bound>(
             option, text,
             {{"gpu", Bound::kGpu}, {"host", Bound::kHost}, {"input", Bound::kInput}});
       }},
      {"--nvtx", "WORD", "annotations: none, steps, layers or ops (default)",
       [](CommandLine& command, Text option, Text text) {
         command.options.nvtx = ParseWord<NvtxLevel>(option, text,
                                                     {{"none", NvtxLevel::kNone},
                                                      {"steps", NvtxLevel::kSteps},
                                                      {"layers", NvtxLevel::kLayers},
                                                      {"ops", NvtxLevel::kOps}});
       }},
      {"--engine", "WORD", "whose texts `serve` writes: vllm (default), sglang or trtllm",
       [](CommandLine& command, Text option, Text text) {
         command.options.engine = ParseWord<Engine>(option, text,
                                                    {{"vllm", Engine::kVllm},
                                                     {"sglang", Engine::kSglang},
                                                     {"trtllm", Engine::kTensorRtLlm}});
       }},
      {"--graph-trace", "WORD", "CUDA graphs by node (default) or as a graph",
       [](CommandLine& command, Text option, Text text) {
         command.options.graph_nodes =
             ParseWord<bool>(option, text, {{"node", true}, {"graph", false}});
       }},
      {"--rank", "N", "Kineto: of which process (0)",
       [](CommandLine& command, Text option, Text text) {
         command.kineto.process = static_cast<int32_t>(ParseNumber(option, text, 0, 7));
       }},
      {"--clock", "NS", "Kineto: how far its clock runs ahead (0)",
       [](CommandLine& command, Text option, Text text) {
         command.kineto.clock_ns = ParseNumber(option, text, -kMany * kMany, kMany * kMany);
       }},
      {"--change", "NAME", "one of the changes below; may be given again",
       [](CommandLine& command, Text, Text text) { command.changes.push_back(text); }},
  };
}

std::string Padded(std::string text, size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text + " ";
}

}  // namespace

CommandLine ParseCommandLine(const std::vector<std::string>& arguments) {
  const std::vector<OptionEntry> options = MakeOptions();
  CommandLine command;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      command.help = true;
      return command;
    }
    if (!argument.starts_with("-")) {
      if (!command.scenario.empty()) {
        throw std::runtime_error("more than one scenario: '" + argument + "'");
      }
      command.scenario = argument;
      continue;
    }
    const OptionEntry* found = nullptr;
    for (const OptionEntry& option : options) {
      if (argument == option.name) found = &option;
    }
    if (found == nullptr) throw std::runtime_error("unknown option '" + argument + "'");
    if (i + 1 == arguments.size()) throw std::runtime_error(argument + " needs a value");
    found->set(command, argument, arguments[++i]);
  }
  if (command.scenario.empty()) throw std::runtime_error("no scenario given");
  if (command.output.empty()) throw std::runtime_error("no output given: -o FILE");
  return command;
}

std::string HelpText() {
  std::string text =
      "usage: xsp-sample SCENARIO -o FILE [options]\n\n"
      "Runs a program on a small model of a machine and writes what a profiler would have\n"
      "seen as an nsys SQLite export or as a trace of the PyTorch profiler. The same arguments\n"
      "give the same file.\n\nScenarios:\n";
  for (const ScenarioEntry& entry : Scenarios()) {
    text += "  " + Padded(std::string(entry.name), 20) + std::string(entry.help) + "\n";
  }
  text += "  " + Padded("job", 20) + "many ranks, an export for each: xsp-sample job --help\n";
  text += "\nOptions:\n";
  for (const OptionEntry& option : MakeOptions()) {
    text +=
        "  " + Padded(std::string(option.name) + " " + option.argument, 20) + option.help + "\n";
  }
  text += "\nChanges, for an \"after\" of the same program:\n";
  for (const ChangeEntry& entry : Changes()) {
    text += "  " + Padded(std::string(entry.name), 20) + std::string(entry.help) + "\n";
  }
  return text +
         "\nExamples:\n"
         "  xsp-sample train --precision amp -o train_amp.sqlite\n"
         "  xsp-sample train --precision amp -o train_amp.json\n"
         "  xsp-sample hpc --kernels 1000000 -o big.sqlite\n";
}

bool WantsKineto(const CommandLine& command) { return command.output.ends_with(".json"); }

Scenario MakeScenario(const CommandLine& command) {
  ScenarioOptions options = command.options;
  if (command.kernels > 0) {
    options.steps = StepsForKernels(command.scenario, options, command.kernels);
  }
  Scenario scenario = MakeScenario(command.scenario, options);
  for (const std::string& change : command.changes) ApplyChange(change, scenario);
  scenario.options.schema = &FindSchema(command.schema);
  return scenario;
}

}  // namespace xsp::samples
