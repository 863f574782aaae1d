#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace xsp {

// As long as it lives, new files of this process and of programs that it starts are for no more
// readers than these files are. Of a folder its own rights count, and those of the files in it.
class AccessAs {
 public:
  explicit AccessAs(const std::vector<std::filesystem::path>& files);
  ~AccessAs();
  AccessAs(const AccessAs&) = delete;
  AccessAs& operator=(const AccessAs&) = delete;

 private:
  mode_t before_;
};

}  // namespace xsp
