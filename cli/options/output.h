#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/options/common_options.h"
#include "cli/terminal/result_file.h"
#include "report/tables/report.h"

namespace xsp {

// Where a command's report goes: stdout or --output, and every --write. All files are opened when
// this is made, before the work, so that a mistyped folder does not cost an hour. CSV is one table,
// on stdout and in a file; in a folder it is one file per table.
class Output {
 public:
  explicit Output(const OutputOptions& options);

  // Writes the report everywhere. Throws Error, or BrokenPipe.
  void Write(const Report& report);
  // The same for a report that says why there is no result: nothing else on standard output where
  // people look, since they are told on standard error.
  void WriteTrouble(const Report& report);

  // Whether people see the result as it is: a table on standard output.
  bool ShowsPeople() const { return !file_ && options_.format == OutputFormat::kTable; }

 private:
  // A file, or a folder for the tables of a report.
  struct Target {
    OutputFormat format;
    std::variant<ResultFile, std::filesystem::path> where;
  };

  static Target Open(OutputFormat format, const std::string& path);
  void WriteTo(Target& target, const Report& report) const;
  void WriteTables(const std::filesystem::path& folder, const Report& report) const;
  // The table that is asked for, else the main one; none: the report has no table at all.
  const Table* ChosenTable(const Report& report) const;
  void TellOtherTables(const Report& report) const;
  TextLayout LayoutOf(std::size_t columns) const;
  std::string Rendered(const Report& report, OutputFormat format) const;
  void WriteToStdout(const Report& report) const;

  OutputOptions options_;
  std::optional<Target> file_;  // --output; none: stdout.
  std::vector<Target> copies_;
};

// Text of the program's own (help, version), on stdout.
void Print(const std::string& text);

}  // namespace xsp
