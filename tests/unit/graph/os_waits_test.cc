#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "graph/readings/critical_path.h"
#include "graph/readings/idle.h"
#include "graph/unit/gpu_span.h"
#include "tests/support/graph_checks.h"
#include "tests/unit/graph/edges_text.h"
#include "tests/unit/graph/os_waits_text.h"

// Waits of threads for each other. Times are in nanoseconds.
namespace xsp {
namespace {

using test::Begin;
using test::Frames;
using test::GraphOf;
using test::Launch;
using test::Line;

// Thread 1 waits for a request of thread 2, but for 1 ms at most; requests come every 1.9 ms.
std::string TimedRequests(const std::string& os_call) {
  std::string text;
  std::int64_t at = 0, request = 900'000;
  for (int i = 0; i < 40; ++i) {
    const std::int64_t limit = at + 1'050'000 + i % 3 * 4'000;
    const bool comes = request + 20'000 < limit;
    const std::int64_t woken = comes ? std::max(at + 60'000, request + 20'000) : limit;
    text += Line("T1", at, woken, "osrt " + os_call);
    if (comes) {
      text += Line("T2", request, request + 4'000, "osrt pthread_cond_signal");
      request += 1'900'000 + i * 7 % 5 * 30'000;
    }
    text += Launch("T1", i, woken + 10'000, 300'000);
    at = woken + 10'000 + 330'000;
  }
  return text;
}

TEST_CASE("a timed wait that ran out waited for nobody, one that was signalled did") {
  const GraphOf g(TimedRequests("pthread_cond_timedwait"));
  REQUIRE(g.graph().wait_limits.size() == 1);
  CHECK(g.graph().wait_limits[0].limit == Approx(1'050'000).epsilon(0.02));
  int ran_out = 0, signalled = 0;
  for (TaskId task : g.graph().host_tasks()) {
    if (g.graph().LimitOf(task) == 0) continue;
    const bool waits = g.graph().question[task].ask == Ask::kThread;
    (waits ? signalled : ran_out) += 1;
    CHECK((g.graph().measured(task) > 1'040'000) != waits);
  }
  CHECK(ran_out > 5);
  CHECK(signalled > 5);
  // A call without a time-out cannot run out, however long.
  CHECK(GraphOf(TimedRequests("pthread_cond_wait")).graph().wait_limits.empty());
}

TEST_CASE("a loop of timed waits that looks for one thing is one wait") {
  // Thread 2 computes 3 ms and signals; thread 1 looks every 0.8 ms whether it is done.
  std::string text;
  std::int64_t at = 0;
  for (int i = 0; i < 20; ++i) {
    text += Launch("T2", i, at, 3'000'000 + i * 7 % 5 * 30'000);
    const std::int64_t done = at + 3'020'000 + i * 7 % 5 * 30'000;
    text += Line("T2", done, done + 4'000, "osrt pthread_cond_signal");
    std::int64_t look = at + 20'000;
    for (; look + 810'000 < done; look += 802'000)
      text += Line("T1", look, look + 800'000, "osrt pthread_cond_timedwait");
    text +=
        Line("T1", look, done + 10'000, "osrt pthread_cond_timedwait") +
        Line("T1", done + 20'000, done + 25'000, "api cudaGetDevice #" + std::to_string(900 + i));
    at = done + 40'000;
  }
  const GraphOf g(text);
  std::size_t waits = 0;
  for (const TaskKind kind : g.graph().kind) waits += kind == TaskKind::kOsCall ? 1 : 0;
  CHECK(waits == 2 * 19);  // One a round, and its signal; but for what led to the first call.
  CHECK(Begin(g, "call 38", 0.5) < at / 2);
}

// Thread 2 makes a request ready in 2 ms and signals; thread 1 computes it in 1 ms and waits for
// the next one. `signal`: the call by which it does, or none recorded.
std::string Requests(const std::string& signal, int count, std::int64_t make = 2'000'000) {
  std::string text = Launch("T1", 50, 0, 100'000);
  for (int i = 0; i < count; ++i) {
    const std::int64_t ready = 500'000 + (i + 1) * make + (i * 7 % 5) * 10'000;
    if (!signal.empty()) text += Line("T2", ready, ready + 4'000, "osrt " + signal);
    const std::int64_t idle_since = i == 0 ? 300'000 : ready - make + 1'100'000;
    text += Line("T1", idle_since, ready + 20'000, "osrt pthread_cond_wait");
    text += Launch("T1", i, ready + 30'000, 1'000'000);
  }
  return text;
}

TEST_CASE("a wait is over when another thread signals") {
  const GraphOf g(Requests("pthread_cond_signal", 6));
  REQUIRE(g.graph().threads.size() == 2);
  CHECK_FALSE(g.graph().threads[1].calls_cuda);
  const std::string edges = g.Edges(Rule::kThreadWait);
  CHECK(edges.find("pthread_cond_signal@2500000 => pthread_cond_wait@300000") != edges.npos);
  CHECK(edges.find("pthread_cond_signal@4520000 => pthread_cond_wait@") != edges.npos);
  // Whoever waits for requests gains nothing by computing them faster.
  CHECK(Begin(g, "call 10", 0.5) == Begin(g, "call 10", 1));
  CHECK(Begin(g, "call 10", 3) > Begin(g, "call 10", 1) + 4'000'000);
}

TEST_CASE("a thread that is there by chance ends no wait") {
  std::string text = Requests("", 6);
  for (int i = 0; i < 400; ++i) {
    text += Line("T3", i * 37'000, i * 37'000 + 3'000, "osrt sem_post");
  }
  const GraphOf g(text);
  CHECK(g.Edges(Rule::kThreadWait).empty());
  CHECK(g.graph().threads.size() == 1);
}

TEST_CASE("what happens inside a CUDA call is between the driver and its own threads") {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t zero = i * 2'000'000;
    text += Launch("T1", i, zero, 1'000'000);
    text += Line("T1", zero + 20'000, zero + 1'000'000, "osrt poll");
    text += Line("T9", zero + 980'000, zero + 2'400'000, "osrt sem_wait");
  }
  const GraphOf g(text);
  for (const GraphThread& thread : g.graph().threads) {
    INFO("tasks " << thread.first.value << " to " << thread.last.value);
    CHECK(thread.calls_cuda);
  }
  CHECK(g.Edges(Rule::kThreadWait).empty());
}

// Thread 1 computes 3 ms; thread 2, which calls no CUDA, then saves what became of it in 2 ms.
std::string Saves(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::int64_t zero = i * 3'100'000, done = zero + 3'050'000;
    text += Launch("T1", i, zero, 3'000'000) +
            Line("T1", done, done + 4'000, "osrt pthread_cond_signal");
    if (i + 1 == count) continue;
    text += Line("T2", done + 2'000'000, done + 3'110'000, "osrt pthread_cond_wait");
  }
  return text;
}

TEST_CASE("a thread that is signalled a few times is part of the program") {
  const auto threads = [](int count) {
    std::size_t found = 0;
    const GraphOf g(Saves(count));
    for (const GraphThread& thread : g.graph().threads) found += thread.track.valid() ? 1 : 0;
    return found;
  };
  CHECK(threads(8) == 2);
  CHECK(threads(5) == 1);
}

TEST_CASE("each of three threads ends one of the waits of a thread that needs them all") {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    const std::int64_t zero = i * 1'300'000;
    text += Launch("T1", i, zero, 800'000);
    for (int k = 0; k < 3; ++k) {
      const std::int64_t ready = zero + 820'000 + (k + 1) * 130'000 + (i * 7 + k * 3) % 5 * 4'000;
      const std::string helper = "T" + std::to_string(2 + k);
      const std::int64_t since = k == 0 ? zero + 815'000 : ready - 110'000;
      text += Line("T1", since, ready + 10'000, "osrt pthread_cond_wait") +
              Line(helper, ready, ready + 2'000, "osrt pthread_cond_signal");
    }
  }
  const GraphOf g(text);
  CHECK(g.graph().timers.empty());
  std::size_t ended = 0;
  for (const Handoff& handoff : g.graph().handoffs) ended += handoff.rule == Rule::kThreadWait;
  CHECK(ended >= 90);
}

TEST_CASE("a thread that hands over and waits in turn needs no recorded signal") {
  std::string text = Launch("T1", 50, 0, 100'000);
  for (int i = 0; i < 6; ++i) {
    const std::int64_t zero = 1'000'000 + i * 3'000'000;
    // Thread 2 works for 2 ms, hands over, and waits until thread 1 has computed that.
    text += Line("T2", zero + 2'000'000, zero + 3'000'000 + i % 3 * 1'000, "osrt sem_wait");
    text += Line("T1", i == 0 ? 200'000 : zero, zero + 2'020'000, "osrt pthread_cond_wait");
    text += Launch("T1", i, zero + 2'030'000, 900'000);
  }
  const GraphOf g(text);
  const std::string edges = g.Edges(Rule::kThreadWait);
  CHECK(edges.find("sem_wait@3000000 => pthread_cond_wait@4000000") != edges.npos);
  CHECK(edges.find("call 3 => sem_wait@6000000") != edges.npos);
  // They take turns: what either gains, both do.
  CHECK(Begin(g, "call 10", 0.5) < Begin(g, "call 10", 1) - 4 * 400'000);
}

TEST_CASE("threads that hand over round by round go together, one that sleeps does not") {
  // Thread 1 computes a step in 2 ms; thread 2 waits for the end of each, works for 1 ms and waits
  // again, or sleeps instead.
  const auto steps = [](const std::string& rest) {
    std::string text;
    for (int i = 0; i < 20; ++i) {
      const std::int64_t zero = i * 2'100'000;
      text += Launch("T1", i, zero, 2'000'000);
      text += Line("T1", zero + 2'020'000, zero + 2'024'000, "osrt sem_post");
      text += Line("T2", zero + 1'100'000, zero + 2'050'000, "osrt sem_wait");
      if (!rest.empty()) text += Line("T2", zero + 2'100'000, zero + 3'100'000, "osrt " + rest);
    }
    return text;
  };
  const GraphOf works(steps("")), sleeps(steps("usleep"));
  CHECK(Begin(works, "call 38", 0.1) > 18 * 1'000'000);
  CHECK(Begin(sleeps, "call 38", 0.1) < 8'000'000);
}

TEST_CASE("a thread that is given work in every fourth step holds up the steps, too") {
  // Thread 1 computes a step in 2 ms and lets thread 2 save every fourth, which takes 3 ms.
  const auto steps = [](int every_other) {
    std::string text;
    std::int64_t since = 1'000;
    for (int i = 0; i < 64; ++i) {
      const std::int64_t zero = i * 2'100'000;
      text += Line("T1", zero, zero + 2'090'000, "push \"step " + std::to_string(i) + "\"");
      text += Launch("T1", i, zero + 1'000, 2'000'000);
      const bool saves = i % 4 == (i / 4 % 2 == 0 ? 3 : 3 - every_other);
      if (!saves) continue;
      text += Line("T1", zero + 2'020'000, zero + 2'024'000, "osrt sem_post");
      text += Line("T2", since, zero + 2'050'000 + i % 3 * 1'000, "osrt sem_wait");
      since = zero + 5'050'000;
    }
    return text;
  };
  // When steps take 0.3 ms, four of them take no less than saving does.
  CHECK(Begin(GraphOf(steps(0)), "call 126", 0.1) > 13 * 3'000'000);
  // Where it is asked now and then, nothing tells that steps would wait for it.
  CHECK(Begin(GraphOf(steps(2)), "call 126", 0.1) < 64 * 400'000);
}

// Thread 1 launches a kernel of 0.6 to 1 ms and a host function behind it, 2 ms apart; thread 2
// waits for that and then does something.
std::string HostFunctions(const std::string& call) {
  std::string text;
  std::int64_t since = 1'000;
  for (int i = 0; i < 16; ++i) {
    const std::int64_t zero = i * 2'000'000, done = zero + 606'000 + i * 7 % 5 * 100'000;
    const std::string id = "#" + std::to_string(2 * i);
    text += Line("T1", zero, zero + 5'000, "api cudaLaunchKernel " + id);
    text += Line("S7", zero + 6'000, done, "kernel k " + id);
    text += Line("T1", zero + 7'000, zero + 10'000, "api " + call + " #" + std::to_string(100 + i));
    text += Line("T2", since, done + 40'000, "osrt pthread_cond_wait");
    text +=
        Line("T2", done + 90'000, done + 95'000, "api cudaGetDevice #" + std::to_string(2 * i + 1));
    since = done + 100'000;
  }
  return text;
}

TEST_CASE("a wait that a host function ends is over when the stream has come to that") {
  const GraphOf g(HostFunctions("cudaLaunchHostFunc"));
  CHECK(g.Edges(Rule::kThreadWait).find("op 30 => pthread_cond_wait") != std::string::npos);
  // Both threads start as measured; the last kernel takes 0.6 ms.
  CHECK(Begin(g, "call 31", 0.5) == Begin(g, "call 31", 1) - 300'000);
  const GraphOf other(HostFunctions("cudaGetLastError"));
  CHECK(other.Edges(Rule::kThreadWait).find("op 30 =>") == std::string::npos);
}

// A thread launches a kernel of 0.6 to 1 ms and a host function behind it, and then makes no call
// for a while: until 80 us after the kernel, or for 1.2 ms.
std::string SilentBesideHostFunctions(bool is_work, const std::string& call) {
  std::string text;
  std::int64_t zero = 0;
  for (int i = 0; i < 16; ++i) {
    const std::int64_t done = zero + 606'000 + i * 7 % 5 * 100'000;
    text += Line("T1", zero, zero + 5'000, "api cudaLaunchKernel #" + std::to_string(i));
    text += Line("S7", zero + 6'000, done, "kernel k #" + std::to_string(i));
    text += Line("T1", zero + 7'000, zero + 10'000, "api " + call + " #" + std::to_string(100 + i));
    zero = is_work ? zero + 1'210'000 : done + 80'000 + i % 3 * 1'000;
  }
  return text;
}

TEST_CASE("where no system call is recorded a thread is silent until a host function was called") {
  const auto gain = [](const std::string& text) {
    const GraphOf g(text);
    return Begin(g, "call 15", 1) - Begin(g, "call 15", 0.5);
  };
  CHECK(gain(SilentBesideHostFunctions(false, "cudaLaunchHostFunc")) > 15 * 300'000);
  CHECK(gain(SilentBesideHostFunctions(false, "cudaGetLastError")) == 0);
  CHECK(gain(SilentBesideHostFunctions(true, "cudaLaunchHostFunc")) == 0);
}

TEST_CASE("work between calls is no hand-off where waits are recorded") {
  // Thread 2 prepares its copies for 1 ms each, in which thread 1 makes calls.
  std::string text = Line("T1", 100, 60'100, "osrt poll");
  for (int i = 0; i < 8; ++i) {
    const std::int64_t zero = 200'000 + i * 1'100'000;
    text += Line("T1", zero + 300'000, zero + 305'000,
                 "api cudaLaunchKernel #" + std::to_string(2 * i));
    text += Line("T2", zero + 1'000'000, zero + 1'010'000,
                 "api cudaMemcpyAsync #" + std::to_string(2 * i + 1));
  }
  const GraphOf g(text);
  for (TaskId task : g.graph().host_tasks()) {
    if (g.graph().PreviousOf(task).valid()) CHECK(g.graph().gap[task] > 1'000'000);
  }
}

TEST_CASE("idle time and paths name a timer, a thread and other waits") {
  const auto idle_of = [](const GraphOf& g, IdleCause cause) {
    const Schedule guided = SimulateGuided(g.graph());
    const SimSpan span = MeasuredGpuSpan(g.graph());
    const IdleReport idle = FindIdle(g.graph(), guided, {{span.begin.ns, span.end.ns}});
    return idle.devices.at(0).Of(cause).ns;
  };
  CHECK(idle_of(GraphOf(Frames("clock_nanosleep", 12)), IdleCause::kTimer) > 11 * 6'900'000);
  CHECK(idle_of(GraphOf(Frames("clock_nanosleep", 12, 0)), IdleCause::kOsWait) == 11 * 7'970'000);
  const GraphOf g(Requests("pthread_cond_signal", 6));
  CHECK(idle_of(g, IdleCause::kThreadWait) >= 5 * 16'000);
  const Schedule replay = Simulate(g.graph());
  const CriticalPath path = test::FindCriticalPath(g.graph(), replay, GpuSpanOf(g.graph(), replay));
  DurationNs made = 0;
  for (const PathSegment& segment : path.segments) {
    if (segment.kind == PathKind::kHostGap && g.graph().lane[segment.task] == 1) {
      made += segment.end - segment.begin;
    }
  }
  CHECK(made > 4 * 1'900'000);  // What the other thread does between its signals decides.
}

}  // namespace
}  // namespace xsp
