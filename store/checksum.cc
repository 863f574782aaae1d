#include "store/checksum.h"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "store/stored_trace.h"

namespace xsp {
namespace {

// What is read stays in the cache until it is hashed.
constexpr std::size_t kReadBytes = 1 << 17;

void Check(int ok) {
  if (ok != 1) throw std::runtime_error("OpenSSL cannot compute SHA-256");
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  Check(context_ != nullptr && EVP_DigestInit_ex(context_, EVP_sha256(), nullptr));
}

Sha256::~Sha256() { EVP_MD_CTX_free(context_); }

void Sha256::Add(const void* data, std::size_t bytes) {
  Check(EVP_DigestUpdate(context_, data, bytes));
}

std::string Sha256::Finish() {
  std::array<unsigned char, 32> digest{};
  Check(EVP_DigestFinal_ex(context_, digest.data(), nullptr));
  std::string hex;
  for (unsigned char byte : digest) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

std::string Sha256Of(std::string_view bytes) {
  Sha256 sha;
  sha.Add(bytes.data(), bytes.size());
  return sha.Finish();
}

std::string Sha256OfFile(const std::filesystem::path& file, Progress* progress) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) throw Error(file.string() + " is a folder");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error("cannot read " + file.string() + ": " + std::strerror(errno));
  if (progress != nullptr) {
    const auto bytes = std::filesystem::file_size(file, ignored);
    progress->Start("checksum", ignored ? 0 : bytes, "bytes");
  }
  Sha256 sha;
  std::vector<char> buffer(kReadBytes);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto got = static_cast<std::size_t>(in.gcount());
    sha.Add(buffer.data(), got);
    if (progress != nullptr) progress->Advance(got);
  }
  if (in.bad()) throw Error("cannot read " + file.string() + ": " + std::strerror(errno));
  return sha.Finish();
}

}  // namespace xsp
