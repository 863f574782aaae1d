#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "model/trace.h"

namespace xsp {

// What a call of the operating system is to whoever asks about waiting.
enum class OsCall : std::uint8_t {
  kOther,
  kSleep,   // Until a time: nobody else can end it.
  kWait,    // Until another thread or process does something, or until a timeout.
  kSignal,  // By which a thread can end the wait of another one.
  kDevice,  // Asks a device: a display or a camera make wait in it, unless it takes as long as
            // ever.
  kInput,   // Work, unless it ends at the times of a device.
};

// By its name, "pthread_cond_wait". A thread that reads a file does not wait for others.
OsCall OsCallOf(std::string_view name);
// Whether a wait may be over by a timeout of its own.
bool MayRunOut(std::string_view name);

// The same for the events of a trace, each name looked at once.
class OsCalls {
 public:
  explicit OsCalls(const Trace& trace) : trace_(trace) {}
  OsCall Of(EventId call);

 private:
  const Trace& trace_;
  std::unordered_map<StringId, OsCall> of_name_;
};

}  // namespace xsp
