#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "live/inject/settings.h"

namespace xsp::inject {

class Recorder;

// Switches recording on when the first wanted step begins, and off when the last one ends. A step
// is an NVTX range of a given name; steps are counted from 1 as they begin, whichever thread begins
// them.
class StepWindow {
 public:
  // Whether there is anything to watch for.
  bool armed() const { return armed_.load(std::memory_order_relaxed); }
  void Begin(const Settings& settings);

  // Call these before a push or start is recorded, and after a pop or end was.
  void OnPush(Recorder& recorder, std::uint32_t domain, bool is_step);
  void OnPop(Recorder& recorder, std::uint32_t domain);
  void OnStart(Recorder& recorder, std::uint64_t range, bool is_step);
  void OnEnd(Recorder& recorder, std::uint64_t range);

 private:
  // Counts a step that begins; true if it is the last one.
  bool Count(Recorder& recorder);
  void Finish(Recorder& recorder);

  std::atomic<bool> armed_ = false;
  std::uint32_t first_ = 0;
  std::uint32_t last_ = 0;
  std::atomic<std::uint32_t> begun_ = 0;
  // The last step, while it runs: a push by its thread, domain and depth, or a range by its id.
  std::atomic<std::uint64_t> last_thread_ = 0;  // domain << 32 | thread; 0: not begun, or no push.
  std::atomic<std::int32_t> depth_ = 0;         // Ranges of that thread and domain that are open.
  std::atomic<std::uint64_t> last_range_ = 0;
};

}  // namespace xsp::inject
