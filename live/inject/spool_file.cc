#include "live/inject/spool_file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace xsp::inject {
namespace {

using namespace live;

// A full disk would harm the program itself: so much is left free, at most.
constexpr std::uint64_t kMostReserve = std::uint64_t{512} << 20;
// The disk is looked at after every so many bytes.
constexpr std::uint64_t kBetweenLooks = 16 << 20;
// After a refusal, the next attempt comes this much later: space may have been made.
constexpr std::uint64_t kRetryNs = 1'000'000'000;

// Characters of a program's name that a file name may have; others become '_'.
bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

// How many files the program may have open.
std::uint64_t MostFiles() {
  rlimit limit;
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : ~std::uint64_t{0};
}

// The same file under a number that the program would not get soon: many count on the next one. 0
// to 2, where the program was started without them, would take what it prints for records.
int Aside(int fd) {
  constexpr int kFarAway = 500;
  if (fd < 0) return fd;
  const int least = MostFiles() > 2 * kFarAway ? kFarAway : STDERR_FILENO + 1;
  const int aside = fcntl(fd, F_DUPFD_CLOEXEC, least);
  const int error = errno;
  if (aside < 0 && fd > STDERR_FILENO) return fd;
  close(fd);
  errno = error;
  return aside;
}

}  // namespace

std::uint64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

int SpoolFile::Open(const Settings& settings, const char* program, char* name,
                    SessionHead* session) {
  char plain[48];
  std::size_t length = 0;
  for (; program[length] != '\0' && length + 1 < sizeof plain; ++length) {
    plain[length] = IsPlain(program[length]) ? program[length] : '_';
  }
  plain[length] = '\0';
  if (settings.session[0] == '\0') mkdir(settings.folder, 0777);
  // The same process id comes again after exec.
  constexpr int kMostImages = 10'000;
  for (int image = 0; image < kMostImages; ++image) {
    std::snprintf(name, 120, "%s-%d-%d.spool", plain, static_cast<int>(getpid()), image);
    std::snprintf(path_, sizeof path_, "%s/%s", settings.folder, name);
    fd_ = Aside(open(path_, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666));
    if (fd_ >= 0 || errno != EEXIST) break;
  }
  if (fd_ < 0) {
    path_[0] = '\0';
    return last_error_ = errno;
  }
  is_gone_ = false;
  struct stat facts;
  if (fstat(fd_, &facts) == 0) {
    device_ = facts.st_dev;
    inode_ = facts.st_ino;
  }

  session_ = session;
  most_bytes_ = settings.most_bytes;
  size_ = sequence_ = allowance_ = refused_until_ns_ = 0;
  FileHead head = {};
  std::memcpy(head.magic, kSpoolMagic, sizeof head.magic);
  head.major = kSpoolMajor;
  head.minor = kSpoolMinor;
  if (write(fd_, &head, sizeof head) != static_cast<ssize_t>(sizeof head)) {
    last_error_ = errno != 0 ? errno : EIO;
    Close();
    return last_error_;
  }
  size_ = sizeof head;
  return last_error_ = 0;
}

// A program may close all files that it does not know, as daemons do, and open its own under the
// same numbers.
bool SpoolFile::IsOurs(int fd) {
  struct stat facts;
  if (fstat(fd, &facts) != 0 || facts.st_dev != device_ || facts.st_ino != inode_) return false;
  is_gone_ |= facts.st_nlink == 0;
  return true;
}

// Writing to a file of the program's would destroy its data. So the file is looked at before each
// block, and found again by its name if the program closed it, or Rest did.
bool SpoolFile::IsStillOurs() {
  if (path_[0] == '\0') return false;
  if (!IsOurs(fd_)) {
    fd_ = Aside(open(path_, O_WRONLY | O_APPEND | O_CLOEXEC));
    if (fd_ < 0) {
      last_error_ = errno;
      is_gone_ = errno == ENOENT;
      return false;
    }
    if (!IsOurs(fd_)) {
      close(fd_);
      fd_ = -1;
      last_error_ = EBADF;
      return false;
    }
  }
  if (!is_gone_) return true;
  last_error_ = ENOENT;
  Close();
  return false;
}

