#include "cli/inputs/hash_task.h"

#include "cli/terminal/signals.h"
#include "store/stored_trace.h"

namespace xsp {

HashTask::HashTask(const std::filesystem::path& file)
    : result_(std::async(std::launch::async, [this, file] { return Sha256OfFile(file, &stop_); })) {
}

void HashTask::StopSwitch::Advance(std::uint64_t) {
  if (wanted || InterruptRequested()) throw Interrupted();
}

}  // namespace xsp
