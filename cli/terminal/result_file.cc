#include "cli/terminal/result_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "cli/terminal/signals.h"
#include "model/error.h"
#include "model/interrupt.h"

namespace xsp {
namespace fs = std::filesystem;
namespace {

// Files that the command reads.
std::vector<fs::path>& Inputs() {
  static std::vector<fs::path> inputs;
  return inputs;
}

[[noreturn]] void Fail(const std::string& name, int error) {
  throw Error("cannot write to " + name + ": " + std::strerror(error));
}

// A file that is replaced keeps who may read it; a new one is for no more readers than what it was
// made from.
void CopyAccess(int fd, const fs::path& file) {
  struct stat facts = {};
  mode_t mode = 0;
  if (stat(file.c_str(), &facts) == 0) {
    mode = facts.st_mode & 07777;
  } else {
    if (fstat(fd, &facts) != 0) return;
    mode = facts.st_mode & 07777;
    for (const fs::path& input : Inputs()) {
      const bool is_file = stat(input.c_str(), &facts) == 0;
      if (is_file) mode &= facts.st_mode | S_IRUSR | S_IWUSR;
    }
  }
  fchmod(fd, mode);  // Where a file system has no modes, nothing is lost.
}

// The content under a temporary name; goes away unless it gets its own.
class PartialFile {
 public:
  explicit PartialFile(const fs::path& file) : file_(file) {
    // A name that nobody has: what lies there may be a link that somebody planted.
    for (int number = 0; fd_ < 0 && number < 100; ++number) {
      name_ = file_;
      name_ += ".part-" + std::to_string(getpid()) + "-" + std::to_string(number);
      fd_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (fd_ < 0 && errno != EEXIST) break;
    }
    if (fd_ < 0) Fail(file_.string(), errno);
  }
  ~PartialFile() {
    if (fd_ >= 0) close(fd_);
    if (!name_.empty()) unlink(name_.c_str());
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  int fd() const { return fd_; }

  void Rename() {
    if (close(std::exchange(fd_, -1)) != 0) Fail(file_.string(), errno);
    if (rename(name_.c_str(), file_.c_str()) != 0) Fail(file_.string(), errno);
    name_.clear();
  }

 private:
  const UnfinishedWork unfinished_;
  const fs::path& file_;
  fs::path name_;
  int fd_ = -1;
};

}  // namespace

void ProtectInput(const fs::path& file) { Inputs().push_back(file); }

void WriteAll(int fd, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EPIPE) {
      throw BrokenPipe();
    } else if (errno == EINTR) {
      ThrowIfInterrupted();
    } else {
      Fail(name, errno);
    }
  }
}

ResultFile::ResultFile(fs::path file) : file_(std::move(file)) {
  std::error_code ignored;
  const fs::file_status status = fs::status(file_, ignored);
  if (fs::is_directory(status))
    throw Error("cannot write to " + file_.string() + ": it is a folder");
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    fd_ = open(file_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) Fail(file_.string(), errno);
    return;
  }
  if (fs::is_symlink(file_, ignored)) file_ = fs::weakly_canonical(file_, ignored);
  const fs::path folder = file_.has_parent_path() ? file_.parent_path() : ".";
  if (access(folder.c_str(), W_OK | X_OK) != 0) Fail(file_.string(), errno);
}

ResultFile::ResultFile(ResultFile&& other) noexcept
    : file_(std::move(other.file_)), fd_(std::exchange(other.fd_, -1)) {}

ResultFile::~ResultFile() {
  if (fd_ >= 0) close(fd_);
}

void ResultFile::Commit(std::string_view content) {
  for (const fs::path& input : Inputs()) {
    std::error_code ignored;
    if (fs::equivalent(input, file_, ignored)) {
      throw Error("cannot write to " + file_.string() + ": it is what this command reads",
                  "give another file to --output or --write");
    }
  }
  if (fd_ < 0) return WriteBeside(content);
  WriteAll(fd_, content, file_.string());
  if (close(std::exchange(fd_, -1)) != 0) Fail(file_.string(), errno);
}

void ResultFile::WriteBeside(std::string_view content) const {
  PartialFile part(file_);
  CopyAccess(part.fd(), file_);
  WriteAll(part.fd(), content, file_.string());
  part.Rename();
}

}  // namespace xsp
