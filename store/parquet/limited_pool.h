#pragma once

#include <arrow/memory_pool.h>
#include <arrow/status.h>

#include <atomic>
#include <cstdint>
#include <string>

// Heavy: includes Arrow. For what reads Parquet files only.
namespace xsp {

// What a file may unfold to. Rows that are all alike take a few bits each in a sound file, texts
// compress a dozen times; a file made to hurt promises billions in a few kB.
inline std::uint64_t MostRows(std::uint64_t file_bytes) { return (1 << 20) + 256 * file_bytes; }
inline std::uint64_t MostBytes(std::uint64_t file_bytes) { return (64 << 20) + 256 * file_bytes; }

// Memory for pages being unpacked, up to a limit: their headers say what they ask for.
class LimitedPool : public arrow::MemoryPool {
 public:
  explicit LimitedPool(std::uint64_t most) : most_(static_cast<std::int64_t>(most)) {}

  arrow::Status Allocate(std::int64_t size, std::int64_t alignment, std::uint8_t** out) override {
    ARROW_RETURN_NOT_OK(CheckRoom(size));
    return below_->Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(std::int64_t old_size, std::int64_t new_size, std::int64_t alignment,
                           std::uint8_t** pointer) override {
    ARROW_RETURN_NOT_OK(CheckRoom(new_size - old_size));
    return below_->Reallocate(old_size, new_size, alignment, pointer);
  }
  void Free(std::uint8_t* buffer, std::int64_t size, std::int64_t alignment) override {
    used_ -= size;
    below_->Free(buffer, size, alignment);
  }
  std::int64_t bytes_allocated() const override { return used_; }
  std::int64_t total_bytes_allocated() const override { return used_; }
  std::int64_t num_allocations() const override { return 0; }
  std::string backend_name() const override { return below_->backend_name(); }

 private:
  arrow::Status CheckRoom(std::int64_t more) {
    if ((used_ += more) <= most_) return arrow::Status::OK();
    used_ -= more;
    return arrow::Status::OutOfMemory("it unfolds to more than a file of its size can hold");
  }

  arrow::MemoryPool* below_ = arrow::default_memory_pool();
  std::atomic<std::int64_t> used_ = 0;
  const std::int64_t most_;
};

}  // namespace xsp
