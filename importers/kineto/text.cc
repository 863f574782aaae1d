#include "importers/kineto/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"

namespace xsp {
namespace {

std::string_view Unquoted(std::string_view token) {
  while (!token.empty() && IsBlank(token.back())) token.remove_suffix(1);
  if (token.size() >= 2 && token.front() == '"' && token.back() == '"') {
    token = token.substr(1, token.size() - 2);
  }
  return token;
}

// Cuts "e+12" off a number and gives the power; nothing where it is none.
std::optional<int> CutExponent(std::string_view& text) {
  const std::size_t e = text.find_first_of("eE");
  if (e == text.npos) return 0;
  std::string_view digits = text.substr(e + 1);
  text = text.substr(0, e);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int power = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), power);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  if (!is_whole || power < -40 || power > 40) return std::nullopt;
  return power;
}

// value * 10 + digit; false where that does not fit.
bool Append(std::uint64_t& value, std::uint64_t digit) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (value > (kMost - digit) / 10) return false;
  value = value * 10 + digit;
  return true;
}

// A decimal number times 10^shift, cut off to a whole one.
std::optional<std::int64_t> Scaled(std::string_view text, int shift) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::optional<int> power = CutExponent(text);
  if (!power) return std::nullopt;
  shift += *power;
  std::uint64_t value = 0;
  bool any = false;
  bool behind_point = false;
  for (char c : text) {
    if (c == '.' && !behind_point) {
      behind_point = true;
      continue;
    }
    if (!IsDigit(c)) return std::nullopt;
    any = true;
    if (behind_point && shift <= 0) continue;
    if (!Append(value, static_cast<std::uint64_t>(c - '0'))) return std::nullopt;
    if (behind_point) --shift;
  }
  if (!any) return std::nullopt;
  for (; shift > 0; --shift) {
    if (!Append(value, 0)) return std::nullopt;
  }
  for (; shift < 0; ++shift) value /= 10;
  return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

constexpr std::array<std::pair<std::string_view, CopyKind>, 10> kCopyKinds = {{
    {"HtoD", CopyKind::kHtoD},
    {"DtoH", CopyKind::kDtoH},
    {"HtoA", CopyKind::kHtoA},
    {"AtoH", CopyKind::kAtoH},
    {"AtoA", CopyKind::kAtoA},
    {"AtoD", CopyKind::kAtoD},
    {"DtoA", CopyKind::kDtoA},
    {"DtoD", CopyKind::kDtoD},
    {"HtoH", CopyKind::kHtoH},
    {"PtoP", CopyKind::kPtoP},
}};

MemoryKind MemoryKindOf(std::string_view word) {
  if (word == "Pageable") return MemoryKind::kPageable;
  if (word == "Pinned") return MemoryKind::kPinned;
  if (word == "Device") return MemoryKind::kDevice;
  if (word == "Array") return MemoryKind::kArray;
  if (word == "Managed") return MemoryKind::kManaged;
  if (word == "Device Static") return MemoryKind::kDeviceStatic;
  if (word == "Managed Static") return MemoryKind::kManagedStatic;
  return MemoryKind::kUnknown;
}

// What stands in parentheses.
std::string_view InParentheses(std::string_view name) {
  const std::size_t open = name.find('(');
  const std::size_t close = name.rfind(')');
  if (open == name.npos || close == name.npos || close < open) return {};
  return name.substr(open + 1, close - open - 1);
}

std::size_t SkipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size() && IsBlank(text[at])) ++at;
  return at;
}

// Whether the '{' at `at` begins an object behind another one.
std::optional<ObjectBorder> BorderAt(std::string_view text, std::size_t at) {
  const std::size_t next = SkipBlanks(text, at + 1);
  if (next >= text.size() || text[next] != '"') return std::nullopt;
  std::size_t before = at;
  while (before > 0 && IsBlank(text[before - 1])) --before;
  if (before == 0 || text[before - 1] != ',') return std::nullopt;
  --before;
  while (before > 0 && IsBlank(text[before - 1])) --before;
  if (before == 0 || text[before - 1] != '}') return std::nullopt;
  return ObjectBorder{before, at};
}

}  // namespace

std::optional<std::int64_t> MicrosecondsToNs(std::string_view text) {
  return Scaled(Unquoted(text), 3);
}

std::optional<std::int64_t> WholeNumber(std::string_view token) {
  return Scaled(Unquoted(token), 0);
}

CopyName ParseCopyName(std::string_view name) {
  CopyName parsed;
  for (const auto& [word, kind] : kCopyKinds) {
    if (name.find(word) != name.npos) parsed.kind = kind;
  }
  const std::string_view kinds = InParentheses(name);
  if (const std::size_t arrow = kinds.find(" -> "); arrow != kinds.npos) {
    parsed.source = MemoryKindOf(kinds.substr(0, arrow));
    parsed.target = MemoryKindOf(kinds.substr(arrow + 4));
  }
  return parsed;
}

MemoryKind ParseMemsetName(std::string_view name) { return MemoryKindOf(InParentheses(name)); }

std::string_view BareThreadName(std::string_view name) {
  if (!name.starts_with("thread ")) return name;
  const std::string_view inner = InParentheses(name);
  return inner.empty() ? name : inner;
}

std::optional<ObjectBorder> LastObjectBorder(std::string_view text) {
  for (std::size_t at = text.rfind('{'); at != text.npos && at > 0; at = text.rfind('{', at - 1)) {
    if (const auto border = BorderAt(text, at)) return border;
  }
  return std::nullopt;
}

std::optional<ObjectBorder> NextObjectBorder(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('{', from); at != text.npos; at = text.find('{', at + 1)) {
    if (const auto border = BorderAt(text, at)) return border;
  }
  return std::nullopt;
}

std::optional<std::size_t> EndOfObjectList(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(']', from); at != text.npos; at = text.find(']', at + 1)) {
    std::size_t before = at;
    while (before > from && IsBlank(text[before - 1])) --before;
    if (before > from && text[before - 1] == '}') return before;
  }
  return std::nullopt;
}

std::optional<std::size_t> EndOfObject(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) return depth == 1 ? std::optional(at + 1) : std::nullopt;
      --depth;
    }
  }
  return std::nullopt;
}

std::string RepairObject(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size() + 16);
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (!in_string) {
      in_string = c == '"';
      repaired += c;
    } else if (c == '\\' && at + 1 < text.size()) {
      const bool known =
          std::string_view("\"\\/bfnrtu").find(text[at + 1]) != std::string_view::npos;
      if (!known) {
        repaired += "\\\\";  // A lone backslash, as in a Windows path.
        continue;
      }
      repaired += c;
      repaired += text[++at];
    } else if (c == '"') {
      const std::size_t next = SkipBlanks(text, at + 1);
      const bool ends = next >= text.size() ||
                        std::string_view(",:]}").find(text[next]) != std::string_view::npos;
      in_string = !ends;
      repaired += ends ? "\"" : "\\\"";
    } else {
      repaired += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return IsUtf8(repaired) ? repaired : ToUtf8(repaired);
}

}  // namespace xsp
