#include "model/building/call_linker.h"

#include <catch2/catch.hpp>

using namespace xsp;

namespace {

// Calls with the given (process, correlation, begin).
struct CallRows {
  Events events;
  std::vector<ProcessId> process;

  void Add(std::uint32_t process_number, std::uint32_t correlation, TimeNs begin) {
    process.push_back(ProcessId(process_number));
    events.correlation.push_back(correlation);
    events.begin.push_back(begin);
  }
};

}  // namespace

TEST_CASE("work finds the call of its own process", "[model]") {
  CallRows calls;
  calls.Add(0, 5, 10);
  calls.Add(1, 5, 20);
  CallLinker linker(calls.events, calls.process);
  CHECK(linker.Find(ProcessId(0), 5, 30).row == 0);
  CHECK(linker.Find(ProcessId(1), 5, 30).row == 1);
  CHECK_FALSE(linker.Find(ProcessId(2), 5, 30).found());
}

TEST_CASE("correlation id 0 means none", "[model]") {
  CallRows calls;
  calls.Add(0, 0, 10);
  CallLinker linker(calls.events, calls.process);
  CHECK_FALSE(linker.Find(ProcessId(0), 0, 30).found());
}

TEST_CASE("of several calls with one id the last before the work is taken", "[model]") {
  CallRows calls;
  calls.Add(0, 5, 10);
  calls.Add(0, 5, 100);
  calls.Add(0, 5, 200);
  CallLinker linker(calls.events, calls.process);
  CHECK(linker.Find(ProcessId(0), 5, 150).row == 1);
  CHECK(linker.Find(ProcessId(0), 5, 150).ambiguous);
  CHECK(linker.Find(ProcessId(0), 5, 250).row == 2);
  CHECK(linker.Find(ProcessId(0), 5, 3).row == 0);  // None began before: the nearest.
}

TEST_CASE("scattered ids are found as dense ones are", "[model]") {
  CallRows calls;
  calls.Add(0, 1, 10);
  calls.Add(0, 4'000'000'000u, 20);
  CallLinker linker(calls.events, calls.process);
  CHECK(linker.Find(ProcessId(0), 4'000'000'000u, 30).row == 1);
  CHECK(linker.Find(ProcessId(0), 1, 30).row == 0);
  CHECK_FALSE(linker.Find(ProcessId(0), 2, 30).found());
}
