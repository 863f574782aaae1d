#include "store/workers.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace xsp {
namespace {

// Packing and unpacking is bound by memory soon after this many.
constexpr std::size_t kMaxThreads = 8;

std::size_t ThreadsFor(std::size_t tasks) {
  const std::size_t machine = std::max(1U, std::thread::hardware_concurrency());
  return std::min({tasks, machine, kMaxThreads});
}

}  // namespace

void RunOnThreads(const std::vector<std::function<void()>>& tasks) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  std::vector<std::exception_ptr> errors(tasks.size());
  auto work = [&] {
    for (std::size_t i = next++; i < tasks.size() && !failed; i = next++) {
      try {
        tasks[i]();
      } catch (...) {
        errors[i] = std::current_exception();
        failed = true;
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < ThreadsFor(tasks.size()); ++i) helpers.emplace_back(work);
    work();
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace xsp
