// xsp-sample: writes sample traces.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "sample_traces/command_line.h"
#include "sample_traces/jobs/job_command.h"

int main(int argc, char** argv) {
  namespace samples = xsp::samples;
  try {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    if (!arguments.empty() && arguments.front() == "job") {
      arguments.erase(arguments.begin());
      const bool is_help = !arguments.empty() && arguments.front() == "--help";
      const std::string told = is_help ? samples::JobHelpText() : samples::RunJobCommand(arguments);
      std::fputs(told.c_str(), stdout);
      return 0;
    }
    const samples::CommandLine command = samples::ParseCommandLine(arguments);
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
