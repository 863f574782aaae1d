#include "report/tables/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/utf8.h"

namespace xsp {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";
constexpr std::string_view kEllipsis = "…";

std::string Escaped(char32_t c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      return c < 0x100 ? fmt::format("\\x{:02x}", static_cast<std::uint32_t>(c))
                       : fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
  }
}

struct Block {
  char32_t first, last;
};

// Marks that sit on the character before them, and take no room.
constexpr std::array<Block, 7> kZeroWidth = {{{0x0300, 0x036F},
                                              {0x0483, 0x0489},
                                              {0x1AB0, 0x1AFF},
                                              {0x1DC0, 0x1DFF},
                                              {0x200B, 0x200D},
                                              {0x20D0, 0x20FF},
                                              {0xFE00, 0xFE0F}}};

// East Asian and emoji blocks, two columns each.
constexpr std::array<Block, 10> kWide = {{{0x1100, 0x115F},
                                          {0x2E80, 0x303E},
                                          {0x3041, 0x33FF},
                                          {0x3400, 0x4DBF},
                                          {0x4E00, 0x9FFF},
                                          {0xA000, 0xA4CF},
                                          {0xAC00, 0xD7A3},
                                          {0xF900, 0xFAFF},
                                          {0xFF00, 0xFF60},
                                          {0x1F300, 0x3FFFD}}};

template <std::size_t n>
bool InAny(const std::array<Block, n>& blocks, char32_t c) {
  return std::any_of(blocks.begin(), blocks.end(),
                     [c](const Block& block) { return block.first <= c && c <= block.last; });
}

std::size_t WidthOf(char32_t c) { return InAny(kZeroWidth, c) ? 0 : InAny(kWide, c) ? 2 : 1; }

// Calls f(bytes, code point) for each character.
template <class F>
void ForEachCharacter(std::string_view text, F f) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text, at);
    f(text.substr(at, point.bytes), point);
    at += point.bytes;
  }
}

bool IsUnit(std::string_view word) {
  constexpr std::array<std::string_view, 6> kUnits = {"%", "ns", "us", "ms", "s", "GB/s"};
  while (!word.empty() && (word.back() == '.' || word.back() == ',' || word.back() == ';')) {
    word.remove_suffix(1);
  }
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

// Where a word ends that lines are not broken within: a number goes with its unit.
std::size_t EndOfWord(std::string_view text, std::size_t at) {
  const std::size_t space = std::min(text.find(' ', at), text.size());
  if (space == text.size() || space == at || text[space - 1] < '0' || text[space - 1] > '9') {
    return space;
  }
  const std::size_t next = std::min(text.find(' ', space + 1), text.size());
  return IsUnit(text.substr(space + 1, next - space - 1)) ? next : space;
}

std::string WrappedLine(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = EndOfWord(text, at);
    const std::string_view word = text.substr(at, space - at);
    const std::size_t word_width = DisplayWidth(word);
    if (column > indent && column + 1 + word_width > width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word_width;
    at = space + 1;
  }
  return result;
}

}  // namespace

bool IsHarmful(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
  const bool direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) ||
                         c == 0x200E || c == 0x200F || c == 0x061C;
  const bool line_break = c == 0x2028 || c == 0x2029;
  // Not seen, but there: two names that look alike, or a message in "tag" characters.
  const bool hidden = c == 0xFEFF || (c >= 0x2060 && c <= 0x2064) || (c >= 0xFFF9 && c <= 0xFFFB) ||
                      (c >= 0xE0000 && c <= 0xE0FFF);
  return control || direction || line_break || hidden;
}

std::string SafeText(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  ForEachCharacter(text, [&](std::string_view bytes, const CodePoint& point) {
    if (!point.valid) {
      result += kReplacement;
    } else if (IsHarmful(point.value)) {
      result += Escaped(point.value);
    } else {
      result += bytes;
    }
  });
  return result;
}

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  ForEachCharacter(text, [&](std::string_view, const CodePoint& point) {
    width += point.valid ? WidthOf(point.value) : 1;
  });
  return width;
}

std::string CutMiddle(std::string_view text, std::size_t width) {
  if (DisplayWidth(text) <= width) return std::string(text);
  if (width == 0) return {};
  const std::size_t front_width =
      width / 2;  // The front gets what the ellipsis leaves of its half.
  const std::size_t back_width = width - 1 - front_width;

  std::vector<std::pair<std::size_t, std::size_t>> characters;  // (bytes, columns)
  ForEachCharacter(text, [&](std::string_view bytes, const CodePoint& point) {
    characters.emplace_back(bytes.size(), point.valid ? WidthOf(point.value) : 1);
  });
  std::size_t front = 0, back = 0, used = 0;
  for (const auto& [bytes, columns] : characters) {
    if (used + columns > front_width) break;
    used += columns;
    front += bytes;
  }
  used = 0;
  for (auto it = characters.rbegin(); it != characters.rend(); ++it) {
    if (used + it->second > back_width) break;
    used += it->second;
    back += it->first;
  }
  return std::string(text.substr(0, front)) + std::string(kEllipsis) +
         std::string(text.substr(text.size() - back));
}

std::string PadLeft(std::string_view text, std::size_t width) {
  const std::size_t used = DisplayWidth(text);
  return std::string(width > used ? width - used : 0, ' ') + std::string(text);
}

std::string PadRight(std::string_view text, std::size_t width) {
  const std::size_t used = DisplayWidth(text);
  return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

std::string FitFirstPart(std::string_view line, std::size_t width) {
  constexpr std::size_t kShortestPart = 12;
  const std::size_t full = DisplayWidth(line);
  const std::size_t end = std::min(line.find(" · "), line.size());
  const std::size_t rest = full - DisplayWidth(line.substr(0, end));
  if (full <= width) return std::string(line);
  if (rest + kShortestPart > width) return Wrapped(line, width);
  return CutMiddle(line.substr(0, end), width - rest) + std::string(line.substr(end));
}

std::string Wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (at > 0) result += "\n" + std::string(indent, ' ');
    result += WrappedLine(text.substr(at, end - at), width, indent);
    at = end + 1;
  }
  return result;
}

std::string Bar(double share, std::size_t width) {
  if (!std::isfinite(share) || share <= 0) return {};
  const auto halves =
      static_cast<std::size_t>(std::lround(std::min(share, 1.0) * 2 * static_cast<double>(width)));
  std::string bar;
  for (std::size_t i = 0; i < halves / 2; ++i) bar += "━";
  if (halves % 2 == 1) bar += "╸";
  return bar;
}

}  // namespace xsp
