#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "live/spool/session.h"

namespace xsp::live {

// The memory that `xsp live` shares with what it records (session.h), seen from its own side. It
// has no name in any file system: it goes away with whoever uses it.
class SharedSession {
 public:
  // `most_spool_bytes` limits the spools of all processes together. Throws Error if there is no
  // memory to share.
  explicit SharedSession(std::uint64_t most_spool_bytes);
  ~SharedSession();
  SharedSession(const SharedSession&) = delete;
  SharedSession& operator=(const SharedSession&) = delete;

  // The file by which processes open it (kEnvSession).
  std::string file() const;

  struct Progress {
    std::uint64_t kept = 0;
    std::uint64_t dropped = 0;
    std::uint64_t spool_bytes = 0;
    std::uint32_t processes = 0;
    int error = 0;  // errno of a process that could not record at all; 0: none.
  };
  Progress Look() const;

  // From now on nobody records any more: what processes do that outlive the program is seen by
  // nobody. The number of those.
  std::uint32_t End();

  // Adds what processes that are gone left in memory to their spools in `folder`, and makes room
  // for others. What still runs is left alone. Throws Error if a spool cannot be written.
  void CollectFrom(const std::filesystem::path& folder);

 private:
  void Collect(Region& region, const std::filesystem::path& file);

  bool Map(std::size_t bytes);

  int fd_ = -1;
  std::size_t bytes_ = 0;
  Session* session_ = nullptr;
};

}  // namespace xsp::live
