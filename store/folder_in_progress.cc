#include "store/folder_in_progress.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/file_in_progress.h"
#include "store/manifest_json.h"
#include "store/output_file.h"
#include "store/stored_trace.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

// A stored trace consists of the manifest and Parquet files; what was worked out of it may lie
// beside them (kept_result.h). Anything else in the folder was put there by somebody who wants to
// keep it.
bool BelongsToStoredTrace(const fs::directory_entry& entry) {
  const fs::path extension = entry.path().extension();
  std::error_code gone;
  return entry.is_regular_file(gone) && !entry.is_symlink(gone) &&
         (entry.path().filename() == kManifestFile || extension == ".parquet" ||
          extension == ".kept");
}

void CheckHoldsNothingElse(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (BelongsToStoredTrace(entry)) continue;
    throw Error(folder.string() + " holds " + entry.path().filename().string() +
                    ", which is not part of a stored trace: left alone",
                "move it away, or choose another place with -o DIR");
  }
}

void CheckReplaceable(const fs::path& folder) {
  if (!fs::exists(fs::symlink_status(folder))) return;
  if (!IsStoredTrace(folder)) {
    throw Error(folder.string() + " exists and is not a stored trace: left alone",
                "choose another place with -o DIR");
  }
  CheckHoldsNothingElse(folder);
}

std::string HiddenPrefix(const fs::path& final_name) {
  return "." + final_name.filename().string() + ".tmp-";
}

// Unlike that of any other process that may write to the same folder, be it from another machine.
std::uint64_t ProcessNumber() {
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  const std::uint64_t machine = std::hash<std::string_view>()(host) & 0xffffffffU;
  return machine << 22U | static_cast<std::uint64_t>(::getpid());
}

fs::path HiddenName(const fs::path& final_name) {
  static std::atomic<unsigned> count = 0;
  return final_name.parent_path() / (HiddenPrefix(final_name) + std::to_string(ProcessNumber()) +
                                     "-" + std::to_string(count++));
}

// Whether a name is one that HiddenName makes, with any numbers, and the folder holds nothing but
// what a writer puts there.
bool IsLeftover(const fs::directory_entry& entry, const std::string& prefix) {
  const std::string name = entry.path().filename().string();
  std::error_code gone;  // Its writer may be removing it just now.
  if (!name.starts_with(prefix) || entry.is_symlink(gone) || !entry.is_directory(gone)) {
    return false;
  }
  const std::string_view numbers = std::string_view(name).substr(prefix.size());
  const std::size_t dash = numbers.find('-');
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (dash == std::string_view::npos || !is_number(numbers.substr(0, dash)) ||
      !is_number(numbers.substr(dash + 1))) {
    return false;
  }
  bool is_ours = true;
  fs::directory_iterator file(entry.path(), gone);
  for (; is_ours && !gone && file != fs::directory_iterator(); file.increment(gone)) {
    is_ours = BelongsToStoredTrace(*file);
  }
  return is_ours && !gone;
}

// A hidden folder that can be locked has lost its writer: it was killed.
void RemoveLeftovers(const fs::path& final_name) {
  const std::string prefix = HiddenPrefix(final_name);
  std::error_code gone;
  fs::directory_iterator entry(final_name.parent_path(), gone);
  for (; !gone && entry != fs::directory_iterator(); entry.increment(gone)) {
    if (!IsLeftover(*entry, prefix)) continue;
    std::error_code ignored;
    const FolderLock lock(entry->path(), FolderLock::Wait::kNo);
    if (lock.held()) fs::remove_all(entry->path(), ignored);
  }
}

// Absolute first: of a relative path that does not exist yet, nothing is canonical, and it has no
// parent to be locked, searched and flushed.
fs::path Resolved(const fs::path& folder) {
  const fs::path absolute = fs::weakly_canonical(fs::absolute(folder));
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

}  // namespace

FolderLock::FolderLock(const fs::path& folder, Wait wait)
    : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {
  if (fd_ < 0) return;
  if (::flock(fd_, wait == Wait::kYes ? LOCK_EX : LOCK_EX | LOCK_NB) == 0) return;
  ::close(std::exchange(fd_, -1));
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FolderLock& FolderLock::operator=(FolderLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

void RemoveStoredTrace(const fs::path& folder) {
  try {
    const fs::path name = Resolved(folder);
    CheckHoldsNothingElse(name);
    const UnfinishedWork removing;
    const fs::path hidden = HiddenName(name);  // Nobody sees it half there.
    fs::rename(name, hidden);
    fs::remove_all(hidden);
  } catch (const fs::filesystem_error& e) {
    throw Error("cannot remove " + folder.string() + ": " + e.code().message());
  }
}

FolderInProgress::FolderInProgress(const fs::path& final_name) {
  try {
    final_name_ = Resolved(final_name);
    // Locked, so that no other writer is between two of its own steps.
    const FolderLock parent(final_name_.parent_path(), FolderLock::Wait::kYes);
    CheckReplaceable(final_name_);
    if (parent.held()) RemoveLeftovers(final_name_);
    hidden_ = HiddenName(final_name_);
    if (::mkdir(hidden_.c_str(), 0777) != 0) throw CannotWrite(final_name, errno);
    lock_ = FolderLock(hidden_, FolderLock::Wait::kNo);
  } catch (const fs::filesystem_error& e) {
    throw CannotWrite(final_name, e.code().value());
  }
}

FolderInProgress::~FolderInProgress() {
  std::error_code ignored;
  fs::remove_all(hidden_, ignored);
}

void FolderInProgress::Publish() {
  FlushFolder(hidden_);
  const FolderLock parent(final_name_.parent_path(), FolderLock::Wait::kYes);
  CheckReplaceable(final_name_);
  // Both names change hands at once: whoever looks, or is killed, finds the old or the new one.
  if (::renameat2(AT_FDCWD, hidden_.c_str(), AT_FDCWD, final_name_.c_str(), RENAME_EXCHANGE) == 0) {
    FlushFolder(final_name_.parent_path());
    return;  // The old one has the hidden name now, and is removed with it.
  }
  // There is no old one, or the file system cannot exchange.
  const fs::path old_name = HiddenName(final_name_);
  const bool moved = std::rename(final_name_.c_str(), old_name.c_str()) == 0;
  if (!moved && errno != ENOENT) throw CannotWrite(final_name_, errno);

  if (std::rename(hidden_.c_str(), final_name_.c_str()) != 0) {
    const int error = errno;
    if (moved) std::rename(old_name.c_str(), final_name_.c_str());
    throw CannotWrite(final_name_, error);
  }
  FlushFolder(final_name_.parent_path());
  hidden_ = old_name;  // What the destructor removes.
}

}  // namespace xsp
