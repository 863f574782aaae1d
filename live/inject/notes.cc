#include "live/inject/notes.h"

#include <cstdio>
#include <cstring>

namespace xsp::inject {

void Notes::Add(live::NoteKind kind, std::uint32_t subject, std::int32_t result, const char* text) {
  pthread_mutex_lock(&mutex_);
  if (count_ < kMost) {
    Note& note = notes_[count_++];
    std::snprintf(note.text, sizeof note.text, "%s", text);
    note.front = {kind, subject, result, static_cast<std::uint32_t>(std::strlen(note.text))};
  }
  pthread_mutex_unlock(&mutex_);
}

bool Notes::Next(Note* out) {
  pthread_mutex_lock(&mutex_);
  const bool has = taken_ < count_;
  if (has) *out = notes_[taken_++];
  pthread_mutex_unlock(&mutex_);
  return has;
}

void Notes::Reset() {
  pthread_mutex_init(&mutex_, nullptr);
  taken_ = count_ = 0;
}

}  // namespace xsp::inject
