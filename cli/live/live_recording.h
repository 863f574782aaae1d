#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/common_options.h"
#include "model/progress.h"
#include "model/time.h"
#include "report/screens/live_report.h"

namespace xsp {

// What `xsp live` was asked to do.
struct LiveSettings {
  std::vector<std::string> program;
  std::string out;
  std::string kinds;
  std::string delay;
  std::string duration;
  std::string steps;
  std::string step_range;
  bool capture_range = false;
  std::string max_size = "2GB";
  std::string cupti;
  bool keep_spool = false;
  bool force = false;
  OutputOptions output;
};

// Throws Error for what cannot be understood, or does not go together.
void CheckLiveSettings(const LiveSettings& settings);

// Runs the program, records it, stores the trace. Throws Error only as long as the program has not
// been started; after that, whatever goes wrong is told in the result, which has the exit code.
LiveResult RecordLive(const LiveSettings& settings, Progress& progress);

// Turns spools into a stored trace; `result` gets what is known of them. Throws Error.
void ConvertSpools(const std::filesystem::path& spool, const std::filesystem::path& stored,
                   Progress& progress, LiveResult& result);

// Why nothing of CUDA can be recorded on this machine, in words; empty if it has a CUDA device.
std::string WhyNoCuda();

}  // namespace xsp
