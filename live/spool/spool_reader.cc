#include "live/spool/spool_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "base/error.h"

namespace xsp::live {
namespace {

// No block comes near this: a size beyond it is damage.
constexpr std::uint64_t kLargestBlock = std::uint64_t{256} << 20;

bool HasMagic(const FileHead& head) {
  return std::memcmp(head.magic, kSpoolMagic, sizeof kSpoolMagic) == 0;
}

}  // namespace

bool IsSpool(const std::filesystem::path& file) {
  FileHead head = {};
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(&head), sizeof head);
  return in && HasMagic(head);
}

SpoolReader::SpoolReader(const std::filesystem::path& file) {
  fd_ = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts = {};
  if (fd_ < 0 || fstat(fd_, &facts) != 0) {
    const int error = errno;
    if (fd_ >= 0) close(fd_);
    throw Error(file.string() + ": " + std::strerror(error));
  }
  bytes_ = static_cast<std::uint64_t>(facts.st_size);
  FileHead head = {};
  if (!Read(0, &head, sizeof head) || !HasMagic(head)) {
    close(fd_);
    throw Error(file.string() + ": not a spool of xsp live");
  }
  if (head.major != kSpoolMajor) {
    close(fd_);
    throw Error(file.string() + ": a spool of version " + std::to_string(head.major) +
                    ", this xsp reads version " + std::to_string(kSpoolMajor),
                "convert it with the xsp that recorded it");
  }
  Rewind();
}

SpoolReader::~SpoolReader() { close(fd_); }

void SpoolReader::Rewind() {
  offset_ = sizeof(FileHead);
  sequence_ = 0;
}

bool SpoolReader::Read(std::uint64_t offset, void* to, std::size_t bytes) const {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = pread(fd_, at, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool SpoolReader::ReadBlock(std::uint64_t offset, BlockHead* head, Block* block) {
  if (offset > bytes_ || bytes_ - offset < sizeof *head || !Read(offset, head, sizeof *head)) {
    return false;
  }
  const std::uint64_t room = bytes_ - offset - sizeof *head;
  const bool plausible = head->magic == kBlockMagic && head->body_bytes <= kLargestBlock &&
                         head->front_bytes <= kLargestBlock &&
                         head->front_bytes + head->body_bytes <= room;
  if (!plausible) return false;
  content_.resize(head->front_bytes + head->body_bytes);
  if (!Read(offset + sizeof *head, content_.data(), content_.size())) return false;
  const char* body = content_.data() + head->front_bytes;
  if (ChecksumOf(*head, content_.data(), body) != head->checksum) return false;
  *block = {head->type, offset, {content_.data(), head->front_bytes}, {body, head->body_bytes}};
  return true;
}

bool SpoolReader::Next(Block* block) {
  BlockHead head = {};
  if (!ReadBlock(offset_, &head, block) || head.sequence != sequence_) return false;
  offset_ += sizeof head + content_.size();
  ++sequence_;
  return true;
}

bool SpoolReader::Again(std::uint64_t offset, Block* block) {
  BlockHead head = {};
  return ReadBlock(offset, &head, block);
}

}  // namespace xsp::live
