#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/trace.h"

namespace xsp {

// A file that was read.
struct Recording {
  std::filesystem::path file;
  Trace trace;
};

struct MergedRecordings {
  Trace trace;
  std::vector<std::string> notes;  // What was joined by what, and how well clocks agree.
};

// Puts several recordings into one trace:
//  - one of nsys and those of the PyTorch profiler of the same run: the CUDA side of the first with
//    the operators, shapes and modules of the others;
//  - one per rank of a distributed job: one trace with several processes, on one clock.
// Throws Error, with the reason, if they do not belong together.
MergedRecordings MergeRecordings(std::vector<Recording> recordings);

}  // namespace xsp
