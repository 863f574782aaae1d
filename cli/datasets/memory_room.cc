#include "cli/datasets/memory_room.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

namespace xsp {
namespace {

namespace fs = std::filesystem;

// Compressed JSON unpacks to about fifteen times its size.
bool IsCompressed(const fs::path& file) { return file.extension() == ".gz"; }

// The limit of the control group; none: the largest number.
std::uint64_t GroupLimit() {
  std::ifstream in("/sys/fs/cgroup/memory.max");
  std::uint64_t limit = 0;
  return in >> limit ? limit : ~std::uint64_t{0};
}

}  // namespace

MemoryRoom::Part::Part(MemoryRoom& room, std::uint64_t bytes)
    : room_(room), bytes_(std::min(bytes, room.all_)) {
  std::unique_lock lock(room_.mutex_);
  room_.changed_.wait(lock, [&] { return room_.left_ >= bytes_; });
  room_.left_ -= bytes_;
}

MemoryRoom::Part::~Part() {
  {
    const std::lock_guard lock(room_.mutex_);
    room_.left_ += bytes_;
  }
  room_.changed_.notify_all();
}

std::uint64_t BytesOf(const fs::path& file) {
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(file, error);
  return error ? 0 : bytes;
}

std::uint64_t MemoryForImports() {
  struct sysinfo machine = {};
  if (::sysinfo(&machine) != 0) return std::uint64_t{1} << 30;
  const std::uint64_t all = std::uint64_t{machine.totalram} * machine.mem_unit;
  return std::min(all, GroupLimit()) / 2;
}

std::uint64_t MemoryToImport(const fs::path& file) {
  constexpr std::uint64_t kProgram = 64 << 20;
  return kProgram + BytesOf(file) * (IsCompressed(file) ? 30 : 3);
}

std::uint64_t DiskToStore(const fs::path& file) {
  constexpr std::uint64_t kSmallest = 64 << 10;
  return kSmallest + (IsCompressed(file) ? BytesOf(file) : BytesOf(file) / 8);
}

}  // namespace xsp
