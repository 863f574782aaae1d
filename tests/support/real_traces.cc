#include "tests/support/real_traces.h"

#include <algorithm>
#include <iostream>

namespace xsp::test {

namespace fs = std::filesystem;

fs::path SourceDir() { return XSP_SOURCE_DIR; }

std::optional<fs::path> RealTracesOrSkip() {
  fs::path folder = (SourceDir() / "../shared/traces").lexically_normal();
  if (fs::is_directory(folder)) return folder;
  std::cout << "skipped: no real traces in ../shared/traces\n";
  return std::nullopt;
}

std::vector<fs::path> FilesBelow(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == extension) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace xsp::test
