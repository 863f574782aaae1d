#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "importers/importer.h"
#include "model/trace.h"

namespace xsp::test {

// A small export made of SQL, in a temporary folder that goes away with it.
class MiniExport {
 public:
  // Runs SQL statements into a new database. A line ".read FILE" is replaced by that file, which
  // is looked for in `folder`.
  explicit MiniExport(std::string_view sql, const std::filesystem::path& folder = {});
  ~MiniExport();
  MiniExport(const MiniExport&) = delete;
  MiniExport& operator=(const MiniExport&) = delete;

  const std::filesystem::path& file() const { return file_; }
  Trace Import(const ImportOptions& options = {}) const { return ImportFile(file_, options); }

 private:
  std::filesystem::path folder_;
  std::filesystem::path file_;
};

std::string ReadText(const std::filesystem::path& file);
void WriteText(const std::filesystem::path& file, std::string_view text);

// The tables that most small exports need: those of tests/golden/importers/common/tables.sql.
std::string CommonTables();

// What a user is told if the file cannot be imported ("message | hint"); "" if it can.
std::string RefusalOf(const std::filesystem::path& file, const ImportOptions& options = {});

}  // namespace xsp::test
