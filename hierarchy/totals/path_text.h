#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace xsp {

// Names from the outermost to the innermost, joined by '/': "block 3/attention". Ranges can nest
// ten thousands deep (a recursion, a range that is never popped), and every one has a path: of
// those deeper than any program's layers only the innermost name is told, and how many were left
// out.
class PathText {
 public:
  std::string_view text() const { return text_; }

  PathText Below(std::string_view name) const;

 private:
  std::string text_;
  std::size_t outer_bytes_ = 0;  // Of the text, what deeper paths begin with.
  std::uint32_t left_out_ = 0;   // Between these and the innermost, which counts.
  std::uint32_t names_ = 0;
};

}  // namespace xsp
