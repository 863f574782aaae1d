#include "store/kept_result.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file_in_progress.h"
#include "store/checksum.h"
#include "store/manifest_json.h"
#include "store/stored_trace.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFirstLine = "xsp kept result 1";
constexpr std::size_t kLargest = 16 << 20;

// A file that is open as long as this lives. What could block, or lead elsewhere, is not opened.
class OrdinaryFile {
 public:
  explicit OrdinaryFile(const fs::path& file)
      : fd_(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {}
  ~OrdinaryFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OrdinaryFile(const OrdinaryFile&) = delete;
  OrdinaryFile& operator=(const OrdinaryFile&) = delete;

  // All of it; nothing where it is no ordinary file, or too large.
  std::optional<std::string> Content() const {
    struct stat facts = {};
    if (fd_ < 0 || ::fstat(fd_, &facts) != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
    if (facts.st_size < 0 || static_cast<std::uint64_t>(facts.st_size) > kLargest) {
      return std::nullopt;
    }
    std::string content(static_cast<std::size_t>(facts.st_size), '\0');
    for (std::size_t at = 0; at < content.size();) {
      const ::ssize_t done = ::read(fd_, content.data() + at, content.size() - at);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return std::nullopt;
      at += static_cast<std::size_t>(done);
    }
    return content;
  }

 private:
  int fd_ = -1;
};

std::string ManifestSha256(const fs::path& stored) {
  const auto manifest = OrdinaryFile(stored / kManifestFile).Content();
  return manifest ? Sha256Of(*manifest) : std::string();
}

bool HasAllTables(const fs::path& stored) {
  for (const auto& [name, table] : ReadManifest(stored).tables) {
    std::error_code error;
    if (table.rows == 0) continue;
    if (fs::file_size(stored / (name + ".parquet"), error) != table.file.bytes || error) {
      return false;
    }
  }
  return true;
}

// Whoever reads the trace of someone else leaves it as it is, even if allowed to write there.
bool BelongsToUser(const fs::path& stored) {
  struct stat facts = {};
  return ::stat(stored.c_str(), &facts) == 0 && facts.st_uid == ::geteuid();
}

}  // namespace

KeptResult::KeptResult(fs::path stored, std::string_view name, std::string rules)
    : stored_(std::move(stored)),
      file_(stored_ / (std::string(name) + ".kept")),
      rules_(std::move(rules)),
      manifest_sha256_(ManifestSha256(stored_)) {}

std::string KeptResult::HeadOf(std::string_view text) const {
  return std::string(kFirstLine) + "\n" + rules_ + "\n" + manifest_sha256_ + "\n" + Sha256Of(text) +
         "\n";
}

std::optional<std::string> KeptResult::Read() const {
  if (manifest_sha256_.empty()) return std::nullopt;
  const std::optional<std::string> content = OrdinaryFile(file_).Content();
  if (!content) return std::nullopt;
  const std::size_t head_bytes = HeadOf("").size();
  if (content->size() < head_bytes) return std::nullopt;
  std::string text = content->substr(head_bytes);
  if (content->compare(0, head_bytes, HeadOf(text)) != 0) return std::nullopt;
  try {
    if (!HasAllTables(stored_)) return std::nullopt;
  } catch (const Error&) {  // Whoever loads the trace will say so.
    return std::nullopt;
  }
  return text;
}

void KeptResult::Write(std::string_view text) const {
  const std::string content = HeadOf(text) + std::string(text);
  if (content.size() > kLargest || manifest_sha256_.empty() || !BelongsToUser(stored_) ||
      ManifestSha256(stored_) != manifest_sha256_) {
    return;
  }
  try {
    FileInProgress file(file_);  // Of several that look at once, the last one wins.
    struct stat facts = {};      // Those who may read the manifest may read this.
    if (::stat((stored_ / kManifestFile).c_str(), &facts) != 0) return;
    if (::fchmod(file.fd(), facts.st_mode & 07777) != 0) return;
    file.Write(content);
    file.Publish(FileInProgress::Wait::kNo);  // A torn one is none.
  } catch (const Error&) {                    // Nothing is kept, then.
  }
}

}  // namespace xsp
