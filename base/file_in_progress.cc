#include "base/file_in_progress.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace xsp {
namespace fs = std::filesystem;

FileInProgress::FileInProgress(const fs::path& file) : file_(file) {
  for (int number = 0; fd_ < 0 && number < 100; ++number) {
    hidden_ = file_;
    // The ending stays: it tells others what the file is.
    hidden_.replace_filename(".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(number) +
                             "-" + file_.filename().string());
    fd_ = OpenNewFile(hidden_);
    if (fd_ < 0 && errno != EEXIST) break;
  }
  if (fd_ < 0) throw CannotWriteTo(file_, errno);
}

FileInProgress::~FileInProgress() {
  if (fd_ >= 0) ::close(fd_);
  if (!hidden_.empty()) ::unlink(hidden_.c_str());
}

void FileInProgress::Write(std::string_view content) {
  if (const int error = WriteBytes(fd_, content)) throw CannotWriteTo(file_, error);
}

void FileInProgress::Publish(Wait wait) {
  const bool to_disk = wait == Wait::kForDisk;
  if ((to_disk && ::fsync(fd_) != 0) || ::close(std::exchange(fd_, -1)) != 0 ||
      std::rename(hidden_.c_str(), file_.c_str()) != 0) {
    throw CannotWriteTo(file_, errno);
  }
  hidden_.clear();
  if (to_disk) FlushFolder(file_.has_parent_path() ? file_.parent_path() : ".");
}

int OpenNewFile(const fs::path& file) {
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int WriteBytes(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ::ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return 0;
}

Error CannotWriteTo(const fs::path& file, int error_number) {
  return Error("cannot write to " + file.string() + ": " + std::strerror(error_number));
}

void FlushFolder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace xsp
