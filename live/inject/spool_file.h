#pragma once

#include <cstddef>
#include <cstdint>

#include "live/inject/settings.h"
#include "live/spool/format.h"
#include "live/spool/session.h"

namespace xsp::inject {

// The file that blocks are appended to. Used by one thread at a time. Whatever goes wrong, the file
// stays a sound spool: a block that could not be written whole is cut off again.
class SpoolFile {
 public:
  // What a block is worth. Blocks of the second kind are small, and are written also when the limit
  // is reached or the disk is nearly full: they say what is missing.
  enum class Worth { kData, kVital };

  // Makes a new file in the folder, and the folder itself where no `xsp live` did. `name` (at least
  // 120 bytes) becomes its name without the folder. 0, or errno. `session` may be null.
  int Open(const Settings& settings, const char* program, char* name, live::SessionHead* session);

  // Appends a block. False: it was refused or could not be written; the caller counts what is lost.
  bool Append(live::BlockType type, const void* front, std::size_t front_bytes, const void* body,
              std::size_t body_bytes, Worth worth = Worth::kData);

  // Until the next block no number is taken, where the program may have few files open at a time.
  void Rest();

  // Also in a forked child, where the file is the parent's: closing there changes nothing for it. A
  // number that the program has given to a file of its own is left alone.
  void Close();

  // Whether the file was removed: nobody will ever read it.
  bool is_gone() const { return is_gone_; }

  int last_error() const { return last_error_; }

 private:
  void LetGo();
  bool IsOurs(int fd);
  bool IsStillOurs();
  bool MayGrow(std::uint64_t bytes);
  bool DiskIsNearlyFull(std::uint64_t bytes);
  bool WriteAll(const live::BlockHead& head, const void* front, const void* body);

  int fd_ = -1;
  int last_error_ = 0;
  bool is_gone_ = false;
  char path_[kLongestPath + 128] = {};  // Empty: closed for good.
  std::uint64_t device_ = 0;            // Which file it is: see IsStillOurs.
  std::uint64_t inode_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t most_bytes_ = 0;
  live::SessionHead* session_ = nullptr;
  // How much may be written before the disk is looked at again.
  std::uint64_t allowance_ = 0;
  std::uint64_t refused_until_ns_ = 0;
};

// CLOCK_MONOTONIC in nanoseconds.
std::uint64_t NowNs();

}  // namespace xsp::inject
