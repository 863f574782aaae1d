#pragma once

#include <string>
#include <string_view>

namespace xsp::test {

// "nvtx; step 1 0-20 cold; step 2 20-30": what tells the steps of a timeline, and each of them.
std::string StepsOf(std::string_view timeline);

}  // namespace xsp::test
