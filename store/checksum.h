#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace xsp {

// SHA-256 of bytes that come piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void Add(const void* data, std::size_t bytes);

  // The checksum of all that was added, as 64 hex digits. Call it once.
  std::string Finish();

 private:
  evp_md_ctx_st* context_;
};

std::string Sha256Of(std::string_view bytes);

}  // namespace xsp
