#include "model/string_pool.h"

#include <algorithm>

namespace xsp {
namespace {

// Large enough that short strings share one allocation, small enough that a tiny trace stays tiny.
constexpr std::size_t kBlockBytes = 64 * 1024;

}  // namespace

StringId StringPool::Intern(std::string_view text) {
  if (auto it = ids_.find(text); it != ids_.end()) return StringId(it->second);
  std::string_view kept = Keep(text);
  StringId id(views_.size());
  views_.push_back(kept);
  ids_.emplace(kept, id.value);
  return id;
}

StringId StringPool::Find(std::string_view text) const {
  auto it = ids_.find(text);
  return it == ids_.end() ? StringId() : StringId(it->second);
}

std::string_view StringPool::Keep(std::string_view text) {
  if (blocks_.empty() || blocks_.back().capacity() - blocks_.back().size() < text.size()) {
    blocks_.emplace_back().reserve(std::max(kBlockBytes, text.size()));
  }
  std::string& block = blocks_.back();
  std::size_t at = block.size();
  block.append(text);
  return std::string_view(block).substr(at, text.size());
}

}  // namespace xsp
