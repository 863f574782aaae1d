#include "model/names/name_lexer.h"

#include <array>
#include <utility>

#include "base/ascii.h"

namespace xsp {

namespace {

// Pairs brackets. A "<" or ">" that is an operator may have no partner; it must not disturb the
// others, so a closing bracket drops what was opened after its partner.
class BracketMatcher {
 public:
  explicit BracketMatcher(std::size_t size) : match_(size, kNoPartner) {}

  void Add(char c, std::size_t at) {
    constexpr std::string_view kOpen = "<([{";
    constexpr std::string_view kClose = ">)]}";
    if (const std::size_t kind = kOpen.find(c); kind != kOpen.npos) {
      open_.emplace_back(kind, at);
      ++count_[kind];
    } else if (const std::size_t kind = kClose.find(c); kind != kClose.npos) {
      Close(kind, at);
    }
  }

  std::vector<std::size_t> Take() && { return std::move(match_); }

 private:
  void Close(std::size_t kind, std::size_t at) {
    if (count_[kind] == 0 || (kind == 0 && open_.back().first != 0)) return;
    while (true) {
      const auto [open_kind, position] = open_.back();
      open_.pop_back();
      --count_[open_kind];
      if (open_kind != kind) continue;
      match_[position] = at;
      return;
    }
  }

  std::vector<std::size_t> match_;
  std::vector<std::pair<std::size_t, std::size_t>> open_;
  std::array<std::size_t, 4> count_{};
};

}  // namespace

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' || c == '$' ||
         c == '.' || c == '@' || static_cast<unsigned char>(c) >= 0x80;
}

std::string_view NameAt(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && IsNameChar(text[end])) ++end;
  return text.substr(from, end - from);
}

std::size_t SkipSpaces(std::string_view text, std::size_t from) {
  while (from < text.size() && text[from] == ' ') ++from;
  return from;
}

std::size_t EndOfOperator(std::string_view text, std::size_t from) {
  const std::size_t begin = SkipSpaces(text, from);
  const std::string_view rest = text.substr(begin);
  if (rest.starts_with("()") || rest.starts_with("[]")) return begin + 2;
  std::size_t end = begin;
  constexpr std::string_view kSymbols = "<>=!+-*/%^&|~";
  while (end < text.size() && end < begin + 3 && kSymbols.find(text[end]) != kSymbols.npos) ++end;
  return end == begin ? from : end;
}

std::string_view WithoutSuffix(std::string_view token) {
  if (!IsDigit(token.front())) return token;
  const std::size_t digits = token.find_first_not_of("0123456789");
  if (digits == token.npos) return token;
  return token.find_first_not_of("uUlL", digits) == token.npos ? token.substr(0, digits) : token;
}

std::vector<std::size_t> MatchBrackets(std::string_view text) {
  BracketMatcher matcher(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (IsNameChar(text[i])) {
      const std::string_view name = NameAt(text, i);
      i += name.size();
      if (name == "operator") i = EndOfOperator(text, i);
      continue;
    }
    const bool is_arrow = text[i] == '>' && i > 0 && text[i - 1] == '-';
    if (!is_arrow) matcher.Add(text[i], i);
    ++i;
  }
  return std::move(matcher).Take();
}

}  // namespace xsp
