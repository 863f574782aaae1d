#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "importers/kineto/event.h"

namespace xsp {

// Takes what a KinetoParser finds.
class KinetoSink {
 public:
  virtual ~KinetoSink() = default;
  virtual void Add(const KinetoEvent& event) = 0;
};

// Reads events from JSON text. Keeps memory from one text to the next; one per thread.
class KinetoParser {
 public:
  // Bytes that must be writable behind a text.
  static constexpr std::size_t kPadding = 128;

  KinetoParser();
  ~KinetoParser();

  // How far ParseList came.
  struct Outcome {
    std::size_t read = 0;     // Behind the last event that was whole; 0 where there was none.
    bool has_error = false;   // What follows is not the text of events.
    bool list_ended = false;  // The list ended at `read`, before the text did.
  };

  // Reads objects with commas between them. Overwrites the byte before the text and those behind
  // it: text[-1] and text[size, size + kPadding) must be writable.
  Outcome ParseList(char* text, std::size_t size, KinetoSink& sink);

  // Reads one object; false if it is none.
  bool ParseOne(std::string_view text, KinetoSink& sink);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xsp
