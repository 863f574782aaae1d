#include "base/utf8.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace xsp {
namespace {

// How many bytes at the start are plain ASCII, counted eight at a time: most text is.
std::size_t AsciiWords(std::string_view bytes) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  std::size_t done = 0;
  for (; done + 8 <= bytes.size(); done += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + done, 8);
    if ((word & kHighBits) != 0) break;
  }
  return done;
}

}  // namespace

CodePoint DecodeUtf8(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + bytes > text.size()) return {};
  char32_t value = lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xC0) != 0x80) return {};
    value = value << 6 | (next & 0x3F);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[bytes] || surrogate || value > 0x10FFFF) return {};
  return {value, bytes, true};
}

bool IsUtf8(std::string_view bytes) {
  for (std::size_t at = AsciiWords(bytes); at < bytes.size();) {
    const CodePoint point = DecodeUtf8(bytes, at);
    if (!point.valid) return false;
    at += point.bytes;
    at += AsciiWords(bytes.substr(at));
  }
  return true;
}

std::string ToUtf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint point = DecodeUtf8(bytes, at);
    text += point.valid ? bytes.substr(at, point.bytes) : "\uFFFD";
    at += point.bytes;
  }
  return text;
}

}  // namespace xsp
