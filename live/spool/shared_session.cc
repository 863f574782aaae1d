#include "live/spool/shared_session.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.h"
#include "live/spool/spool_reader.h"

namespace xsp::live {
namespace {

// Whether the process that has a region is still there. A number says that only where both count
// processes alike: in a container there is another one under it, or none.
bool IsAlive(Region& region) {
  const std::uint32_t pid = region.owner;
  if (pid == 0) return false;
  if (region.pid_namespace == OwnPidNamespace()) {
    return kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
  }
  if (region.is_held == 0) return true;  // It has just begun.
  const int held = pthread_mutex_trylock(&region.alive);
  if (held == EOWNERDEAD) pthread_mutex_consistent(&region.alive);
  if (held == 0 || held == EOWNERDEAD) pthread_mutex_unlock(&region.alive);
  return held == EBUSY;
}

// Appends blocks to a spool that its process no longer writes.
class SpoolAppender {
 public:
  SpoolAppender(const std::filesystem::path& file, const SpoolReader& from)
      : file_(file), sequence_(from.blocks()) {
    fd_ = open(file.c_str(), O_WRONLY | O_CLOEXEC);
    // A torn last block would hide what comes behind it.
    if (fd_ < 0 || ftruncate(fd_, static_cast<off_t>(from.sound_bytes())) != 0 ||
        lseek(fd_, 0, SEEK_END) < 0) {
      Fail();
    }
  }
  ~SpoolAppender() {
    if (fd_ >= 0) close(fd_);
  }
  SpoolAppender(const SpoolAppender&) = delete;
  SpoolAppender& operator=(const SpoolAppender&) = delete;

  template <class Front>
  void Append(BlockType type, const Front& front, const void* body, std::size_t body_bytes) {
    BlockHead head = {};
    head.magic = kBlockMagic;
    head.type = type;
    head.front_bytes = sizeof front;
    head.body_bytes = body_bytes;
    head.sequence = sequence_++;
    head.checksum = ChecksumOf(head, &front, body);
    Write(&head, sizeof head);
    Write(&front, sizeof front);
    Write(body, body_bytes);
  }

 private:
  void Write(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t written = write(fd_, at, bytes);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) Fail();
      at += written;
      bytes -= static_cast<std::size_t>(written);
    }
  }
  [[noreturn]] void Fail() {
    const int error = errno;
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
    throw Error("cannot add to " + file_.string() + ": " + std::strerror(error));
  }

  std::filesystem::path file_;
  std::uint64_t sequence_;
  int fd_ = -1;
};

}  // namespace

bool SharedSession::Map(std::size_t bytes) {
  if (ftruncate(fd_, static_cast<off_t>(bytes)) != 0) return false;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (memory == MAP_FAILED) return false;
  session_ = static_cast<Session*>(memory);
  bytes_ = bytes;
  return true;
}

SharedSession::SharedSession(std::uint64_t most_spool_bytes) {
  fd_ = memfd_create("xsp-live", MFD_CLOEXEC);
  // A limit on the size of files or of memory (ulimit) leaves room for the head alone. Threads then
  // write into memory of their own process, and what a killed one had not written yet is lost.
  const bool whole = fd_ >= 0 && Map(sizeof(Session));
  if (!whole && (fd_ < 0 || !Map(offsetof(Session, regions)))) {
    const int error = errno;
    if (fd_ >= 0) close(fd_);
    throw Error(std::string("no memory to share with the program: ") + std::strerror(error));
  }
  session_->head.region_bytes = sizeof(Region);
  session_->head.regions = whole ? kRegions : 0;
  session_->head.most_spool_bytes = most_spool_bytes;
  session_->head.magic = kSessionMagic;
}

SharedSession::~SharedSession() {
  munmap(session_, bytes_);
  close(fd_);
}

std::string SharedSession::file() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd_);
}

SharedSession::Progress SharedSession::Look() const {
  const SessionHead& head = session_->head;
  return {head.kept, head.dropped, head.spool_bytes, head.processes,
          static_cast<int>(head.failed.load())};
}

std::uint32_t SharedSession::End() {
  session_->head.is_over = 1;
  std::uint32_t alive = 0;
  for (std::uint32_t i = 0; i < session_->head.regions; ++i) {
    Region& region = session_->regions[i];
    if (region.owner == 0 && region.ever_used == 0) break;
    alive += IsAlive(region) ? 1 : 0;
  }
  return alive;
}

void SharedSession::CollectFrom(const std::filesystem::path& folder) {
  for (std::uint32_t i = 0; i < session_->head.regions; ++i) {
    Region& region = session_->regions[i];
    const bool is_free = region.owner == 0;
    // Regions are taken in order: behind the first that nobody ever had, there is nothing.
    if (is_free && region.ever_used == 0) break;
    if (is_free || IsAlive(region)) continue;
    region.spool[sizeof region.spool - 1] = '\0';
    const std::filesystem::path file = folder / region.spool;
    if (region.spool[0] != '\0' && IsSpool(file)) Collect(region, file);
    // Gives the memory back: the next process finds it empty, and free.
    const auto offset =
        static_cast<off_t>(reinterpret_cast<char*>(&region) - reinterpret_cast<char*>(session_));
    if (fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, sizeof(Region)) == 0) {
      region.ever_used = 1;
    }
  }
}

void SharedSession::Collect(Region& region, const std::filesystem::path& file) {
  SpoolReader reader(file);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> written;  // (chunk, use) -> end.
  bool closed = false;
  Block block;
  while (reader.Next(&block)) {
    if (block.type == BlockType::kCounts)
      closed = block.FrontAs<CountsFront>().closed != Closing::kOpen;
    if (block.type != BlockType::kHostEvents) continue;
    const auto front = block.FrontAs<HostEventsFront>();
    std::uint32_t& end = written[{front.chunk, front.use}];
    end =
        std::max<std::uint32_t>(end, front.offset + static_cast<std::uint32_t>(block.body.size()));
  }
  if (closed) return;
  SpoolAppender appender(file, reader);
  const std::uint32_t used = std::min(region.chunks_used.load(), kChunks);
  for (std::uint32_t i = 0; i < used; ++i) {
    const Chunk& chunk = region.chunks[i];
    if (chunk.state == ChunkState::kFree) continue;
    const std::uint32_t begin = written[{i, chunk.use}];
    const std::uint32_t end = std::min(chunk.committed.load(), kChunkCapacity);
    if (begin >= end) continue;
    appender.Append(BlockType::kHostEvents, HostEventsFront{chunk.thread, i, chunk.use, begin},
                    chunk.data + begin, end - begin);
  }
  if (region.cupti != 0) {
    const TextHead cupti = {region.cupti, TextSpace::kCuptiPath, 0};
    appender.Append(BlockType::kTexts, std::uint64_t{0}, &cupti, sizeof cupti);
  }
  CountsFront counts = region.counts;
  counts.closed = Closing::kCollected;
  appender.Append(BlockType::kCounts, counts, nullptr, 0);
}

}  // namespace xsp::live
