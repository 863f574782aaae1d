#include "store/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace xsp {

Error CannotWrite(const std::filesystem::path& path, int error_number) {
  return Error("cannot write " + path.string() + ": " + std::strerror(error_number),
               "choose another place with -o DIR");
}

OutputFile::OutputFile(const std::filesystem::path& path)
    : path_(path),
      fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)) {
  if (fd_ < 0) throw CannotWrite(path_, errno);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

int OutputFile::Write(const void* data, std::size_t bytes) {
  const auto* at = static_cast<const char*>(data);
  for (std::size_t left = bytes; left > 0;) {
    const ::ssize_t done = ::write(fd_, at, left);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return done < 0 ? errno : ENOSPC;
    at += done;
    left -= static_cast<std::size_t>(done);
  }
  sha_.Add(data, bytes);
  bytes_ += bytes;
  return 0;
}

StoredFile OutputFile::Finish() {
  if (::fsync(fd_) != 0) throw CannotWrite(path_, errno);
  if (::close(std::exchange(fd_, -1)) != 0) throw CannotWrite(path_, errno);
  return {bytes_, sha_.Finish()};
}

}  // namespace xsp
