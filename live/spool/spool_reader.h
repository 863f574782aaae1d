#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "live/spool/format.h"

namespace xsp::live {

// One block of a spool. The bytes stay valid until the next one is read.
struct Block {
  BlockType type = {};
  std::uint64_t offset = 0;  // In the file.
  std::string_view front;
  std::string_view body;

  // The front as a struct. What an older writer did not have of it is 0.
  template <class Front>
  Front FrontAs() const {
    Front value = {};
    front.copy(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
};

// Whether this is a file that begins as a spool does.
bool IsSpool(const std::filesystem::path& file);

// Reads a spool block by block. Takes nothing for granted: a block that is not whole ends it.
class SpoolReader {
 public:
  // Throws Error if the file cannot be read, is no spool, or was written by a newer version.
  explicit SpoolReader(const std::filesystem::path& file);
  ~SpoolReader();
  SpoolReader(const SpoolReader&) = delete;
  SpoolReader& operator=(const SpoolReader&) = delete;

  // False at the end.
  bool Next(Block* block);
  void Rewind();
  // Reads a block again that Next gave.
  bool Again(std::uint64_t offset, Block* block);

  std::uint64_t bytes() const { return bytes_; }
  // After the last block: how many bytes follow that are no whole block, and where they begin.
  std::uint64_t torn_bytes() const { return bytes_ - offset_; }
  std::uint64_t sound_bytes() const { return offset_; }
  std::uint64_t blocks() const { return sequence_; }

 private:
  bool ReadBlock(std::uint64_t offset, BlockHead* head, Block* block);
  bool Read(std::uint64_t offset, void* to, std::size_t bytes) const;

  int fd_ = -1;
  std::uint64_t bytes_ = 0;   // Of the file when it was opened: it may still grow.
  std::uint64_t offset_ = 0;  // Of the next block.
  std::uint64_t sequence_ = 0;
  std::vector<char> content_;
};

}  // namespace xsp::live
