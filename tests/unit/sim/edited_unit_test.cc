#include <catch2/catch.hpp>

#include "sim/edit/edit.h"
#include "tests/unit/graph/steps_text.h"

namespace xsp {
namespace {

using test::StepsCase;

DurationNs LengthAfter(const StepsCase& c, const GraphEdit& edit) {
  const EditedGraph edited = edit.Build();
  return c.bench.Length(edited.graph(), edited.overlay());
}

TEST_CASE("an edit that changes nothing leaves the unit as long as it was") {
  const StepsCase c;
  GraphEdit edit(c.bench.graph());
  edit.AddStream(0, "side");
  CHECK(LengthAfter(c, edit) == c.bench.Length());
}

TEST_CASE("a sync that was removed from the graph moves the border to the device") {
  const StepsCase c;
  GraphEdit edit(c.bench.graph());
  for (TaskId task : c.bench.graph().host_tasks()) {
    if (IsWait(c.bench.graph().question[task].ask)) edit.RemoveCall(task);
  }
  CHECK(LengthAfter(c, edit) > 60'000);  // The host's 40 µs are hidden behind the kernel,
  CHECK(LengthAfter(c, edit) < 63'000);  // after which the next one waits in the queue.
}

TEST_CASE("work that was put in counts with the call that it follows") {
  // Host-bound: 60 of 100 µs are the kernel's. Another 60 make the device the slower one.
  const StepsCase c({.sync = false});
  const TaskGraph& graph = c.bench.graph();
  GraphEdit edit(graph);
  for (TaskId task : graph.host_tasks()) {
    if (graph.OpsOf(task).empty()) continue;
    const TaskId call = edit.InsertAfter(task, {"cudaLaunchKernel", 3'000, 0, {}});
    edit.Issue(call, {"cast", 60'000, graph.lane[graph.first_op[task]]});
  }
  CHECK(LengthAfter(c, edit) == Approx(122'000).margin(2'000));
}

TEST_CASE("host work that was put in makes a host-bound step longer by itself") {
  const StepsCase c({.sync = false});
  const TaskGraph& graph = c.bench.graph();
  GraphEdit edit(graph);
  for (TaskId task : graph.host_tasks()) {
    edit.InsertAfter(task, {"cudaFree", 9'000, 1'000, {}});
  }
  CHECK(LengthAfter(c, edit) == Approx(110'000).margin(1'000));
}

}  // namespace
}  // namespace xsp
