#include "cli/terminal/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

namespace xsp {

void OpenStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // The lowest free number is taken, which is this one: those below are open by now.
    if (open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) < 0) return;
  }
}

}  // namespace xsp
