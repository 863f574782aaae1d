#include "hierarchy/totals/path_text.h"

namespace xsp {
namespace {

constexpr std::size_t kMostBytes = 16 << 10;

// What PathText tells of `names` rows: `chain` has the outermost of them, the last of these first.
std::string JoinedNames(const std::vector<std::uint32_t>& chain, std::uint32_t innermost,
                        std::uint32_t names, const TreePaths::NameOf& name_of) {
  std::uint32_t told = 0;
  std::string text;
  for (auto row = chain.rbegin(); row != chain.rend() && text.size() < kMostBytes; ++row) {
    if (told++ > 0) text += '/';
    text += name_of(*row);
  }
  if (told == names) return text;
  if (told + 1 < names) text += "/[" + std::to_string(names - told - 1) + " more]";
  text += '/';
  return text.append(name_of(innermost));
}

}  // namespace

PathText PathText::Below(std::string_view name) const {
  PathText path;
  path.names_ = names_ + 1;
  if (left_out_ == 0 && names_ < kMostNames && text_.size() < kMostBytes) {
    path.text_ = text_.empty() ? std::string(name) : text_ + "/" + std::string(name);
    path.outer_bytes_ = path.text_.size();
    return path;
  }
  path.outer_bytes_ = outer_bytes_;
  path.left_out_ = left_out_ + 1;
  path.text_ = text_.substr(0, outer_bytes_);
  if (left_out_ > 0) path.text_ += "/[" + std::to_string(left_out_) + " more]";
  path.text_ += "/" + std::string(name);
  return path;
}

void TreePaths::Place(std::uint32_t row, std::uint32_t parent) {
  const bool is_below = parent != kNone && rows_[parent].names > 0;
  const std::uint32_t names = is_below ? rows_[parent].names + 1 : 1;
  const bool is_outer = names <= PathText::kMostNames;
  rows_[row] = {is_below ? parent : kNone, names, is_outer ? row : rows_[parent].outer};
}

std::string TreePaths::Text(std::uint32_t row, const NameOf& name_of) const {
  if (rows_[row].names == 0) return "";
  std::vector<std::uint32_t> chain;
  for (std::uint32_t at = rows_[row].outer; at != kNone; at = rows_[at].parent) chain.push_back(at);
  return JoinedNames(chain, row, rows_[row].names, name_of);
}

std::string PathOf(std::uint32_t row, const std::function<std::uint32_t(std::uint32_t)>& parent_of,
                   const TreePaths::NameOf& name_of) {
  std::vector<std::uint32_t> chain;
  for (std::uint32_t at = row; at != TreePaths::kNone; at = parent_of(at)) chain.push_back(at);
  if (chain.empty()) return "";
  const auto names = static_cast<std::uint32_t>(chain.size());
  if (names > PathText::kMostNames) {
    chain.erase(chain.begin(), chain.end() - PathText::kMostNames);
  }
  return JoinedNames(chain, row, names, name_of);
}

}  // namespace xsp
