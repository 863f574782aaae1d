#include "cli/options/output.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "cli/terminal/console.h"
#include "cli/terminal/terminal.h"

namespace xsp {
namespace fs = std::filesystem;
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
  const UnfinishedWork paging;
  const std::string command = PagerCommand();
  if (command.empty()) return false;
  FILE* pipe = popen(command.c_str(), "w");
  if (pipe == nullptr) return false;
  const InterruptsIgnored ignored;
  std::fwrite(text.data(), 1, text.size(), pipe);  // Short if the user has seen enough.
  const int status = pclose(pipe);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == kCommandNotFound);
}

// Columns of a pipe or a file.
constexpr std::size_t kWithoutTerminal = 120;

}  // namespace

Output::Output(const OutputOptions& options) : options_(options) {
  if (!options.table.empty() && !options.Wants(OutputFormat::kCsv)) {
    throw Error("--table chooses what csv holds", "add --format csv");
  }
  if (!options.output.empty()) file_.emplace(Open(options.format, options.output));
  for (const auto& [format, file] : options.writes) copies_.push_back(Open(format, file));
}

Output::Target Output::Open(OutputFormat format, const std::string& path) {
  std::error_code error;
  const bool is_folder = path.ends_with('/') || fs::is_directory(path, error);
  if (format != OutputFormat::kCsv || !is_folder) return {format, ResultFile(path)};
  fs::create_directories(path, error);
  if (access(path.c_str(), W_OK) != 0) {
    throw Error("cannot write to " + path + ": " + std::strerror(errno));
  }
  return {format, fs::path(path)};
}

const Table* Output::ChosenTable(const Report& report) const {
  const std::vector<const Table*> tables = report.ScriptTables();
  if (options_.table.empty()) return tables.empty() ? nullptr : tables.front();
  for (const Table* table : tables) {
    if (table->name() == options_.table) return table;
  }
  throw Error("this result has no table '" + options_.table + "'",
              "its tables: " + Joined(tables, ", ", &Table::name));
}

// Whoever reads CSV without knowing the command would take one table for all there is.
void Output::TellOtherTables(const Report& report) const {
  std::vector<const Table*> tables = report.ScriptTables();
  if (!options_.table.empty() || tables.size() < 2) return;
  const std::string first = tables.front()->name();
  tables.erase(tables.begin());
  Notes(options_.quiet)("csv is one table, here " + first + "; --table NAME for " +
                        Joined(tables, ", ", &Table::name) + "; --output DIR/ for all");
}

TextLayout Output::LayoutOf(std::size_t columns) const {
  TextLayout layout;
  layout.time_unit = options_.time_unit;
  const bool has_end = !options_.whole_names || columns != kWithoutTerminal;
  const std::size_t width = options_.width.value_or(has_end ? columns : 0);
  if (width > 0) layout.width = width;
  return layout;
}

std::string Output::Rendered(const Report& report, OutputFormat format) const {
  if (format == OutputFormat::kCsv) {
    const Table* table = ChosenTable(report);
    TellOtherTables(report);
    return table == nullptr ? "" : WriteCsvTable(*table);
  }
  TextLayout layout = LayoutOf(kWithoutTerminal);
  layout.color = options_.color == ColorMode::kAlways && format == OutputFormat::kTable;
  return WriteReport(report, format, layout);
}

void Output::WriteTables(const fs::path& folder, const Report& report) const {
  std::vector<const Table*> tables = report.ScriptTables();
  if (!options_.table.empty()) tables = {ChosenTable(report)};
  for (const Table* table : tables) {
    ResultFile(folder / (table->name() + ".csv")).Commit(WriteCsvTable(*table));
  }
}

void Output::WriteTo(Target& target, const Report& report) const {
  if (auto* file = std::get_if<ResultFile>(&target.where)) {
    file->Commit(Rendered(report, target.format));
  } else {
    WriteTables(std::get<fs::path>(target.where), report);
  }
}

void Output::WriteToStdout(const Report& report) const {
  const std::optional<TerminalSize> terminal = TerminalSizeOf(STDOUT_FILENO);
  if (!terminal || options_.format != OutputFormat::kTable) {
    Print(Rendered(report, options_.format));
    return;
  }
  TextLayout layout = LayoutOf(terminal->columns);
  layout.color = UseColor(options_.color, STDOUT_FILENO);
  const std::string text = WriteReport(report, options_.format, layout);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  const bool pages = lines >= terminal->rows && !options_.no_pager && CanPage();
  if (!pages || !Page(text)) Print(text);
}

void Output::Write(const Report& report) {
  for (Target& copy : copies_) WriteTo(copy, report);
  if (file_) {
    WriteTo(*file_, report);
  } else {
    WriteToStdout(report);
  }
}

void Output::WriteTrouble(const Report& report) {
  const bool is_for_scripts =
      file_ || options_.format > OutputFormat::kCsv || options_.format == OutputFormat::kJson;
  if (is_for_scripts) return Write(report);
  for (Target& copy : copies_) WriteTo(copy, report);
}

void Print(const std::string& text) { WriteAll(STDOUT_FILENO, text, "standard output"); }

}  // namespace xsp
