#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hierarchy/steps/steps.h"
#include "model/trace.h"

namespace xsp {

// Names of threads in the programs whose steps are looked at, of which nothing was recorded: system
// calls were not, and they call no CUDA. Whether steps wait for one of them, or would as soon as
// they are faster, nobody can tell. Without those of drivers, profilers and libraries that only
// look on, and without those that are named as the program itself: drivers have such, too.
std::vector<std::string> UnseenThreads(const Trace& trace, const Steps& steps);

// Whether a thread is one that no step waits for, by its name; also where it has none.
bool IsOnlooker(std::string_view name);

}  // namespace xsp
