#include "hierarchy/totals/path_text.h"

namespace xsp {

PathText PathText::Below(std::string_view name) const {
  constexpr std::uint32_t kMostNames = 64;
  constexpr std::size_t kMostBytes = 16 << 10;
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

}  // namespace xsp
