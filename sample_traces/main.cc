// xsp-sample: writes sample traces.
#include <cstdio>
#include <exception>

#include "sample_traces/command_line.h"

int main(int argc, char** argv) {
  namespace samples = xsp::samples;
  try {
    const samples::CommandLine command = samples::ParseCommandLine({argv + 1, argv + argc});
    if (command.help) {
      std::fputs(samples::HelpText().c_str(), stdout);
      return 0;
    }
    const samples::Scenario scenario = samples::MakeScenario(command);
    const samples::RunSummary summary =
        samples::WantsKineto(command) ? samples::WriteKinetoTrace(command.output, scenario.program,
                                                                  scenario.machine, command.kineto)
                                      : samples::WriteTrace(command.output, scenario.program,
                                                            scenario.machine, scenario.options);
    std::fprintf(stderr, "%s: %lld kernels in %.3f s\n", command.output.c_str(),
                 static_cast<long long>(summary.kernels),
                 static_cast<double>(summary.end_ns) / 1e9);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "xsp-sample: %s (try --help)\n", error.what());
    return 2;
  }
}
