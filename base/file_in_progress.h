#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/interrupt.h"

namespace xsp {

// A file that appears as a whole or not at all: it is written under a temporary name beside its
// own, and goes away unless it is published. All throw Error: "cannot write to FILE: ...".
class FileInProgress {
 public:
  explicit FileInProgress(const std::filesystem::path& file);
  ~FileInProgress();
  FileInProgress(const FileInProgress&) = delete;
  FileInProgress& operator=(const FileInProgress&) = delete;

  int fd() const { return fd_; }

  void Write(std::string_view content);

  // Gives the file its own name; what had it is gone. Whoever can lose the file to a power cut, or
  // sees by its content that it is torn, need not wait for the disk.
  enum class Wait { kForDisk, kNo };
  void Publish(Wait wait = Wait::kForDisk);

 private:
  const UnfinishedWork unfinished_;
  std::filesystem::path file_;
  std::filesystem::path hidden_;  // Empty once published.
  int fd_ = -1;
};

// A new file to write to, never one that is there: what lies there may be a link that somebody
// planted. -1 with errno where that cannot be.
int OpenNewFile(const std::filesystem::path& file);

// Writes all bytes to a file. Returns 0, or the errno of what went wrong.
[[nodiscard]] int WriteBytes(int fd, std::string_view bytes);

// "cannot write to FILE: no space left", by errno.
Error CannotWriteTo(const std::filesystem::path& file, int error_number);

// Makes what was renamed or made in this folder last. Not every file system can; none is worse off.
void FlushFolder(const std::filesystem::path& folder);

}  // namespace xsp
