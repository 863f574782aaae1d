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
// bit), deflated where that pays, then Base64. data.js reads it.
class PackedColumn {
 public:
  // kSteps: what is kept is the difference to the number before; for what grows.
  enum class Kind : std::uint8_t { kPlain, kSteps };

  explicit PackedColumn(Kind kind = Kind::kPlain) : kind_(kind) {}

  void Add(std::int64_t value);
  // "p..." or "s...", by kind; deflated as {"deflated": "p..."}.
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
  // How long DeflatedJson of it is.
  std::size_t DeflatedSize() const;

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> texts_;
};

// Any document as {"deflated": "j..."}; as it is where that is not shorter. Nothing can be taken
// out of it afterwards: folders and names of hosts have to be gone.
Json DeflatedJson(const Json& document);

// The longest text that a page holds; longer ones keep their beginning and their end.
inline constexpr std::size_t kLongestText = 1000;
std::string CutText(std::string_view text);

}  // namespace xsp
