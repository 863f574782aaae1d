#include "cli/signals.h"

#include <csignal>

namespace xsp {
namespace {

volatile std::sig_atomic_t interrupt_requested = 0;

void OnInterrupt(int) { interrupt_requested = 1; }

}  // namespace

void InstallSignalHandlers() {
  struct sigaction interrupt = {};
  interrupt.sa_handler = OnInterrupt;
  interrupt.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &interrupt, nullptr);
  sigaction(SIGTERM, &interrupt, nullptr);
  sigaction(SIGHUP, &interrupt, nullptr);
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
  sigaction(SIGXFSZ, &ignore, nullptr);
}

bool InterruptRequested() { return interrupt_requested != 0; }

void ThrowIfInterrupted() {
  if (InterruptRequested()) throw Interrupted();
}

void RequestInterrupt(bool wanted) { interrupt_requested = wanted ? 1 : 0; }

}  // namespace xsp
