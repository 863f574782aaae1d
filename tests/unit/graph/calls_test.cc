#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/graph/edges_text.h"

// Calls that wait though nothing is called a wait: loops of queries, launches that return with
// their kernels, launches of two threads that the driver lets through one by one.
namespace xsp {
namespace {

using test::GraphOf;

std::string Number(long number) { return std::to_string(number); }

// "T1 10-20 KIND #id" with both times moved.
std::string CallLine(const char* track, long begin, long end, const std::string& what) {
  return std::string(track) + " " + Number(begin) + "-" + Number(end) + " " + what + "\n";
}

// Rounds of a launch, its kernel of `work` ns on stream 13, and queries of 1 µs, `pause` ns apart,
// until it is done.
std::string PolledRounds(int rounds, long work, long pause, const std::string& extra = "") {
  std::string text;
  for (int i = 0; i < rounds; ++i) {
    const long at = 1'000'000L * i;
    const std::string id = " #" + Number(1'000 * i + 1);
    text += CallLine("T1", at, at + 5'000, "api cudaLaunchKernel" + id);
    text += CallLine("S13", at + 6'000, at + 6'000 + work, "kernel k" + id);
    long now = at + 6'000;
    for (int poll = 2;; ++poll) {
      const bool is_done = now + 1'000 >= at + 6'000 + work;
      const std::string number = " #" + Number(1'000 * i + poll);
      text +=
          CallLine("T1", now, now + 1'000,
                   "api cudaStreamQuery returns=" + std::string(is_done ? "0" : "600") + number);
      text += CallLine("T1", now + 100, now + 900, "sync stream=13" + number);
      if (is_done) break;
      now += 1'000 + pause;
    }
  }
  return text + extra;
}

TEST_CASE("a loop of queries is one call, which ends when the work is done that it asks for") {
  const GraphOf g(PolledRounds(4, 50'000, 1'000));
  CHECK(g.Edges(Rule::kPolling) ==
        "op 1 => call 2\nop 1001 => call 1002\nop 2001 => call 2002\nop 3001 => call 3002");
  CHECK(g.graph().host_count() == 8);
  CHECK(g.graph().untold_polls == 0);
  CHECK(g.graph().own[g.Task("call 2")] == 1'000);
  CHECK(g.graph().question[g.Task("call 2")].interval == 2'000);
  const Schedule replay = Simulate(g.graph());
  CHECK(replay.finish[g.Task("call 2")] == SimTime::At(g.graph().measured_end[g.Task("call 2")]));
}

TEST_CASE("a query that finds its work done, or undone and is not made again, waits for nothing") {
  const GraphOf g(R"(
    T1 0-5000        api cudaLaunchKernel #1
    S7 6000-50000    kernel k #1
    T1 7000-8000     api cudaStreamQuery #2 returns=600
    T1 7100-7900     sync stream=7 #2
    T1 9000-14000    api cudaLaunchKernel #3
    S7 51000-60000   kernel k #3
    T1 100000-101000 api cudaStreamQuery #4
    T1 100100-100900 sync stream=7 #4)");
  CHECK(g.Edges(Rule::kPolling).empty());
  CHECK(g.graph().host_count() == 4);
}

TEST_CASE("a loop of queries waits for the record of its event, not for what came behind") {
  const GraphOf g(R"(
    T1 0-5000        api cudaLaunchKernel #1
    S7 6000-50000    kernel k #1
    T1 7000-8000     api cudaEventRecord #2
    T1               record stream=7 event=3 #2
    T1 9000-14000    api cudaLaunchKernel #3
    S7 51000-90000   kernel k #3
    T1 20000-21000   api cudaEventQuery #4 returns=600
    T1 20100-20900   sync event=3 #4
    T1 36000-37000   api cudaEventQuery #5 returns=600
    T1 36100-36900   sync event=3 #5
    T1 52000-53000   api cudaEventQuery #6
    T1 52100-52900   sync event=3 #6)");
  CHECK(g.Edges(Rule::kPolling) == "op 1 => call 4");
}

TEST_CASE("what a loop of queries saw done may be the work before an earlier record") {
  // No row says which event is meant; the stream goes on behind it.
  const GraphOf loop(R"(
    T1 0-5000          api cudaLaunchKernel #1
    S7 6000-200000     kernel k #1
    T1 7000-8000       api cudaEventRecord #2
    T1                 record stream=7 event=3 #2
    T1 9000-14000      api cudaLaunchKernel #3
    S7 201000-500000   kernel k #3
    T1 15000-16000     api cudaEventRecord #4
    T1                 record stream=7 event=4 #4
    T1 170000-181000   api cudaEventQuery #5 returns=600
    T1 182000-191000   api cudaEventQuery #6 returns=600
    T1 192000-200500   api cudaEventQuery #7 returns=600
    T1 202000-203000   api cudaEventQuery #8)");
  CHECK(loop.Edges(Rule::kPolling) == "op 1 => call 5");
}

TEST_CASE("a call that waits for an event waits, though a stream stands in its row") {
  const GraphOf g(R"(
    T1 0-5000        api cudaLaunchKernel #1
    S7 6000-50000    kernel k #1
    T1 7000-8000     api cudaEventRecord #2
    T1               record stream=7 event=3 #2
    T1 9000-54000    api cudaEventSynchronize #3
    T1 9000-54000    wait stream=7 event=3 #3)");
  CHECK(g.Edges(Rule::kHostSync) == "op 1 => call 3");
}

TEST_CASE("queries with work between are no loop where OS calls would show a nap") {
  const std::string busy = PolledRounds(3, 200'000, 50'000, "T2 0-10 osrt read\n");
  const GraphOf work(busy);
  CHECK(work.Edges(Rule::kPolling).empty());
  CHECK(work.graph().untold_polls == 12);
  // Without OS calls pauses that are all alike are naps.
  const GraphOf naps(PolledRounds(3, 200'000, 50'000));
  CHECK(naps.Edges(Rule::kPolling) == "op 1 => call 2\nop 1001 => call 1002\nop 2001 => call 2002");
  // No sleep is as short as this, however alike they are.
  CHECK(GraphOf(PolledRounds(3, 200'000, 30'000)).Edges(Rule::kPolling).empty());
}

// Rounds of a kernel of 400 to 620 µs and queries with 40 µs of work between. `parts`: so much of
// that work must be done, and what is left of it behind the loop is; 0: it only passes the time.
std::string BusyRounds(int parts) {
  std::string text = "T2 0-10 osrt read\n";
  long at = 0;
  for (int i = 0; i < 12; ++i) {
    const std::string id = " #" + Number(1'000 * i + 1);
    const long done = at + 406'000 + i * 7 % 12 * 20'000;
    text += CallLine("T1", at, at + 5'000, "api cudaLaunchKernel" + id);
    text += CallLine("S13", at + 6'000, done, "kernel k" + id);
    long now = at + 6'000, asked = 0;
    for (bool is_done = false; !is_done; ++asked) {
      is_done = now + 1'000 >= done;
      const std::string number = " #" + Number(1'000 * i + 2 + asked);
      text +=
          CallLine("T1", now, now + 1'000,
                   "api cudaStreamQuery returns=" + std::string(is_done ? "0" : "600") + number);
      text += CallLine("T1", now + 100, now + 900, "sync stream=13" + number);
      now += is_done ? 1'000 : 41'000 + asked * 7 % 3 * 2'000;
    }
    at = now + 50'000 + std::max(0L, parts - asked) * 41'000;
  }
  return text;
}

TEST_CASE(
    "work between queries is a pause where no more of it is left when the loop is over sooner") {
  const GraphOf idle(BusyRounds(0));
  CHECK(idle.graph().untold_polls == 0);
  CHECK(idle.graph().host_count() == 24);
  CHECK(idle.graph().question[idle.Task("call 2")].ask == Ask::kStream);
  const GraphOf packs(BusyRounds(20));
  CHECK(packs.Edges(Rule::kPolling).empty());
  CHECK(packs.graph().untold_polls > 100);
}

// One thread keeps two streams at work: it asks for both in turn, and gives the next kernel to the
// one that is done. Kernels of stream 13 take `first`, those of stream 14 take `second` (and more
// in turn), from 3 µs behind their calls on.
std::string TwoInTurn(long first, long second) {
  std::string text;
  long at = 0, asked = 1'000;
  std::array<long, 2> done = {};
  const auto launch = [&](std::size_t i, int round) {
    const std::string id = " #" + Number(2 * round + 2 + static_cast<int>(i));
    text += CallLine("T1", at, at + 2'000, "api cudaLaunchKernel" + id);
    done[i] = at + 5'000 + (i == 0 ? first : second + round * 7 % 5 * 10'000);
    text += CallLine(i == 0 ? "S13" : "S14", at + 5'000, done[i], "kernel k" + id);
    at += 2'000;
  };
  launch(0, 0), launch(1, 0);
  for (int round = 1; round < 40; ++round) {
    for (std::size_t i = 0;; i = 1 - i) {
      const bool is_done = done[i] <= at;
      text += CallLine("T1", at, at + 1'000,
                       "api cudaEventQuery returns=" + std::string(is_done ? "0" : "600") + " #" +
                           Number(asked++));
      at += 1'100;
      if (!is_done) continue;
      launch(i, round);
      break;
    }
  }
  return text;
}

TEST_CASE(
    "a thread that goes on with whatever is done first does not wait for one after the other") {
  const GraphOf g(TwoInTurn(100'000, 130'000));
  const TaskGraph& graph = g.graph();
  REQUIRE(!graph.reaction.empty());
  CHECK(g.Edges(Rule::kPolling).empty());
  CHECK(graph.untold_polls == 0);
  // Kernels of one stream three times as long: those of the other one come as before.
  const auto end_of = [&](std::uint32_t stream, double factor) {
    Overlay overlay;
    overlay.own = graph.own;
    SimTime end = SimTime::BeforeAll();
    for (TaskId op : graph.ops()) {
      if (graph.lane[op] == 0) overlay.own[op] *= factor;
    }
    const Schedule schedule = Simulate(graph, overlay);
    for (TaskId op : graph.ops()) {
      if (graph.lane[op] == stream) end = std::max(end, schedule.finish[op]);
    }
    return end.ns;
  };
  CHECK(end_of(1, 3) == end_of(1, 1));
  CHECK(end_of(0, 3) > 2 * end_of(0, 1));
  // Where they always come in turn, the order may be the program's.
  CHECK(GraphOf(TwoInTurn(150'000, 130'000)).graph().reaction.empty());
}

TEST_CASE("a nap between queries belongs to the loop") {
  const GraphOf g(R"(
    T1 0-5000        api cudaLaunchKernel #1
    S7 6000-90000    kernel k #1
    T1 10000-11000   api cudaStreamQuery #2 returns=600
    T1 11000-71000   osrt usleep
    T1 71500-72500   api cudaStreamQuery #3 returns=600
    T1 72500-132500  osrt usleep
    T1 133000-134000 api cudaStreamQuery #4
    T1 133100-133900 sync stream=7 #4)");
  CHECK(g.Edges(Rule::kPolling) == "op 1 => call 2");
}

TEST_CASE("two streams asked for in turn are two waits, each for its own") {
  const GraphOf g(R"(
    T1 0-5000        api cudaLaunchKernel #1
    S13 6000-50000   kernel k #1
    T1 6000-9000     api cudaLaunchKernel #2
    S14 10000-80000  kernel k #2
    T1 40000-41000   api cudaStreamQuery #3 returns=600
    T1 40100-40900   sync stream=13 #3
    T1 42000-43000   api cudaStreamQuery #4 returns=600
    T1 42100-42900   sync stream=14 #4
    T1 50000-51000   api cudaStreamQuery #5
    T1 50100-50900   sync stream=13 #5
    T1 52000-53000   api cudaStreamQuery #6 returns=600
    T1 52100-52900   sync stream=14 #6
    T1 66000-67000   api cudaStreamQuery #7
    T1 66100-66900   sync stream=13 #7
    T1 81000-82000   api cudaStreamQuery #8
    T1 81100-81900   sync stream=14 #8)");
  CHECK(g.Edges(Rule::kPolling) == "op 1 => call 3\nop 2 => call 6");
}

TEST_CASE("a loop that does not say what it asks for waits for what ended with it") {
  const GraphOf g(R"(
    T1 0-5000        api cudaLaunchKernel #1
    S13 6000-50000   kernel k #1
    T1 6000-9000     api cudaLaunchKernel #2
    S14 10000-80000  kernel k #2
    T1 20000-21000   api cudaEventQuery #3
    T1 30000-31000   api cudaEventQuery #4
    T1 40000-41000   api cudaEventQuery #5
    T1 51000-52000   api cudaEventQuery #6)");
  CHECK(g.Edges(Rule::kPolling) == "op 1 => call 3");
}

// Launches of 5 µs and then until their kernels, of 20 to 90 µs, are done and 4 µs more.
std::string BlockingLaunches(int count) {
  std::string text;
  long now = 0;
  for (int i = 1; i <= count; ++i) {
    const long work = 20'000 + 10'000 * (i % 8);
    const std::string id = " #" + Number(i);
    text += CallLine("S7", now + 6'200, now + 6'200 + work, "kernel k" + id);
    text += CallLine("T1", now, now + 10'200 + work, "api cudaLaunchKernel" + id);
    now += 15'000 + work;
  }
  return text;
}

TEST_CASE("launches that all return with their kernels wait for them") {
  const GraphOf g(BlockingLaunches(10));
  CHECK(g.Edges(Rule::kBlockingLaunch).starts_with("op 1 => call 1\nop 2 => call 2\n"));
  CHECK(g.constant("launch_tail.cudaLaunchKernel") == 4'000);
  CHECK(g.constant("submit.kernel") == 1'200);
  CHECK(g.graph().own[g.Task("call 3")] == 5'000);
}

TEST_CASE("a few launches that return behind their kernels do not tell") {
  CHECK(GraphOf(BlockingLaunches(7)).Edges(Rule::kBlockingLaunch).empty());
}

TEST_CASE("slow launches that outlast short kernels do not wait for them") {
  std::string text;
  for (int i = 1; i <= 20; ++i) {
    const std::string id = " #" + Number(i);
    text += CallLine("T1", 100'000 * i, 100'000 * i + 30'000, "api cudaLaunchKernel" + id);
    text += CallLine("S7", 100'000 * i + 10'000, 100'000 * i + 13'000, "kernel k" + id);
  }
  CHECK(GraphOf(text).Edges(Rule::kBlockingLaunch).empty());
}

// Two threads, each with a launch of 10 µs every 200 µs; in every other round the second comes 1 to
// 9 µs after the first, and has to wait for it where there is a lock.
std::string Launches(bool has_lock) {
  std::string text;
  for (int i = 0; i < 50; ++i) {
    const long at = 200'000L * i;
    const std::string id = " #" + Number(2 * i + 1);
    const std::string second = " #" + Number(2 * i + 2);
    text += CallLine("T1", at, at + 10'000, "api cudaLaunchKernel" + id);
    text += CallLine("S13", at + 11'000, at + 12'000, "kernel k" + id);
    const bool meets = i % 2 == 1;
    const long begin = at + (meets ? 1'000 + 2'000 * (i % 5) : 50'000);
    const long end = meets && has_lock ? at + 20'500 : begin + 10'000;
    text += CallLine("T2", begin, end, "api cudaLaunchKernel" + second);
    text += CallLine("S14", end + 1'000, end + 2'000, "kernel k" + second);
  }
  return text;
}

TEST_CASE("launches that take longer behind another thread's wait for it") {
  const GraphOf g(Launches(true));
  CHECK(g.Edges(Rule::kDriverLock).find("call 3 => call 4") != std::string::npos);
  CHECK(g.constant("lock_pass") == 500);
  CHECK(g.graph().own[g.Task("call 4")] == 10'000);
}

TEST_CASE("launches of two threads that take no longer together do not wait for each other") {
  CHECK(GraphOf(Launches(false)).Edges(Rule::kDriverLock).empty());
}

}  // namespace
}  // namespace xsp
