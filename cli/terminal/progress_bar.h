#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "model/progress.h"

namespace xsp {

// Progress on stderr: one line with a bar, the rate and the time left, for stages that take more
// than a second. Also where a pending Ctrl-C becomes an exception. Hidden it draws nothing, but
// still listens.
class ProgressBar final : public Progress {
 public:
  enum class Visibility { kHidden, kShown };

  // Shown only where stderr is a terminal and `quiet` is false.
  explicit ProgressBar(bool quiet);
  explicit ProgressBar(Visibility visibility) : shown_(visibility == Visibility::kShown) {}
  ~ProgressBar() override { Clear(); }

  void Start(std::string_view label, std::uint64_t total, std::string_view unit) override;
  // Throws Interrupted after Ctrl-C.
  void Advance(std::uint64_t units) override;

  // Wipes the line, so that other output can follow.
  void Clear();

  // The line as it stands after `elapsed`: "Reading  ━━━━━━╸      52 %  1.2 M rows/s  3 s left".
  static std::string Line(std::string_view label, std::uint64_t done, std::uint64_t total,
                          std::string_view unit, std::chrono::milliseconds elapsed);

 private:
  using Clock = std::chrono::steady_clock;

  void Draw(Clock::time_point now);

  const bool shown_;
  std::mutex mutex_;
  std::string label_;
  std::string unit_;
  std::uint64_t total_ = 0;
  std::uint64_t done_ = 0;
  Clock::time_point started_ = Clock::now();
  Clock::time_point drawn_;
  bool on_screen_ = false;
};

}  // namespace xsp
