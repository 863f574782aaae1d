#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/ascii.h"

namespace xsp {

// The words of a name in lower case: letters between other characters, and between humps
// ("trainStep_3" has "train" and "step"). Longer names than anyone reads are cut.
class Words {
 public:
  explicit Words(std::string_view text) {
    char before = 0;
    for (char c : text.substr(0, kLongest)) {
      if (IsUpper(c) && IsLower(before)) Close();
      if (IsLetter(c)) {
        letters_[size_++] = LowerCase(c);
      } else {
        Close();
      }
      before = c;
    }
    Close();
  }

  bool HasAny(std::initializer_list<std::string_view> words) const {
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return Has(w); });
  }

  bool Has(std::string_view word) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (Word(i) == word) return true;
    }
    return false;
  }

  std::string_view First() const { return count_ == 0 ? std::string_view{} : Word(0); }
  std::string_view Last() const { return count_ == 0 ? std::string_view{} : Word(count_ - 1); }

  bool HasPair(std::string_view first, std::string_view second) const {
    return HasRun({first, second});
  }

  // Whether these words follow each other.
  bool HasRun(std::initializer_list<std::string_view> run) const {
    for (std::size_t i = 0; i + run.size() <= count_; ++i) {
      std::size_t at = i;
      if (std::all_of(run.begin(), run.end(),
                      [&](std::string_view w) { return Word(at++) == w; })) {
        return true;
      }
    }
    return false;
  }

 private:
  static constexpr std::size_t kLongest = 120;

  std::string_view Word(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return {letters_.data() + begin, ends_[i] - begin};
  }

  void Close() {
    const std::size_t begin = count_ == 0 ? 0 : ends_[count_ - 1];
    if (size_ > begin) ends_[count_++] = static_cast<std::uint8_t>(size_);
  }

  std::array<char, kLongest> letters_;
  std::array<std::uint8_t, kLongest> ends_;
  std::size_t size_ = 0;
  std::size_t count_ = 0;
};

}  // namespace xsp
