#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace xsp {

// --color.
enum class ColorMode : std::uint8_t { kAuto, kAlways, kNever };

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// The size of the terminal behind a file descriptor; none if it is no terminal. COLUMNS and LINES
// overrule what the terminal says.
std::optional<TerminalSize> TerminalSizeOf(int fd);

// Whether somebody is there to leaf through a long result: standard input and output are terminals,
// TERM names one that can scroll, and no CI system runs the program (CI is not set): a job on a
// pseudo-terminal would wait for a key for ever.
bool CanPage();

// Whether to write colours there. Automatic: on a terminal that can, unless NO_COLOR is set.
bool UseColor(ColorMode mode, int fd);

}  // namespace xsp
