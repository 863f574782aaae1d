#pragma once

#include <exception>

// Ctrl-C and friends end the program at once, or, where that would leave something half-done
// (model/interrupt.h), from within: whoever works sees an exception and cleans up.
namespace xsp {

// The user asked the program to stop. Ends quietly with exit code 130.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// Whoever reads our output has gone away. Ends quietly with exit code 0: `xsp ... | head -1`.
class BrokenPipe : public std::exception {
 public:
  const char* what() const noexcept override { return "broken pipe"; }
};

// SIGINT, SIGTERM and SIGHUP end the program or are remembered (a second one kills); a pipe that
// breaks and a file that grows beyond its limit become failed writes instead of a sudden end.
void InstallSignalHandlers();

// In a child process, before it becomes another program: signals as this program found them.
void RestoreInheritedSignals();

// Whether there is an unfinished line on the terminal, to be wiped before the end.
void LineOnScreen(bool shown);

bool InterruptRequested();
void ThrowIfInterrupted();

// For tests, and after a child process was interrupted in our place.
void RequestInterrupt(bool wanted = true);

}  // namespace xsp
