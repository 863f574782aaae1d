#include "store/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file_in_progress.h"

namespace xsp {

Error CannotWrite(const std::filesystem::path& path, int error_number) {
  return Error("cannot write " + path.string() + ": " + std::strerror(error_number),
               "choose another place with -o DIR");
}

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path), fd_(OpenNewFile(path)) {
  if (fd_ < 0) throw CannotWrite(path_, errno);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
}

int OutputFile::Write(const void* data, std::size_t bytes) {
  if (const int error = WriteBytes(fd_, {static_cast<const char*>(data), bytes})) return error;
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
