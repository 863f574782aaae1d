#include "cli/terminal/result_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file_in_progress.h"
#include "cli/terminal/signals.h"

namespace xsp {
namespace fs = std::filesystem;
namespace {

// Files that the command reads.
std::vector<fs::path>& Inputs() {
  static std::vector<fs::path> inputs;
  return inputs;
}

// Files that are about to be written.
std::vector<fs::path>& Claimed() {
  static std::vector<fs::path> claimed;
  return claimed;
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

// A file of a stored trace, or of one in a folder of them. What else lies there, an earlier result,
// may be replaced.
bool IsPartOf(const fs::path& input, const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_directory(input, ignored) || !fs::exists(file, ignored)) return false;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!fs::exists(folder / "manifest.json", ignored)) return false;
  const fs::path above = fs::weakly_canonical(input, ignored);
  const fs::path whole = fs::weakly_canonical(folder, ignored);
  return std::mismatch(above.begin(), above.end(), whole.begin(), whole.end()).first == above.end();
}

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
      throw CannotWriteTo(name, errno);
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
    if (fd_ < 0) throw CannotWriteTo(file_, errno);
    return;
  }
  if (fs::is_symlink(file_, ignored)) file_ = fs::weakly_canonical(file_, ignored);
  const fs::path folder = file_.has_parent_path() ? file_.parent_path() : ".";
  if (access(folder.c_str(), W_OK | X_OK) != 0) throw CannotWriteTo(file_, errno);
  const fs::path name = fs::weakly_canonical(fs::absolute(file_, ignored), ignored);
  if (std::find(Claimed().begin(), Claimed().end(), name) != Claimed().end()) {
    throw Error("two results would go to " + file_.string(), "give each a file of its own");
  }
  Claimed().push_back(name);
  claimed_ = name;
}

ResultFile::ResultFile(ResultFile&& other) noexcept
    : file_(std::move(other.file_)),
      claimed_(std::exchange(other.claimed_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

ResultFile::~ResultFile() {
  if (fd_ >= 0) close(fd_);
  if (!claimed_.empty()) std::erase(Claimed(), claimed_);
}

void ResultFile::CheckIsNoInput() const {
  for (const fs::path& input : Inputs()) {
    std::error_code ignored;
    if (IsPartOf(input, file_) || fs::equivalent(input, file_, ignored)) {
      throw Error("cannot write to " + file_.string() + ": it is what this command reads",
                  "give another file to --output or --write");
    }
  }
}

void ResultFile::Commit(std::string_view content) {
  CheckIsNoInput();
  Replace(content);
}

void ResultFile::CommitPieces(const std::function<void(const ByteSink&)>& write) {
  CheckIsNoInput();
  WritePieces(write);
}

void ResultFile::Replace(std::string_view content) {
  WritePieces([&](const ByteSink& sink) { sink(content); });
}

void ResultFile::WritePieces(const std::function<void(const ByteSink&)>& write) {
  if (fd_ >= 0) {
    write([&](std::string_view piece) { WriteAll(fd_, piece, file_.string()); });
    if (close(std::exchange(fd_, -1)) != 0) throw CannotWriteTo(file_, errno);
    return;
  }
  FileInProgress part(file_);
  CopyAccess(part.fd(), file_);
  write([&](std::string_view piece) { part.Write(piece); });
  part.Publish();
}

}  // namespace xsp
