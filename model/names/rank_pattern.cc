#include "model/names/rank_pattern.h"

#include <re2/re2.h>

#include <charconv>

#include "base/ascii.h"
#include "base/error.h"

namespace xsp {
namespace {

// All of a text as a number.
std::optional<std::uint32_t> NumberIn(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::uint32_t> RankInName(std::string_view name) {
  constexpr std::string_view kWord = "rank";
  std::string lowered;
  for (const char c : name) lowered += LowerCase(c);
  for (std::size_t at = lowered.find(kWord); at != std::string::npos;
       at = lowered.find(kWord, at + kWord.size())) {
    if (at > 0 && IsLetter(lowered[at - 1])) continue;  // "crank 3".
    const std::size_t first = lowered.find_first_not_of(" _-=:#", at + kWord.size());
    if (first == std::string::npos) break;
    const std::size_t end = lowered.find_first_not_of("0123456789", first);
    if (const auto rank = NumberIn(std::string_view(lowered).substr(first, end - first))) {
      return rank;
    }
  }
  return std::nullopt;
}

RankPattern::RankPattern(const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  pattern_ = std::make_unique<re2::RE2>(pattern, options);
  if (!pattern_->ok()) {
    throw Error("--rank-regex: '" + pattern + "' is no regular expression: " + pattern_->error(),
                "as in --rank-regex 'rank([0-9]+)'");
  }
}

RankPattern::~RankPattern() = default;
RankPattern::RankPattern(RankPattern&&) noexcept = default;

std::optional<std::uint32_t> RankPattern::Find(std::string_view name) const {
  const re2::StringPiece text(name.data(), name.size());
  re2::StringPiece found[2];
  const int groups = pattern_->NumberOfCapturingGroups() > 0 ? 2 : 1;
  if (!pattern_->Match(text, 0, text.size(), re2::RE2::UNANCHORED, found, groups)) {
    return std::nullopt;
  }
  const re2::StringPiece& number = found[groups - 1];
  return NumberIn(std::string_view(number.data(), number.size()));
}

}  // namespace xsp
