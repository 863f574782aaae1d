#include <catch2/catch.hpp>
#include <string>

#include "graph/readings/critical_path.h"
#include "graph/readings/idle.h"
#include "graph/readings/replay.h"
#include "tests/support/graph_checks.h"
#include "tests/unit/graph/edges_text.h"

// Loads whose data somebody else makes ready. Times are in nanoseconds.
namespace xsp {
namespace {

using test::GraphOf;

std::string Line(const char* lane, std::int64_t begin, std::int64_t end, const std::string& what) {
  return std::string(lane) + " " + std::to_string(begin) + "-" + std::to_string(end) + " " + what +
         "\n";
}

// A step: a launch, its kernel of 200 us, a sync, and from 300 us on the load for the next step,
// which is over `load` later. The thread waits in `os_call` for all of it but 10 us at either end.
std::string Step(int number, std::int64_t zero, std::int64_t load, const std::string& range,
                 const std::string& os_call) {
  const std::string id = std::to_string(2 * number);
  std::string text = Line("T1", zero, zero + 5'000, "api cudaLaunchKernel #" + id);
  text += Line("S7", zero + 6'000, zero + 206'000, "kernel k #" + id);
  text += Line("T1", zero + 10'000, zero + 210'000,
               "api cudaStreamSynchronize #" + std::to_string(2 * number + 1));
  text +=
      Line("T1", zero + 10'000, zero + 210'000, "sync stream=7 #" + std::to_string(2 * number + 1));
  text += Line("T1", zero + 300'000, zero + 300'000 + load, "push \"" + range + "\"");
  if (!os_call.empty()) {
    text += Line("T1", zero + 310'000, zero + 290'000 + load, "osrt " + os_call);
  }
  return text;
}

// Six steps of 1 ms.
std::string SixSteps(const std::string& range, const std::string& os_call) {
  std::string text;
  for (int i = 0; i < 6; ++i) text += Step(i, i * 1'000'000, 690'000, range, os_call);
  return text;
}

TimeNs LastKernel(const GraphOf& g, double kernels) {
  Overlay overlay;
  overlay.own = g.graph().own;
  for (TaskId op : g.graph().ops()) {
    overlay.own[op] = static_cast<DurationNs>(static_cast<double>(overlay.own[op]) * kernels);
  }
  return Simulate(g.graph(), overlay).begin[g.Task("op 10")].ns;
}

TEST_CASE("a load that waits for its producer hangs on the load before") {
  const GraphOf g(SixSteps("load batch", "pthread_cond_timedwait"));
  REQUIRE(g.graph().producers.size() == 1);
  const GraphProducer& producer = g.graph().producers[0];
  CHECK(producer.is_known);
  CHECK(producer.interval == 1'000'000);
  CHECK(producer.loads == 5);  // Behind the last call there is nobody to wait.
  CHECK(producer.waited == 5);
  CHECK(g.Edges(Rule::kLoader).find("=>") != std::string::npos);
  CHECK(LastKernel(g, 1) == 5'006'000);
}

TEST_CASE("what makes the rest faster gains nothing, what makes it slower shortens the wait") {
  const GraphOf g(SixSteps("load batch", "sem_wait"));
  // The first load has no producer's time before it: it begins 100 us sooner, and so do all.
  CHECK(LastKernel(g, 0.5) == 5'006'000 - 100'000);
  CHECK(LastKernel(g, 2) == 5'006'000 + 200'000);
  // 1.4 ms a step: launch and sync 1.21 ms, 90 us, the load's own 20 us, 10 us to the next.
  CHECK(LastKernel(g, 6) - LastKernel(g, 5) == 5 * 200'000);
}

TEST_CASE("a thread that loads data itself takes as long as ever") {
  for (const char* os_call : {"", "read"}) {
    const GraphOf g(SixSteps("load batch", os_call));
    CHECK(g.graph().producers.empty());
    CHECK(LastKernel(g, 0.5) == 5'006'000 - 5 * 100'000);
  }
}

TEST_CASE("a load that asks for its data itself takes as long, whenever it begins") {
  std::string text;
  TimeNs zero = 0;
  for (int i = 0; i < 12; ++i) {
    text += Step(i, zero, 690'000 + 500 * (i % 3), "load batch", "pthread_cond_wait");
    zero += 1'000'000 + 100'000 * (i % 4);  // Work behind the load differs, the load does not.
  }
  CHECK(GraphOf(text).graph().producers.empty());
}

TEST_CASE("workers that deliver all at once are waited for by one load in several") {
  std::string text;
  TimeNs zero = 0;
  for (int i = 0; i < 13; ++i) {
    const bool waits = i % 3 == 2;
    const DurationNs load = waits ? 1'690'000 : 30'000;
    text += Step(i, zero, load, "load batch", waits ? "poll" : "");
    zero += 310'000 + load;
  }
  const GraphOf g(text);
  REQUIRE(g.graph().producers.size() == 1);
  CHECK(g.graph().producers[0].is_known);
  // Three batches in 2 ms and two steps of 340 us, whatever the steps take.
  const TimeNs before = Simulate(g.graph()).begin[g.Task("op 24")].ns;
  CHECK(before == zero - 340'000 + 6'000);
  const Schedule halved = Simulate(g.graph(), HalveKernels(g.graph()));
  const TimeNs after = halved.begin[g.Task("op 24")].ns;
  CHECK(before - after <= 3 * 100'000);  // Before the first wait, and behind the last one.
}

TEST_CASE("a loader that was never waited for may be as slow as it was, or faster") {
  const GraphOf g(
      SixSteps("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "read"));
  REQUIRE(g.graph().producers.size() == 1);
  CHECK_FALSE(g.graph().producers[0].is_known);
  CHECK(LastKernel(g, 0.5) == 5'006'000 - 5 * 100'000);
  Overlay overlay = HalveKernels(g.graph());
  overlay.slow_producers = true;
  CHECK(Simulate(g.graph(), overlay).begin[g.Task("op 10")].ns == 5'006'000 - 100'000);
}

TEST_CASE("without OS calls the names of worker processes tell that a long load waits") {
  const std::string name = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
  const GraphOf g(SixSteps(name, ""));
  REQUIRE(g.graph().producers.size() == 1);
  CHECK_FALSE(g.graph().producers[0].is_known);  // 0.7 ms: to take a batch may take that.
  std::string text;
  for (int i = 0; i < 6; ++i) text += Step(i, i * 10'000'000, 9'690'000, name, "");
  const GraphOf long_loads(text);
  CHECK(long_loads.graph().producers[0].is_known);
  CHECK(LastKernel(long_loads, 0.5) == 50'006'000 - 100'000);
}

TEST_CASE("idle time and the critical path name the loader") {
  const GraphOf g(SixSteps("load batch", "pthread_cond_timedwait"));
  const Schedule guided = SimulateGuided(g.graph());
  const IdleReport idle = FindIdle(g.graph(), guided, {{1'206'000, 5'006'000}});
  CHECK(idle.devices[0].Of(IdleCause::kUnexplained).ns == 0);
  CHECK(idle.devices[0].Of(IdleCause::kDataLoading).ns == 0);
  // From the kernel's end to the end of the load; then 10 us of untraced work, launch and submit.
  CHECK(idle.devices[0].Of(IdleCause::kLoaderWait).ns == 4 * (990'000 - 206'000));
  const Schedule replay = Simulate(g.graph());
  const SimSpan span = {SimTime::At(2'006'000), SimTime::At(5'006'000)};
  DurationNs loading = 0;
  for (const PathSegment& piece : test::FindCriticalPath(g.graph(), replay, span).segments) {
    if (piece.kind == PathKind::kDataLoading) loading += piece.end - piece.begin;
  }
  CHECK(loading > 2'900'000);
}

TEST_CASE("without the rule neither the wait nor its reason is left") {
  const GraphOf g(SixSteps("load batch", "pthread_cond_timedwait"));
  Overlay overlay;
  overlay.ignored_rules = 1u << IndexOf(Rule::kLoader);
  const Schedule replay = Simulate(g.graph(), overlay);
  CHECK(replay.begin[g.Task("op 10")].ns == 5'006'000 - 5 * 670'000);
}

}  // namespace
}  // namespace xsp
