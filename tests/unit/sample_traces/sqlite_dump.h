// Reads SQLite files for the tests of the writer.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace xsp::samples::test {

// The rows of a query, values as text, NULL as "NULL", blobs in hexadecimal.
std::vector<std::vector<std::string>> Query(const std::filesystem::path& file,
                                            const std::string& sql);
// The first value of the first row as a number.
int64_t QueryNumber(const std::filesystem::path& file, const std::string& sql);
// All tables with their declarations and all rows, one line each: what `.dump` would show.
std::vector<std::string> Dump(const std::filesystem::path& file);
// A folder that is gone when the object is.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace xsp::samples::test
