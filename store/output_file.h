#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/error.h"
#include "base/interrupt.h"
#include "store/checksum.h"
#include "store/stored_trace.h"

namespace xsp {

// A new file that is written from front to back and hashed on the way.
class OutputFile {
 public:
  // Throws Error if the file exists or cannot be made.
  explicit OutputFile(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Writes all bytes. Returns 0, or the errno of what went wrong.
  [[nodiscard]] int Write(const void* data, std::size_t bytes);

  std::uint64_t bytes() const { return bytes_; }

  // Makes sure that the content is on disk, and closes. Throws Error.
  StoredFile Finish();

 private:
  UnfinishedWork unfinished_;
  std::filesystem::path path_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
  Sha256 sha_;
};

// What to tell about a file that cannot be written.
Error CannotWrite(const std::filesystem::path& path, int error_number);

}  // namespace xsp
