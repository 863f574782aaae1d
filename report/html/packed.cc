#include "report/html/packed.h"

#include <zlib.h>

#include <utility>

#include "base/utf8.h"

namespace xsp {
namespace {

// What is shorter gains too little.
constexpr std::size_t kWorthDeflating = 256;

// Empty where it would not be shorter.
std::string Deflated(const std::string& bytes) {
  if (bytes.size() < kWorthDeflating) return "";
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  const int result =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_DEFAULT_COMPRESSION);
  if (result != Z_OK || size >= bytes.size()) return "";
  packed.resize(size);
  return packed;
}

}  // namespace

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto byte = i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u;
      group = group << 8 | byte;
    }
    const std::size_t digits = bytes.size() - i < 3 ? bytes.size() - i + 1 : 4;
    for (std::size_t k = 0; k < 4; ++k) {
      text += k < digits ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

void PackedColumn::Add(std::int64_t value) {
  const std::int64_t kept = kind_ == Kind::kSteps ? value - std::exchange(before_, value) : value;
  std::uint64_t rest =
      static_cast<std::uint64_t>(kept) << 1 ^ (kept < 0 ? ~std::uint64_t{0} : std::uint64_t{0});
  for (; rest >= 0x80; rest >>= 7) bytes_ += static_cast<char>(rest | 0x80);
  bytes_ += static_cast<char>(rest);
}

Json PackedColumn::ToJson() const {
  const std::string kind = kind_ == Kind::kSteps ? "s" : "p";
  const std::string deflated = Deflated(bytes_);
  if (deflated.empty()) return kind + Base64(bytes_);
  return {{"deflated", kind + Base64(deflated)}};
}

std::string CutText(std::string_view text) {
  if (text.size() <= kLongestText) return ToUtf8(text);
  constexpr std::size_t kHalf = kLongestText / 2;
  auto is_inside = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  std::size_t head = kHalf, tail = text.size() - kHalf;
  for (int i = 0; i < 3 && is_inside(head); ++i) --head;
  for (int i = 0; i < 3 && is_inside(tail); ++i) ++tail;
  return ToUtf8(text.substr(0, head)) + "…" + ToUtf8(text.substr(tail));
}

std::uint32_t PackedTexts::Of(std::string_view text) {
  const auto next = static_cast<std::uint32_t>(texts_.size());
  const auto [it, is_new] = numbers_.emplace(CutText(text), next);
  if (is_new) texts_.push_back(it->first);
  return it->second;
}

Json PackedTexts::ToJson() const {
  Json list = Json::array();
  for (const std::string& text : texts_) list.push_back(text);
  return list;
}

std::size_t PackedTexts::DeflatedSize() const { return DeflatedJson(ToJson()).dump().size(); }

Json DeflatedJson(const Json& document) {
  const std::string deflated = Deflated(document.dump());
  if (deflated.empty()) return document;
  return {{"deflated", "j" + Base64(deflated)}};
}

}  // namespace xsp
