#pragma once

#include <string>

#include "model/progress.h"
#include "report/screens/self_test_report.h"

namespace xsp {

// Records a program of known work (live/self_test) on this machine and holds the recording against
// what the program did. `cupti`: the libcupti to use; empty: search. Throws Error if the program
// cannot even be run.
SelfTest RunLiveSelfTest(const std::string& cupti, Progress& progress);

}  // namespace xsp
