#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace xsp::test {

// The root of this checkout, for files that lie in the source tree.
std::filesystem::path SourceDir();

// The folder of real traces beside the checkout (../shared/traces). Where it is
// missing, prints the line by which ctest marks the running test as skipped; the
// test then returns.
std::optional<std::filesystem::path> RealTracesOrSkip();

// All files with this extension below the folder, sorted by name.
std::vector<std::filesystem::path> FilesBelow(const std::filesystem::path& folder,
                                              const std::string& extension);

}  // namespace xsp::test
