#include "sim/ranks/job/job_kinds.h"

#include "base/hash.h"

namespace xsp {

std::uint16_t JobKinds::Type(const std::string& name, bool is_communication) {
  const auto next = static_cast<std::uint16_t>(job_.types.size());
  const auto [at, is_new] = types_.emplace(name, next);
  if (is_new) job_.types.push_back({name, name, is_communication});
  return at->second;
}

std::uint32_t JobKinds::Kind(std::uint16_t type, std::uint64_t place, std::uint64_t ordinal) {
  const std::uint64_t key = MixedBits(HashWith(HashWith(HashWith(0, type), place), ordinal));
  const auto [at, is_new] = kinds_.emplace(key, job_.kinds);
  if (is_new) ++job_.kinds;
  return at->second;
}

}  // namespace xsp
