#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace xsp {

// A text that the user wrote does not follow its grammar: what is wrong, and where in it.
class GrammarError : public Error {
 public:
  // The part [at, at + length) of `text` is wrong; a length of 0: something is missing there.
  GrammarError(const std::string& message, std::string_view text, std::size_t at,
               std::size_t length);

  // The word could have been one of these; whoever prints may suggest the nearest.
  GrammarError(const std::string& message, std::string_view text, std::size_t at,
               std::size_t length, std::vector<std::string> candidates);

  const std::string& text() const { return text_; }
  // A line to be shown below the text: "       ^~~~".
  std::string Caret() const;
  std::string word() const { return text_.substr(at_, length_); }
  const std::vector<std::string>& candidates() const { return candidates_; }

 private:
  std::string text_;
  std::size_t at_;
  std::size_t length_;
  std::vector<std::string> candidates_;
};

}  // namespace xsp
