#include "cli/signals.h"

#include <array>
#include <csignal>

#include "model/interrupt.h"

namespace xsp {
namespace {

volatile std::sig_atomic_t interrupt_requested = 0;

void OnInterrupt(int) { interrupt_requested = 1; }

// What this program changes about signals, and what they were before.
struct Changed {
  int signal;
  struct sigaction before;
};
std::array<Changed, 5> changed = {
    {{SIGINT, {}}, {SIGTERM, {}}, {SIGHUP, {}}, {SIGPIPE, {}}, {SIGXFSZ, {}}}};

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
    // What the caller has switched off stays off: nohup, a job in the background of a script.
    if (change.before.sa_handler == SIG_IGN) continue;
    sigaction(change.signal, is_failed_write ? &ignore : &interrupt, nullptr);
  }
  SetInterruptCheck(ThrowIfInterrupted);
}

void RestoreInheritedSignals() {
  for (const Changed& change : changed) sigaction(change.signal, &change.before, nullptr);
}

bool InterruptRequested() { return interrupt_requested != 0; }

void ThrowIfInterrupted() {
  if (InterruptRequested()) throw Interrupted();
}

void RequestInterrupt(bool wanted) { interrupt_requested = wanted ? 1 : 0; }

}  // namespace xsp
