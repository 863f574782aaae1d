#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "graph/readings/critical_path.h"
#include "graph/readings/idle.h"
#include "graph/trust/trust.h"
#include "graph/unit/gpu_span.h"
#include "tests/support/graph_checks.h"
#include "tests/unit/graph/edges_text.h"

// Waits in calls of the operating system. Times are in nanoseconds.
namespace xsp {
namespace {

using test::GraphOf;

std::string Line(const std::string& lane, std::int64_t begin, std::int64_t end,
                 const std::string& what) {
  return lane + " " + std::to_string(begin) + "-" + std::to_string(end) + " " + what + "\n";
}

// A launch, its kernel of `work` and the sync that waits for it. Ids 2 * number and one more.
std::string Launch(const std::string& thread, int number, std::int64_t at, std::int64_t work) {
  const std::string id = "#" + std::to_string(2 * number);
  const std::string sync = "#" + std::to_string(2 * number + 1);
  return Line(thread, at, at + 5'000, "api cudaLaunchKernel " + id) +
         Line("S7", at + 6'000, at + 6'000 + work, "kernel k " + id) +
         Line(thread, at + 10'000, at + 10'000 + work, "api cudaStreamSynchronize " + sync) +
         Line(thread, at + 10'000, at + 10'000 + work, "sync stream=7 " + sync);
}

// The share of the critical path that is a wait which nobody explains.
double DoubtfulWaits(const GraphOf& g) {
  return JudgeTrust(UnitBench(g.graph(), {}, SpanUnit(g.graph())), {}).Of(Doubt::kWaits);
}

// Frames every 10 ms whose kernels take between 2 and 3 ms; the thread waits for the rest.
std::string Frames(const std::string& os_call, int frames, std::int64_t spread = 200'000) {
  std::string text;
  for (int i = 0; i < frames; ++i) {
    const std::int64_t zero = i * 10'000'000;
    const std::int64_t work = 2'000'000 + (i * 7 % 5) * spread;
    text += Launch("T1", i, zero, work);
    const std::int64_t sleeps = zero + 20'000 + work;
    if (!os_call.empty()) text += Line("T1", sleeps, zero + 9'990'000, "osrt " + os_call);
  }
  return text;
}

// The begin of a frame when all operations take `factor` of their time.
TimeNs Begin(const GraphOf& g, const std::string& task, double factor) {
  Overlay overlay;
  overlay.own = g.graph().own;
  for (TaskId op : g.graph().ops()) {
    overlay.own[op] = static_cast<DurationNs>(static_cast<double>(overlay.own[op]) * factor);
  }
  return Simulate(g.graph(), overlay).begin[g.Task(task)].ns;
}

TEST_CASE("a sleep that makes up for the work before it ends at a time") {
  const GraphOf g(Frames("clock_nanosleep", 12));
  REQUIRE(g.graph().timers.size() == 1);
  CHECK(g.graph().timers[0].period == 10'000'000);
  CHECK(g.graph().timers[0].name == "clock_nanosleep");
  const TimeNs measured = Begin(g, "call 22", 1);
  CHECK(measured == Approx(110'000'000).margin(20'000));
  SECTION("a frame that is drawn sooner does not come sooner") {
    // But for the first, of which nothing tells since when it was waited for.
    CHECK(Begin(g, "call 22", 0.5) == Approx(measured - 1'000'000).margin(20'000));
  }
  SECTION("one that takes longer than a period waits for nothing") {
    CHECK(Begin(g, "call 22", 5) > measured + 10'000'000);
    CHECK(Begin(g, "call 22", 5) - Begin(g, "call 20", 5) < 14'100'000);
  }
}

TEST_CASE("a call that ends at regular times waits for a display, one that takes its time works") {
  const GraphOf waits(Frames("ioctl", 12));
  REQUIRE(waits.graph().timers.size() == 1);
  CHECK(waits.graph().timers[0].name == "ioctl");
  // A camera keeps no exact time; yet what it makes wait makes up for the work before.
  std::string frames;
  std::int64_t woken = 0;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t work = 2'000'000 + (i * 7 % 5) * 200'000, since = woken + work + 20'000;
    frames += Launch("T1", i, woken, work);
    woken += 9'950'000 + i * 3 % 7 * 20'000;
    frames += Line("T1", since, woken - 10'000, "osrt ioctl");
  }
  CHECK(GraphOf(frames).graph().timers.size() == 1);
  std::string reads;
  std::int64_t at = 0;
  for (int i = 0; i < 12; ++i) {
    const std::int64_t work = 2'000'000 + (i * 7 % 5) * 200'000, read = 3'000'000 + i % 3 * 100'000;
    reads += Launch("T1", i, at, work) +
             Line("T1", at + work + 20'000, at + work + 20'000 + read, "osrt read");
    at += work + read + 30'000;
  }
  const GraphOf works(reads);
  CHECK(works.graph().timers.empty());
  const auto is_os = [](TaskKind kind) { return kind == TaskKind::kOsCall; };
  CHECK(std::none_of(works.graph().kind.begin(), works.graph().kind.end(), is_os));
}

TEST_CASE("a sleep of a given length stays as long as it is") {
  std::string text;
  std::int64_t at = 0;
  for (int i = 0; i < 12; ++i) {
    const std::int64_t work = 2'000'000 + (i * 7 % 5) * 200'000;
    text += Launch("T1", i, at, work) +
            Line("T1", at + work + 20'000, at + work + 5'020'000, "osrt usleep");
    at += work + 5'030'000;
  }
  const GraphOf g(text);
  CHECK(g.graph().timers.empty());
  CHECK(Begin(g, "call 22", 1) - Begin(g, "call 22", 0.5) > 11 * 1'000'000);
  // And it is known to: nobody else can end it, and it never made up for anything.
  CHECK(g.graph().naps.size() == 1);
  CHECK(DoubtfulWaits(g) < 0.01);
}

TEST_CASE("where work is always the same, how late a thread wakes up tells a time from a length") {
  constexpr std::int64_t kWork = 2'000'000;
  std::mt19937 random(1);
  std::string on_time, as_long;
  std::int64_t woken = 0, later = 0;
  for (int i = 0; i < 30; ++i) {
    const auto late = static_cast<std::int64_t>(20'000 + random() % 40'000);
    const std::int64_t until = (i + 1) * 10'000'000 + late;
    on_time +=
        Launch("T1", i, woken, kWork) + Line("T1", woken + kWork + 20'000, until, "osrt select");
    woken = until + 10'000;
    const std::int64_t ends = later + kWork + 7'980'000 + late;
    as_long +=
        Launch("T1", i, later, kWork) + Line("T1", later + kWork + 20'000, ends, "osrt select");
    later = ends + 10'000;
  }
  CHECK(GraphOf(on_time).graph().timers.size() == 1);
  CHECK(GraphOf(as_long).graph().timers.empty());
}

TEST_CASE("a timer that is missed now and then is one") {
  std::string text;
  std::int64_t at = 0;
  for (int i = 0; i < 30; ++i) {
    const std::int64_t work = i % 5 == 4 ? 13'000'000 : 6'000'000;
    text += Launch("T1", i, at, work);
    const std::int64_t done = at + work + 20'000, due = (i + 1) * 10'000'000;
    if (done < due) text += Line("T1", done, due + 5'000, "osrt clock_nanosleep");
    at = std::max(done, due + 5'000) + 10'000;
  }
  const GraphOf g(text);
  REQUIRE(g.graph().timers.size() == 1);
  CHECK(g.graph().timers[0].period == Approx(10'000'000).epsilon(0.01));
}

// Frames for a display of 100 Hz that take between 4 and 13 ms: some miss a time. A frame that does
// waits for the next one, or goes on at once and is behind until others have caught up.
std::string Display(bool late_ones_wait, const std::string& os_call) {
  std::string text;
  std::int64_t at = 0, due = 0;
  for (int i = 0; i < 40; ++i) {
    const std::int64_t work = 4'000'000 + i * 7 % 10 * 1'000'000;
    text += Launch("T1", i, at, work);
    const std::int64_t done = at + work + 20'000;
    due = late_ones_wait ? (done / 10'000'000 + 1) * 10'000'000 : due + 10'000'000;
    if (done < due && !os_call.empty()) text += Line("T1", done, due + 5'000, "osrt " + os_call);
    at = std::max(done, due + 5'000) + 10'000;
  }
  return text;
}

TEST_CASE("what is too late for a display waits for its next time") {
  const std::string os_call = GENERATE("clock_nanosleep", "");
  const GraphOf g(Display(true, os_call));
  REQUIRE(g.graph().timers.size() == 1);
  CHECK(g.graph().timers[0].when_late == WhenLate::kNextTime);
  CHECK(g.graph().timers[0].period == Approx(10'000'000).epsilon(0.001));
  // 16 of 40 frames miss a time.
  const TimeNs measured = 390'000'000 + 16 * 10'000'000;
  CHECK(Begin(g, "call 78", 1) == Approx(measured).margin(200'000));
  CHECK(Begin(g, "call 78", 0.5) == Approx(390'000'000).margin(2'500'000));
  CHECK(Begin(g, "call 78", 3) > 390'000'000 * 2.5);
}

TEST_CASE("what is too late for a sleep until a time goes on at once, and catches up") {
  const GraphOf g(Display(false, "clock_nanosleep"));
  REQUIRE(g.graph().timers.size() == 1);
  CHECK(g.graph().timers[0].when_late == WhenLate::kGoesOn);
  // Frames that were late have nothing to wait for when they are no longer: the last one but one.
  CHECK(Begin(g, "call 78", 0.5) == Approx(380'000'000).margin(3'000'000));
}

TEST_CASE("where no frame was late, both can be asked for") {
  const GraphOf g(Frames("clock_nanosleep", 12));
  REQUIRE(g.graph().timers.size() == 1);
  CHECK(g.graph().timers[0].when_late == WhenLate::kUntold);
  Overlay overlay;
  overlay.own = g.graph().own;
  for (TaskId op : g.graph().ops()) overlay.own[op] = 14'000'000;
  const TimeNs at_once = Simulate(g.graph(), overlay).begin[g.Task("call 22")].ns;
  overlay.late_ones_wait = true;
  const TimeNs later = Simulate(g.graph(), overlay).begin[g.Task("call 22")].ns;
  CHECK(at_once == Approx(11 * 14'000'000 + 8'000'000).margin(1'000'000));
  CHECK(later == Approx(10 * 20'000'000 + 14'000'000 + 8'000'000).margin(1'000'000));
}

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

TEST_CASE("with work that is always the same, nothing tells a time from a length") {
  const GraphOf g(Frames("clock_nanosleep", 12, 0));
  CHECK(g.graph().timers.empty());
  CHECK(DoubtfulWaits(g) > 0.7);
}

TEST_CASE("three frames are too few to tell") {
  CHECK(GraphOf(Frames("clock_nanosleep", 3)).graph().timers.empty());
}

TEST_CASE("a silence that makes up for the rest ends at a time, though no call was recorded") {
  const GraphOf g(Frames("", 20));
  REQUIRE(g.graph().timers.size() == 1);
  CHECK(g.graph().timers[0].name.empty());
  CHECK(Begin(g, "call 38", 0.5) == Approx(190'000'000 - 1'000'000).margin(20'000));
}

// Rounds of a thread with work and then a wait, both by chance, which have nothing to do with each
// other.
std::string ByChance(const std::string& os_call, unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<> work(0, 0.8), wait(0, 1);
  std::string text;
  std::int64_t at = 0;
  for (int i = 0; i < 65; ++i) {
    text += Launch("T1", i, at, 10'000);
    const std::int64_t waits = at + 20'000 + static_cast<std::int64_t>(500'000 * work(random));
    at = waits + 1'000'000 + static_cast<std::int64_t>(1'500'000 * wait(random));
    if (!os_call.empty()) text += Line("T1", waits, at - 10'000, "osrt " + os_call);
  }
  return text;
}

TEST_CASE("waits that come and end by chance end at no given times") {
  for (const std::string os_call : {"", "nanosleep", "pthread_cond_timedwait"}) {
    std::size_t timers = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
      timers += GraphOf(ByChance(os_call, seed)).graph().timers.size();
    }
    INFO(os_call);
    CHECK(timers <= 1);
  }
}

TEST_CASE("a silence that ends as regularly as a device works ends at no time") {
  // What is late once stays late: whoever ends it has no clock. Once it took much longer.
  std::mt19937 random(2);
  std::string text;
  std::int64_t at = 0;
  for (int i = 0; i < 40; ++i) {
    text += Launch("T1", i, at, 200'000);
    at += 1'500'000 + static_cast<std::int64_t>(random() % 30'000) + (i == 20 ? 400'000 : 0);
  }
  CHECK(GraphOf(text).graph().timers.empty());
}

TEST_CASE("waits within calls, within loads and short ones are no tasks") {
  std::string text = Frames("", 6);
  text += Line("T1", 10'200'000, 10'900'000, "osrt poll");      // In a sync.
  text += Line("T1", 24'000'000, 24'030'000, "osrt sem_wait");  // Short.
  text += Line("T1", 34'000'000, 36'000'000, "push \"load batch\"");
  text += Line("T1", 34'100'000, 35'900'000, "osrt sem_wait");
  text += Line("T1", 44'000'000, 44'100'000, "osrt sem_wait");
  const GraphOf g(text);
  int waits = 0;
  for (TaskId task : g.graph().host_tasks()) {
    waits += g.graph().kind[task] == TaskKind::kOsCall ? 1 : 0;
  }
  CHECK(waits == 1);
  CHECK(g.graph().own[g.Task("sem_wait@44000000")] == 100'000);
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

TEST_CASE("a wait that comes round as regularly as a device that is never idle waits for no time") {
  const auto rounds = [](std::int64_t work) {
    std::mt19937 random(3);
    std::string text;
    std::int64_t at = 0;
    for (int i = 0; i < 40; ++i) {
      const std::string id = "#" + std::to_string(i);
      const std::int64_t zero = i * 2'000'000;
      text += Line("T1", at, at + 5'000, "api cudaLaunchKernel " + id);
      text += Line("S7", zero + 6'000, zero + 6'000 + work, "kernel k " + id);
      at = zero + 1'800'000 + static_cast<std::int64_t>(random() % 10'000);
    }
    return text;
  };
  CHECK(GraphOf(rounds(1'000'000)).graph().timers.size() == 1);
  CHECK(GraphOf(rounds(1'998'000)).graph().timers.empty());
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
