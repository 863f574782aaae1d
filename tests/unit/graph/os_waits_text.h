#pragma once

#include <cstdint>
#include <string>

#include "tests/unit/graph/edges_text.h"

// Timelines of threads that wait in calls of the operating system. Times are in nanoseconds.
namespace xsp::test {

std::string Line(const std::string& lane, std::int64_t begin, std::int64_t end,
                 const std::string& what);

// A launch, its kernel of `work` and the sync that waits for it. Ids 2 * number and one more.
std::string Launch(const std::string& thread, int number, std::int64_t at, std::int64_t work);

// Frames every 10 ms whose kernels take between 2 and 3 ms; the thread waits for the rest.
std::string Frames(const std::string& os_call, int frames, std::int64_t spread = 200'000);

// The begin of a frame when all operations take `factor` of their time.
TimeNs Begin(const GraphOf& g, const std::string& task, double factor);

// The share of the critical path that is a wait which nobody explains.
double DoubtfulWaits(const GraphOf& g);

}  // namespace xsp::test
