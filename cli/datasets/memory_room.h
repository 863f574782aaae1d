#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>

namespace xsp {

// Memory that several who work at once share: whoever would need more than is left waits until
// others have finished; a single one that needs more than there is works alone.
class MemoryRoom {
 public:
  explicit MemoryRoom(std::uint64_t bytes) : left_(bytes), all_(bytes) {}

  // A part of the room, as long as it lives.
  class Part {
   public:
    Part(MemoryRoom& room, std::uint64_t bytes);
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

   private:
    MemoryRoom& room_;
    std::uint64_t bytes_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t left_;
  std::uint64_t all_;
};

// The size of a file; 0 where it cannot be told.
std::uint64_t BytesOf(const std::filesystem::path& file);

// Half of what the machine (or this process' control group) has.
std::uint64_t MemoryForImports();
// What importing a file takes, from what was measured on real ones.
std::uint64_t MemoryToImport(const std::filesystem::path& file);
// What its stored trace takes on disk, roughly.
std::uint64_t DiskToStore(const std::filesystem::path& file);

}  // namespace xsp
