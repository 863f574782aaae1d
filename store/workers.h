#pragma once

#include <functional>
#include <vector>

namespace xsp {

// Runs the tasks on a few threads, beginning with the first ones, and returns when all are done.
// If one throws, those that have not begun are left out, and the exception of the first task in
// the list that failed is thrown here.
void RunOnThreads(const std::vector<std::function<void()>>& tasks);

}  // namespace xsp
