#include "cli/output.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "cli/terminal.h"

namespace xsp {
namespace {

constexpr int kCommandNotFound = 127;  // What a shell says.

// While the pager runs, Ctrl-C is its business.
class InterruptsIgnored {
 public:
  InterruptsIgnored() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &before_);
  }
  ~InterruptsIgnored() { sigaction(SIGINT, &before_, nullptr); }
  InterruptsIgnored(const InterruptsIgnored&) = delete;
  InterruptsIgnored& operator=(const InterruptsIgnored&) = delete;

 private:
  struct sigaction before_ = {};
};

// $PAGER, or less so that it ends by itself if all fits. Empty: no pager wanted.
std::string PagerCommand() {
  const char* pager = std::getenv("PAGER");
  return pager == nullptr ? "less -FRX" : pager;
}

// False if there is no such pager.
bool Page(const std::string& text) {
  const std::string command = PagerCommand();
  if (command.empty()) return false;
  FILE* pipe = popen(command.c_str(), "w");
  if (pipe == nullptr) return false;
  const InterruptsIgnored ignored;
  std::fwrite(text.data(), 1, text.size(), pipe);  // Short if the user has seen enough.
  const int status = pclose(pipe);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == kCommandNotFound);
}

}  // namespace

Output::Output(const OutputOptions& options) : options_(options) {
  if (!options.output.empty()) file_.emplace(options.output);
  for (const auto& [format, file] : options.writes) copies_.emplace_back(format, ResultFile(file));
}

std::string Output::Rendered(const Report& report, OutputFormat format) const {
  TextLayout layout;
  layout.time_unit = options_.time_unit;
  layout.color = options_.color == ColorMode::kAlways && format == OutputFormat::kTable;
  return WriteReport(report, format, layout);
}

void Output::WriteToStdout(const Report& report) const {
  const std::optional<TerminalSize> terminal = TerminalSizeOf(STDOUT_FILENO);
  if (!terminal || options_.format != OutputFormat::kTable) {
    Print(Rendered(report, options_.format));
    return;
  }
  TextLayout layout;
  layout.width = terminal->columns;
  layout.time_unit = options_.time_unit;
  layout.color = UseColor(options_.color, STDOUT_FILENO);
  const std::string text = WriteReport(report, options_.format, layout);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  if (lines < terminal->rows || !Page(text)) Print(text);
}

void Output::Write(const Report& report) {
  for (auto& [format, file] : copies_) file.Commit(Rendered(report, format));
  if (file_) {
    file_->Commit(Rendered(report, options_.format));
  } else {
    WriteToStdout(report);
  }
}

void Print(const std::string& text) { WriteAll(STDOUT_FILENO, text, "standard output"); }

}  // namespace xsp
