#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "tests/unit/graph/edges_text.h"
#include "tests/unit/graph/os_waits_text.h"

// Waits for times: timers, displays, cameras. Times are in nanoseconds.
namespace xsp {
namespace {

using test::Begin;
using test::DoubtfulWaits;
using test::Frames;
using test::GraphOf;
using test::Launch;
using test::Line;

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

}  // namespace
}  // namespace xsp
