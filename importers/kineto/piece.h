#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "importers/kineto/collector.h"
#include "importers/kineto/parser.h"

namespace xsp {

// A stretch of the list of events, as text, with the room around it that the parser needs.
class KinetoText {
 public:
  explicit KinetoText(std::size_t capacity)
      : capacity_(capacity), bytes_(std::make_unique<char[]>(capacity + 1 + kBehind)) {}

  char* data() { return bytes_.get() + 1; }
  std::string_view view() const { return {bytes_.get() + 1, size_}; }
  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return size_; }
  void set_size(std::size_t size) { size_ = size; }

 private:
  static constexpr std::size_t kBehind = KinetoParser::kPadding;

  std::size_t capacity_;
  std::size_t size_ = 0;
  std::unique_ptr<char[]> bytes_;
};

// What came of a piece.
struct KinetoPieceResult {
  KinetoRows rows;
  std::size_t read = 0;     // Of the text: up to the end of the list, or of the last whole event.
  bool list_ended = false;  // The list of events ended at `read`, with its ']'.
};

// Reads pieces; one per thread.
class KinetoPieceReader {
 public:
  explicit KinetoPieceReader(KinetoShared& shared) : collector_(shared) {}

  // Reads whole events with commas between them. Where the text is not what it should be, event by
  // event, mending what can be mended; `is_last`: the text may end in the middle of an event.
  KinetoPieceResult Read(KinetoText& text, bool is_last);

 private:
  // Events one by one, from `at` on; says where it stopped.
  std::size_t ReadCarefully(std::string_view text, std::size_t at, bool is_last, bool* list_ended);
  // One event that begins at `at`; where it ends, or nothing if the text ends first.
  std::optional<std::size_t> ReadOne(std::string_view text, std::size_t at);

  KinetoParser parser_;
  KinetoCollector collector_;
};

}  // namespace xsp
