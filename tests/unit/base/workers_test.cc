#include "base/workers.h"

#include <catch2/catch.hpp>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>

namespace xsp {
namespace {

TEST_CASE("work is done once each, on as many threads as asked for") {
  for (const unsigned threads : {0u, 1u, 4u, 200u}) {
    std::mutex mutex;
    std::multiset<std::size_t> done;
    ForEachOnThreads(100, threads, [&](std::size_t i, unsigned thread) {
      const std::lock_guard lock(mutex);
      CHECK((threads == 0 || thread < threads));
      done.insert(i);
    });
    CHECK(done.size() == 100);
    CHECK(std::set(done.begin(), done.end()).size() == 100);
  }
  ForEachOnThreads(0, 4, [](std::size_t, unsigned) { FAIL("there is nothing to do"); });
}

TEST_CASE("one thread works in order") {
  std::vector<std::size_t> order;
  ForEachOnThreads(5, 1, [&](std::size_t i, unsigned) { order.push_back(i); });
  CHECK(order == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

TEST_CASE("what the first that fails throws is thrown, and what has not begun is left out") {
  std::mutex mutex;
  std::size_t begun = 0;
  const auto work = [&](std::size_t i, unsigned) {
    const std::lock_guard lock(mutex);
    ++begun;
    if (i >= 50) throw std::runtime_error(std::to_string(i));
  };
  CHECK_THROWS_WITH(ForEachOnThreads(100'000, 4, work), "50");
  CHECK(begun < 1000);
}

TEST_CASE("a number of threads is at least 1, and no more than the most") {
  CHECK(ThreadsUpTo(1) == 1);
  CHECK(ThreadsUpTo(6) >= 1);
  CHECK(ThreadsUpTo(6) <= 6);
}

}  // namespace
}  // namespace xsp
