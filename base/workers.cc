#include "base/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <thread>
#include <vector>

namespace xsp {

unsigned ThreadsUpTo(unsigned most) {
  return std::clamp(std::thread::hardware_concurrency(), 1u, most);
}

void ForEachOnThreads(std::size_t count, unsigned threads,
                      const std::function<void(std::size_t i, unsigned thread)>& work) {
  if (threads == 0) threads = ThreadsUpTo(std::numeric_limits<unsigned>::max());
  threads = static_cast<unsigned>(std::min<std::size_t>(threads, count));
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::vector<std::exception_ptr> errors(count);
  const auto run = [&](unsigned thread) {
    for (std::size_t i = next++; i < count && !failed; i = next++) {
      try {
        work(i, thread);
      } catch (...) {
        errors[i] = std::current_exception();
        failed = true;
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned thread = 1; thread < threads; ++thread) helpers.emplace_back(run, thread);
    run(0);
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace xsp
