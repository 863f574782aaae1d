#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/tables/json.h"

// Columns for the page: where a waterfall has a hundred thousand rows, JSON would be too long.
namespace xsp {

std::string Base64(std::string_view bytes);

// Whole numbers as a short text: one varint each (low seven bits first, the sign in the lowest
// bit), then Base64. data.js reads it.
class PackedColumn {
 public:
  // kSteps: what is kept is the difference to the number before; for what grows.
  enum class Kind : std::uint8_t { kPlain, kSteps };

  explicit PackedColumn(Kind kind = Kind::kPlain) : kind_(kind) {}

  void Add(std::int64_t value);
  // "p..." or "s...", by kind.
  Json ToJson() const;
  std::size_t size() const { return bytes_.size(); }

 private:
  Kind kind_;
  std::int64_t before_ = 0;
  std::string bytes_;
};

// Texts, each once, by number. What is longer than a page can show is cut in the middle.
class PackedTexts {
 public:
  std::uint32_t Of(std::string_view text);
  Json ToJson() const;
  std::size_t bytes() const { return bytes_; }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> texts_;
  std::size_t bytes_ = 0;
};

// The longest text that a page holds; longer ones keep their beginning and their end.
inline constexpr std::size_t kLongestText = 1000;
std::string CutText(std::string_view text);

}  // namespace xsp
