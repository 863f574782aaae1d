#include "cli/inputs/source_stamp.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/utf8.h"

namespace xsp {

SourceStamp StampOf(const std::filesystem::path& file) {
  struct stat facts = {};
  if (stat(file.c_str(), &facts) != 0) {
    throw Error(file.string() + ": " + std::strerror(errno));
  }
  // Reading a pipe to hash it would wait for ever, and leave nothing to import.
  if (!S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode))
    throw Error(file.string() + ": is not a regular file");
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  SourceStamp stamp;
  stamp.name = ToUtf8(file.filename().string());  // Names of files are any bytes, JSON is not.
  stamp.bytes = static_cast<std::uint64_t>(facts.st_size);
  stamp.mtime_ns = facts.st_mtim.tv_sec * kNsPerSecond + facts.st_mtim.tv_nsec;
  return stamp;
}

bool IsFresh(const StoredManifest& manifest, const SourceStamp& now) {
  return manifest.major == kFormatMajor && manifest.source.name == now.name &&
         manifest.source.bytes == now.bytes && manifest.source.mtime_ns == now.mtime_ns;
}

std::filesystem::path StoredBeside(const std::filesystem::path& file) {
  std::filesystem::path stored = file;
  if (stored.extension() == ".sqlite") stored.replace_extension();
  stored += ".xsp";
  return stored;
}

}  // namespace xsp
