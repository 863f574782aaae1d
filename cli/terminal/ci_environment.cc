#include "cli/terminal/ci_environment.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "cli/terminal/result_file.h"
#include "report/diff/diff_documents.h"

namespace xsp {
namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

void TellCi(const Comparison& comparison, const DiffReportOptions& options, const NoteSink& note) {
  if (Environment("GITHUB_ACTIONS") == "true") {
    WriteAll(STDERR_FILENO, DiffAnnotations(comparison, options), "standard error");
  }
  const std::string summary = Environment("GITHUB_STEP_SUMMARY");
  if (summary.empty()) return;
  // Other steps of the job write to the same file.
  std::ofstream file(summary, std::ios::app | std::ios::binary);
  file << DiffMarkdown(comparison, options) << "\n";
  file.close();
  if (!file) note("the summary of the job, " + summary + ", could not be written");
}

std::string ShellQuoted(std::string_view word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./=:,+%@";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return std::string(word);
  std::string quoted = "'";
  for (char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace xsp
