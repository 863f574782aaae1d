#include "store/folder_in_progress.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>

#include "model/error.h"
#include "store/manifest_json.h"
#include "store/output_file.h"
#include "store/stored_trace.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

// Another writer of the same trace may get between two steps; not many will.
constexpr int kAttempts = 10;

// A stored trace consists of the manifest and Parquet files. Anything else in the folder was put
// there by somebody who wants to keep it.
bool BelongsToStoredTrace(const fs::directory_entry& entry) {
  return entry.is_regular_file() && !entry.is_symlink() &&
         (entry.path().filename() == kManifestFile || entry.path().extension() == ".parquet");
}

void CheckReplaceable(const fs::path& folder) {
  if (!fs::exists(fs::symlink_status(folder))) return;
  if (!IsStoredTrace(folder)) {
    throw Error(folder.string() + " exists and is not a stored trace: left alone",
                "choose another place with -o DIR");
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (BelongsToStoredTrace(entry)) continue;
    throw Error(folder.string() + " holds " + entry.path().filename().string() +
                    ", which is not part of a stored trace: left alone",
                "move it away, or choose another place with -o DIR");
  }
}

fs::path HiddenName(const fs::path& final_name) {
  static std::atomic<unsigned> count = 0;
  return final_name.parent_path() / ("." + final_name.filename().string() + ".tmp-" +
                                     std::to_string(::getpid()) + "-" + std::to_string(count++));
}

// Makes a rename or a new file in this folder last. Not every file system can; none is worse off.
void FlushFolder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

fs::path Resolved(const fs::path& folder) {
  std::error_code error;
  fs::path absolute = fs::weakly_canonical(folder, error);
  if (error) throw CannotWrite(folder, error.value());
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

}  // namespace

FolderInProgress::FolderInProgress(const fs::path& final_name) : final_name_(Resolved(final_name)) {
  CheckReplaceable(final_name_);
  do {
    hidden_ = HiddenName(final_name_);
    if (::mkdir(hidden_.c_str(), 0777) == 0) return;
  } while (errno == EEXIST);
  throw CannotWrite(final_name_, errno);
}

FolderInProgress::~FolderInProgress() {
  std::error_code ignored;
  if (!hidden_.empty()) fs::remove_all(hidden_, ignored);
}

void FolderInProgress::Publish() {
  FlushFolder(hidden_);
  for (int attempt = 0;; ++attempt) {
    const fs::path old_name = HiddenName(final_name_);
    CheckReplaceable(final_name_);
    const bool moved = std::rename(final_name_.c_str(), old_name.c_str()) == 0;
    if (!moved && errno != ENOENT) throw CannotWrite(final_name_, errno);

    if (std::rename(hidden_.c_str(), final_name_.c_str()) == 0) {
      hidden_ = moved ? old_name : fs::path();  // What the destructor removes.
      break;
    }
    const int error = errno;
    if (moved) std::rename(old_name.c_str(), final_name_.c_str());
    const bool somebody_was_faster = error == ENOTEMPTY || error == EEXIST;
    if (!somebody_was_faster || attempt == kAttempts) throw CannotWrite(final_name_, error);
  }
  FlushFolder(final_name_.parent_path());
}

}  // namespace xsp
