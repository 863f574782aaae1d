#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/common_options.h"
#include "cli/result_file.h"
#include "report/report.h"

namespace xsp {

// Where a command's report goes: stdout or --output, and every --write. All files are opened when
// this is made, before the work, so that a mistyped folder does not cost an hour.
class Output {
 public:
  explicit Output(const OutputOptions& options);

  // Writes the report everywhere. Throws Error, or BrokenPipe.
  void Write(const Report& report);

 private:
  std::string Rendered(const Report& report, OutputFormat format) const;
  void WriteToStdout(const Report& report) const;

  OutputOptions options_;
  std::optional<ResultFile> file_;  // --output; none: stdout.
  std::vector<std::pair<OutputFormat, ResultFile>> copies_;
};

// Text of the program's own (help, version), on stdout.
void Print(const std::string& text);

}  // namespace xsp