bool SpoolFile::DiskIsNearlyFull(std::uint64_t bytes) {
  if (allowance_ >= bytes) {
    allowance_ -= bytes;
    return false;
  }
  struct statvfs disk;
  if (fstatvfs(fd_, &disk) != 0) return false;  // Then writing will tell.
  const std::uint64_t total = std::uint64_t{disk.f_blocks} * disk.f_frsize;
  const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  const std::uint64_t reserve = total / 20 < kMostReserve ? total / 20 : kMostReserve;
  if (free < reserve + bytes) {
    last_error_ = ENOSPC;
    return true;
  }
  const std::uint64_t room = free - reserve - bytes;
  allowance_ = room < kBetweenLooks ? room : kBetweenLooks;
  return false;
}

// Whether a block of data may be written: within the user's limit, and with room on the disk.
bool SpoolFile::MayGrow(std::uint64_t bytes) {
  if (refused_until_ns_ != 0) {
    if (NowNs() < refused_until_ns_) return false;
    refused_until_ns_ = 0;
  }
  const bool within = session_ == nullptr
                          ? size_ + bytes <= most_bytes_
                          : session_->spool_bytes.load(std::memory_order_relaxed) + bytes <=
                                session_->most_spool_bytes;
  if (!within) return false;
  if (DiskIsNearlyFull(bytes)) {
    refused_until_ns_ = NowNs() + kRetryNs;
    return false;
  }
  return true;
}

bool SpoolFile::WriteAll(const BlockHead& head, const void* front, const void* body) {
  iovec parts[3] = {{const_cast<BlockHead*>(&head), sizeof head},
                    {const_cast<void*>(front), head.front_bytes},
                    {const_cast<void*>(body), head.body_bytes}};
  iovec* part = parts;
  int count = 3;
  while (count > 0) {
    const ssize_t written = writev(fd_, part, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      last_error_ = written < 0 ? errno : EIO;
      return false;
    }
    auto done = static_cast<std::size_t>(written);
    while (count > 0 && done >= part->iov_len) {
      done -= part->iov_len;
      ++part;
      --count;
    }
    if (count > 0) {
      part->iov_base = static_cast<char*>(part->iov_base) + done;
      part->iov_len -= done;
    }
  }
  return true;
}

bool SpoolFile::Append(BlockType type, const void* front, std::size_t front_bytes, const void* body,
                       std::size_t body_bytes, Worth worth) {
  if (!IsStillOurs()) return false;
  const std::uint64_t bytes = sizeof(BlockHead) + front_bytes + body_bytes;
  if (worth == Worth::kData && !MayGrow(bytes)) return false;
  BlockHead head = {};
  head.magic = kBlockMagic;
  head.type = type;
  head.front_bytes = static_cast<std::uint32_t>(front_bytes);
  head.body_bytes = body_bytes;
  head.sequence = sequence_;
  head.checksum = ChecksumOf(head, front, body);
  if (!WriteAll(head, front, body)) {
    // What was written of it must go, or nothing behind it could be found.
    if (ftruncate(fd_, static_cast<off_t>(size_)) != 0) Close();
    refused_until_ns_ = NowNs() + kRetryNs;
    allowance_ = 0;
    return false;
  }
  size_ += bytes;
  ++sequence_;
  if (session_ != nullptr) session_->spool_bytes.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

void SpoolFile::Rest() {
  constexpr std::uint64_t kFew = 256;
  if (MostFiles() < kFew) LetGo();
}

void SpoolFile::Close() {
  LetGo();
  path_[0] = '\0';
}

void SpoolFile::LetGo() {
  if (fd_ >= 0 && IsOurs(fd_)) close(fd_);
  fd_ = -1;
}

}  // namespace xsp::inject
