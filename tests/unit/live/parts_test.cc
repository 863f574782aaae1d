// The parts of the injected library that can be tried by themselves.
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "live/decode/clock_map.h"
#include "live/inject/buffer_pool.h"
#include "live/inject/settings.h"
#include "live/inject/text_memory.h"
#include "live/inject/thread_events.h"
#include "live/spool/kinds.h"

namespace xsp::live {
namespace {

TEST_CASE("a step is told by its name whatever its number") {
  struct Case {
    std::string pattern, name;
    bool is_step;
  };
  const Case cases[] = {
      {"step", "step", true},      {"step", "steps", false},    {"step", "ste", false},
      {"step 0", "step 17", true}, {"step #", "step 17", true}, {"step #", "step x", false},
      {"step", "step 17", false},  {"#/# it", "3/40 it", true}, {"it # of #", "it 3", false},
      {"a1b", "a22b", true},       {"a1b", "a22c", false},      {"", "", true},
      {"step #", "step ", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.pattern, c.name);
    CHECK(inject::IsStepName(c.pattern.c_str(), c.name.data(), c.name.size()) == c.is_step);
  }
}

TEST_CASE("kinds are named added and taken away") {
  KindSet set = 0;
  std::string_view unknown;
  REQUIRE(ParseKinds("", &set, &unknown));
  CHECK(set == DefaultKinds());
  REQUIRE(ParseKinds("nvtx", &set, &unknown));
  CHECK(set == kNvtxBit);
  REQUIRE(ParseKinds("default,memory,-driver", &set, &unknown));
  KindSet memory = 0, driver = 0;
  REQUIRE(ParseKinds("memory", &memory, &unknown));
  REQUIRE(ParseKinds("driver", &driver, &unknown));
  CHECK(set == ((DefaultKinds() | memory) & ~driver));
  CHECK_FALSE(ParseKinds("kernel,kernels", &set, &unknown));
  CHECK(unknown == "kernels");
  // Whole graphs hide their kernels: never by default, not even with "all".
  KindSet graph = 0;
  REQUIRE(ParseKinds("graph", &graph, &unknown));
  CHECK((AllKinds() & graph) == 0);
}

TEST_CASE("clocks at a fixed distance are joined by the best reading") {
  // The second reading took 40 ns: half of that is how far it can be off. The others were slow.
  const ClockMap map(
      {{1'000, 900'500, 0, 9'000}, {20'000, 915'020, 0, 20'040}, {30'000, 926'000, 0, 33'000}});
  CHECK(map.shift() == 0);
  CHECK(map.ToHost(915'020) == 20'020);
  CHECK(map.ToHost(1'000'000) == 105'000);
}

TEST_CASE("a clock that was set is followed and told") {
  // CUPTI's clock jumped by a second between the readings.
  const ClockMap map({{1'000, 10'000, 0, 1'000}, {2'000'000'000, 3'000'009'000, 0, 2'000'000'000}});
  CHECK(map.shift() == 1'000'000'000);
  CHECK(map.ToHost(10'000) == 1'000);
  CHECK(map.ToHost(3'000'009'000) == 2'000'000'000);
}

TEST_CASE("readings that no clock shows are left out") {
  constexpr std::uint64_t kOdd = 0x8fff'ffff'ffff'ffff;
  const ClockMap map({{kOdd, 1'000, 0, kOdd + 2}, {9'000, 1'000, 0, 2'000}, {100, kOdd, 0, 200}});
  CHECK(map.ToHost(5'000) == 5'000);
  CHECK(map.shift() == 0);
  CHECK(ClockMap({{4'000, 1'000, 0, 4'000}}).ToHost(~std::uint64_t{0}) > 0);
}

TEST_CASE("without a reading of CUPTI's clock the wall clock stands in for it") {
  const ClockMap map({{5'000, 0, 1'700'000'005'000, 5'000}});
  CHECK(map.ToHost(1'700'000'006'000) == 6'000);
}

TEST_CASE("buffers go round between threads each to one at a time in order of completion") {
  auto pool = std::make_unique<inject::BufferPool>();
  REQUIRE(pool->Begin());
  std::set<std::uint8_t*> taken;
  while (std::uint8_t* buffer = pool->Take()) CHECK(taken.insert(buffer).second);
  CHECK(taken.size() == inject::BufferPool::kBuffers);
  std::size_t valid = 0;
  for (std::uint8_t* buffer : taken) CHECK(pool->Complete(buffer, ++valid));
  inject::BufferPool::Completed done;
  for (std::size_t i = 1; i <= taken.size(); ++i) {
    REQUIRE(pool->Next(&done));
    CHECK(done.valid == i);
    pool->Give(done);
  }
  CHECK_FALSE(pool->Next(&done));
  std::uint8_t* spare = inject::BufferPool::TakeSpare();
  REQUIRE(spare != nullptr);
  CHECK_FALSE(pool->Complete(spare, 8));  // Not one of the pool's.
  inject::BufferPool::GiveSpare(spare);
}

TEST_CASE("no buffer is lost or doubled when many threads ask for them") {
  auto pool = std::make_unique<inject::BufferPool>();
  REQUIRE(pool->Begin());
  constexpr int kThreads = 4, kRounds = 20'000;
  std::atomic<std::uint64_t> given = 0;
  std::atomic<int> running = kThreads;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kRounds; ++i) {
        std::uint8_t* buffer = pool->Take();
        if (buffer == nullptr) continue;
        buffer[0] = static_cast<std::uint8_t>(i);  // The sanitizers and the checks below watch.
        pool->Complete(buffer, static_cast<std::size_t>(i % 1000) + 1);
        ++given;
      }
      --running;
    });
  }
  std::uint64_t got = 0;
  inject::BufferPool::Completed done;
  while (running > 0 || got < given) {
    if (!pool->Next(&done)) continue;
    ++got;
    pool->Give(done);
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(got == given);
  std::set<std::uint8_t*> all;
  while (std::uint8_t* buffer = pool->Take()) CHECK(all.insert(buffer).second);
  CHECK(all.size() == inject::BufferPool::kBuffers);
}

TEST_CASE("names are new once and again when a pointer means something else") {
  auto memory = std::make_unique<inject::TextMemory>();
  CHECK(memory->IsNew(1000, "kernel", 6));
  CHECK_FALSE(memory->IsNew(1000, "kernel", 6));
  CHECK(memory->IsNew(1000, "kernel2", 7));
  CHECK(memory->IsNew(2000, "kernel2", 7));
  CHECK(memory->IsNew(3000, "", 0));
  CHECK_FALSE(memory->IsNew(3000, "", 0));
  // More than it can hold: what was forgotten is new again, and nothing breaks.
  const std::string text(1000, 'x');
  std::size_t fresh = 0;
  for (std::uint64_t key = 1; key <= 100'000; ++key) {
    fresh += memory->IsNew(key << 8, text.data(), text.size()) ? 1 : 0;
  }
  CHECK(fresh == 100'000);
}

// A region with events of threads; drained into one number per thread.
struct Drained {
  std::unique_ptr<Region> region = std::make_unique<Region>();
  std::unique_ptr<inject::ThreadEvents> events = std::make_unique<inject::ThreadEvents>();
  std::uint64_t count = 0;

  Drained() { events->Begin(region.get()); }
  void Drain() {
    events->Drain([&](const Chunk& chunk, std::uint32_t, std::uint32_t begin, std::uint32_t end) {
      while (begin < end) {
        HostEventHead head = {};
        std::memcpy(&head, chunk.data + begin, sizeof head);
        REQUIRE(head.bytes >= sizeof head);
        begin += head.bytes;
        ++count;
      }
    });
  }
};

TEST_CASE("events of all threads arrive while they are written and after their threads are gone") {
  Drained drained;
  constexpr int kThreads = 4, kEvents = 30'000;
  std::atomic<int> running = kThreads;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEvents; ++i) {
        const std::string text(static_cast<std::size_t>(i % 50), 'x');
        inject::HostEvent event = {.op = HostOp::kPush, .id = 1};
        event.text = text.data();
        event.text_bytes = text.size();
        drained.events->Add(event);
      }
      --running;
    });
  }
  while (running > 0) drained.Drain();
  for (std::thread& thread : threads) thread.join();
  drained.Drain();
  drained.Drain();  // Chunks of ended threads are given back.
  CHECK(drained.count + drained.events->dropped == kThreads * kEvents);
  for (const Chunk& chunk : drained.region->chunks) CHECK(chunk.state == ChunkState::kFree);
}

TEST_CASE("events for which there is no room are counted and nobody waits") {
  Drained drained;
  constexpr std::uint64_t kMany = 1'100'000;  // More than all chunks hold: 16 bytes each.
  std::thread([&] {
    for (std::uint64_t i = 0; i < kMany; ++i) drained.events->Add({.op = HostOp::kPop});
  }).join();
  CHECK(drained.events->dropped > 0);
  drained.Drain();
  CHECK(drained.count + drained.events->dropped == kMany);
}

}  // namespace
}  // namespace xsp::live
