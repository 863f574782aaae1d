#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace xsp {

// "rank 3", "worker_rank=3", "rank3" -> 3.
std::optional<std::uint32_t> RankInName(std::string_view name);

// A user's regular expression that finds the rank in a file's name: its first group, else all that
// it matches, is the number.
class RankPattern {
 public:
  // Throws Error for what is no regular expression.
  explicit RankPattern(const std::string& pattern);
  ~RankPattern();
  RankPattern(RankPattern&&) noexcept;

  std::optional<std::uint32_t> Find(std::string_view name) const;

 private:
  std::unique_ptr<re2::RE2> pattern_;
};

}  // namespace xsp
