#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace xsp {

// The bytes of a file from front to back, decompressed on the way if they are gzip's.
class ByteSource {
 public:
  // Throws Error if the file cannot be opened.
  explicit ByteSource(const std::filesystem::path& file);
  ~ByteSource();

  // Reads up to `room` bytes; fewer only where the end has come. Throws Error for a small file that
  // unpacks to a huge one.
  std::size_t Read(char* to, std::size_t room);

  // Why the end came before its time; empty if it did not. What was read until then is good.
  const std::string& damage() const { return damage_; }

  // How far into the file itself we are, for progress.
  std::uint64_t position() const { return position_; }

 private:
  struct Inflater;

  std::size_t ReadFile(char* to, std::size_t room);
  std::size_t ReadGzip(char* to, std::size_t room);

  std::filesystem::path file_;
  std::ifstream in_;
  std::unique_ptr<Inflater> inflater_;  // None for a file that is not compressed.
  std::uint64_t position_ = 0;
  std::uint64_t unpacked_ = 0;
  std::string damage_;
};

}  // namespace xsp
