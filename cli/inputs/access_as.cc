#include "cli/inputs/access_as.h"

#include <sys/stat.h>

namespace xsp {
namespace fs = std::filesystem;
namespace {

// What nobody else may do because nobody else may read the file.
mode_t HiddenAs(const fs::path& file) {
  struct stat facts = {};
  if (stat(file.c_str(), &facts) != 0) return 0;
  mode_t hidden = 0;
  if ((facts.st_mode & S_IRGRP) == 0) hidden |= S_IRWXG;
  if ((facts.st_mode & S_IROTH) == 0) hidden |= S_IRWXO;
  return hidden;
}

}  // namespace

AccessAs::AccessAs(const std::vector<fs::path>& files) {
  mode_t hidden = 0;
  for (const fs::path& file : files) {
    hidden |= HiddenAs(file);
    std::error_code error;
    for (fs::directory_iterator it(file, error), end; !error && it != end; it.increment(error)) {
      hidden |= HiddenAs(it->path());
    }
  }
  before_ = umask(0777);
  umask(before_ | hidden);
}

AccessAs::~AccessAs() { umask(before_); }

}  // namespace xsp
