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

// Other steps of the job write to the same file. False: it could not be written.
bool AppendTo(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file << text << "\n";
  file.close();
  return static_cast<bool>(file);
}

}  // namespace

bool TellCi(const Comparison& comparison, const DiffReportOptions& options, const NoteSink& note) {
  const bool annotates = Environment("GITHUB_ACTIONS") == "true";
  if (annotates) {
    WriteAll(STDERR_FILENO, DiffAnnotations(comparison), "standard error");
  }
  const std::string summary = Environment("GITHUB_STEP_SUMMARY");
  if (!summary.empty() && !AppendTo(summary, DiffMarkdown(comparison, options))) {
    note("the summary of the job, " + summary + ", could not be written");
  }
  return annotates;
}

void TellCiOfTrouble(const std::string& message) {
  if (Environment("GITHUB_ACTIONS") == "true") {
    WriteAll(STDERR_FILENO, TroubleAnnotation(message), "standard error");
  }
  const std::string summary = Environment("GITHUB_STEP_SUMMARY");
  if (!summary.empty()) AppendTo(summary, TroubleMarkdown(message));
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
