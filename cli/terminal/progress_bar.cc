#include "cli/terminal/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "cli/terminal/signals.h"
#include "cli/terminal/terminal.h"
#include "report/tables/text.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience(1000);  // Shorter work shows no bar.
constexpr milliseconds kBetweenDraws(100);
constexpr std::size_t kBarColumns = 24;

// 1234567 -> "1.2 M".
std::string Rough(double value) {
  constexpr std::array<const char*, 4> kSuffixes = {"", " k", " M", " G"};
  std::size_t step = 0;
  while (value >= 1000 && step + 1 < kSuffixes.size()) {
    value /= 1000;
    ++step;
  }
  return FormatNumber(value, step == 0 ? 0 : 1) + kSuffixes[step];
}

std::string Amount(double value, std::string_view unit) {
  if (unit == "bytes") return FormatBytes(static_cast<std::uint64_t>(value));
  return Rough(value) + " " + std::string(unit);
}

std::string TimeLeft(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds) + 1;
  if (whole < 60) return std::to_string(whole) + " s left";
  return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s left";
}

void WriteToStderr(const std::string& text) {
  // Drawing is a courtesy: if it fails there is nobody to tell.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

ProgressBar::ProgressBar(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) != 0) {}

void ProgressBar::Start(std::string_view label, std::uint64_t total, std::string_view unit) {
  ThrowIfInterrupted();
  std::lock_guard lock(mutex_);
  label_ = label;
  unit_ = unit;
  total_ = total;
  done_ = 0;
  started_ = Clock::now();
}

void ProgressBar::Advance(std::uint64_t units) {
  ThrowIfInterrupted();
  if (!shown_) return;
  std::lock_guard lock(mutex_);
  done_ += units;
  const Clock::time_point now = Clock::now();
  if (now - started_ >= kPatience && now - drawn_ >= kBetweenDraws) Draw(now);
}

void ProgressBar::Draw(Clock::time_point now) {
  drawn_ = now;
  on_screen_ = true;
  LineOnScreen(true);
  const auto elapsed = std::chrono::duration_cast<milliseconds>(now - started_);
  const std::size_t columns = TerminalSizeOf(STDERR_FILENO).value_or(TerminalSize()).columns;
  const std::string line = CutMiddle(Line(label_, done_, total_, unit_, elapsed), columns - 1);
  WriteToStderr("\r\x1b[K" + line);
}

void ProgressBar::Clear() {
  std::lock_guard lock(mutex_);
  if (on_screen_) WriteToStderr("\r\x1b[K");
  on_screen_ = false;
  LineOnScreen(false);
}

std::string ProgressBar::Line(std::string_view label, std::uint64_t done, std::uint64_t total,
                              std::string_view unit, std::chrono::milliseconds elapsed) {
  const double seconds = static_cast<double>(elapsed.count()) / 1000;
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const std::string speed = Amount(rate, unit) + "/s";
  std::string line = SafeText(label) + "  ";
  if (total == 0) return line + Amount(static_cast<double>(done), unit) + "  " + speed;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  line += PadRight(Bar(share, kBarColumns), kBarColumns) + "  ";
  line += PadLeft(FormatNumber(100 * share, 0), 3) + " %  " + speed;
  if (rate > 0 && share < 1) {
    line += "  " + TimeLeft(static_cast<double>(total) * (1 - share) / rate);
  }
  return line;
}

}  // namespace xsp
