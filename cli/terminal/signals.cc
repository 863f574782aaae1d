#include "cli/terminal/signals.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <string_view>

#include "base/interrupt.h"
#include "cli/exit_code.h"

namespace xsp {
namespace {

std::atomic<bool> interrupt_requested = false;
std::atomic<bool> line_on_screen = false;

// Asked first and looked at second, as whoever begins work counts it first and looks second: one of
// the two sees the other.
void OnInterrupt(int) {
  interrupt_requested = true;
  if (UnfinishedWork::Any()) return;
  constexpr std::string_view kWipe = "\r\x1b[K";
  if (line_on_screen && write(STDERR_FILENO, kWipe.data(), kWipe.size()) < 0) {
    // Nobody is there to see it.
  }
  _exit(static_cast<int>(ExitCode::kInterrupted));
}

// What this program changes about signals, and what they were before.
struct Changed {
  int signal;
  struct sigaction before;
};
std::array<Changed, 6> changed = {
    {{SIGINT, {}}, {SIGTERM, {}}, {SIGHUP, {}}, {SIGPIPE, {}}, {SIGXFSZ, {}}, {SIGCHLD, {}}}};

}  // namespace

void InstallSignalHandlers() {
  struct sigaction interrupt = {};
  interrupt.sa_handler = OnInterrupt;
  interrupt.sa_flags = SA_RESETHAND;
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  for (Changed& change : changed) {
    const bool is_failed_write = change.signal == SIGPIPE || change.signal == SIGXFSZ;
    sigaction(change.signal, nullptr, &change.before);
    if (change.signal == SIGCHLD) {
      // Where it is ignored, nobody is told how a program has ended that was started here.
      const struct sigaction usual = {};
      sigaction(SIGCHLD, &usual, nullptr);
      continue;
    }
    // What the caller has switched off stays off: nohup, a job in the background of a script.
    if (change.before.sa_handler == SIG_IGN) continue;
    sigaction(change.signal, is_failed_write ? &ignore : &interrupt, nullptr);
  }
  SetInterruptCheck(ThrowIfInterrupted);
}

void RestoreInheritedSignals() {
  for (const Changed& change : changed) sigaction(change.signal, &change.before, nullptr);
}

void LineOnScreen(bool shown) { line_on_screen = shown; }

bool InterruptRequested() { return interrupt_requested; }

void ThrowIfInterrupted() {
  if (InterruptRequested()) throw Interrupted();
}

void RequestInterrupt(bool wanted) { interrupt_requested = wanted; }

}  // namespace xsp
