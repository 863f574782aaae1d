#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>

#include "live/spool/format.h"

namespace xsp::inject {

// What is to be told to the user, from any thread to the writer. Seldom used: a lock is fine here.
class Notes {
 public:
  struct Note {
    live::NoteFront front;
    char text[256];
  };

  void Add(live::NoteKind kind, std::uint32_t subject, std::int32_t result, const char* text);
  // [writer] Takes the oldest one. False: there is none.
  bool Next(Note* out);
  // After a fork: another thread may have held the lock.
  void Reset();

 private:
  static constexpr std::size_t kMost = 48;  // More than there are kinds; what comes after is lost.

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  Note notes_[kMost] = {};
  std::size_t taken_ = 0;
  std::size_t count_ = 0;
};

}  // namespace xsp::inject
