#include "cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace xsp {
namespace {

// A variable that holds a positive number.
std::optional<std::size_t> NumberFromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  const std::string_view text(value);
  std::size_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool IsDumb() {
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) == "dumb";
}

}  // namespace

std::optional<TerminalSize> TerminalSizeOf(int fd) {
  if (isatty(fd) == 0) return std::nullopt;
  TerminalSize size;
  winsize reported = {};
  if (ioctl(fd, TIOCGWINSZ, &reported) == 0 && reported.ws_col > 0) {
    size = {reported.ws_col, reported.ws_row};
  }
  size.columns = NumberFromEnvironment("COLUMNS").value_or(size.columns);
  size.rows = NumberFromEnvironment("LINES").value_or(size.rows);
  return size;
}

bool CanPage() {
  return isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0 && !IsSet("CI") && IsSet("TERM") &&
         !IsDumb();
}

bool UseColor(ColorMode mode, int fd) {
  if (mode != ColorMode::kAuto) return mode == ColorMode::kAlways;
  return isatty(fd) != 0 && !IsSet("NO_COLOR") && !IsDumb();
}

}  // namespace xsp
