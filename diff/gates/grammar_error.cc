#include "diff/gates/grammar_error.h"

#include <algorithm>
#include <utility>

namespace xsp {
namespace {

// How many characters UTF-8 text has: bytes that do not continue one.
std::size_t CharactersIn(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

GrammarError::GrammarError(const std::string& message, std::string_view text, std::size_t at,
                           std::size_t length)
    : GrammarError(message, text, at, length, {}) {}

GrammarError::GrammarError(const std::string& message, std::string_view text, std::size_t at,
                           std::size_t length, std::vector<std::string> candidates)
    : Error(message),
      text_(text),
      at_(std::min(at, text.size())),
      length_(std::min(length, text.size() - at_)),
      candidates_(std::move(candidates)) {}

std::string GrammarError::Caret() const {
  const std::string_view text = text_;
  std::string line(CharactersIn(text.substr(0, at_)), ' ');
  line += '^';
  const std::size_t marked = CharactersIn(text.substr(at_, length_));
  if (marked > 1) line.append(marked - 1, '~');
  return line;
}

}  // namespace xsp
