#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/suggest.h"
#include "cli/generate.h"
#include "cli/help.h"
#include "cli/options/arguments.h"
#include "cli/options/output.h"
#include "cli/terminal/console.h"
#include "cli/terminal/result_file.h"
#include "cli/terminal/signals.h"
#include "diff/gates/grammar_error.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace xsp {
namespace {

// Opens those of standard input, output and error that the caller has closed (`xsp ... 2>&-`), on
// /dev/null. Else the next file that is opened gets the number, and messages end up in a result. A
// program that is started from here finds them closed, as alone.
void OpenStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) != -1) continue;
    // The lowest free number is taken, which is this one: those below are open by now.
    const int access = fd == STDIN_FILENO ? O_RDONLY : O_WRONLY;
    if (open("/dev/null", access | O_CLOEXEC) < 0) return;
  }
}

// Above the pieces that readers fill and empty again and again, far below whole columns.
constexpr int kColumnPieceBytes = 256 * 1024;
constexpr int kKeptForTheNextPieces = 16 << 20;

// How the C library's allocator treats memory that was given back, set before anything large is
// allocated. For `import`: pieces of columns go back to the system when they are merged into the
// trace, which is what keeps an import's memory near the size of its file.
void ReturnFreedColumns() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, kColumnPieceBytes);
  mallopt(M_TRIM_THRESHOLD, kKeptForTheNextPieces);
#endif
}

// For everything else: analyses make and drop arrays by the dozen, and a page that comes back from
// the system costs more than the work on it.
void KeepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kLargestAllowed = 32 << 20;  // A larger value is refused.
  constexpr int kNever = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kLargestAllowed);
  mallopt(M_TRIM_THRESHOLD, kNever);
#endif
}

using Arguments = std::vector<std::string>;

ExitCode Show(const std::string& text) {
  Print(text);
  return ExitCode::kOk;
}

[[noreturn]] void UnknownCommand(const std::string& word) {
  std::vector<std::string> names = {"help"};
  for (const Command* command : AllCommands()) names.emplace_back(command->name);
  const std::string meant = DidYouMean(word, names);
  throw Error("'" + word + "' is neither a command nor a file",
              meant.empty() ? "see 'xsp --help'" : meant);
}

ExitCode ShowHelp(const Arguments& arguments) {
  if (arguments.empty()) return Show(ProgramHelp());
  const Command* command = FindCommand(arguments.front());
  if (command == nullptr) UnknownCommand(arguments.front());
  return Show(CommandHelp(PreparedCommand(*command)));
}

// What of `arguments` says where results go, each option with its value. All other files that are
// named may be what the command was to read: no result takes their place.
std::vector<Arguments> WhereResultsGo(const Arguments& arguments) {
  std::vector<Arguments> options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::string name = word.substr(0, word.find('='));
    if (name != "--write" && name != "--output" && name != "--format") {
      const bool has_value = word.starts_with("-") && name.size() < word.size();
      ProtectInput(has_value ? word.substr(name.size() + 1) : word);
    } else if (name.size() < word.size()) {
      options.push_back({word});
    } else if (i + 1 < arguments.size()) {
      options.push_back({word, arguments[++i]});
    }
  }
  return options;
}

// Options that cannot be understood are trouble as any other: who waits for a result is told there.
void RefuseUnread(const Command& command, const Arguments& arguments, const std::string& message) {
  PreparedCommand prepared(command);
  for (const Arguments& option : WhereResultsGo(arguments)) {
    try {
      prepared.options.Parse(option);
    } catch (const Error&) {
      // No option of this command, or the very one that cannot be understood.
    }
  }
  prepared.action->Refuse(message);
}

ExitCode RunCommand(const Command& command, const Arguments& arguments) {
  PreparedCommand prepared(command);
  try {
    if (!prepared.options.Parse(arguments)) return Show(CommandHelp(prepared));
  } catch (const Error& error) {
    RefuseUnread(command, arguments, error.what());
    throw;
  }
  for (const std::string& argument : prepared.options.Arguments()) ProtectInput(argument);
  try {
    prepared.options.CheckNoneIsEmpty();
  } catch (const Error& error) {
    prepared.action->Refuse(error.what());
    throw;
  }
  return prepared.action->Run();
}

// A first word that is no command is a trace, if it could be one at all.
bool CouldBeTrace(const std::string& word) {
  std::error_code ignored;
  return word.starts_with("-") || word.find_first_of("./") != std::string::npos ||
         std::filesystem::exists(word, ignored);
}

ExitCode Run(Arguments arguments) {
  if (arguments.empty()) {
    SayError("no trace given", "usage: xsp TRACE; see 'xsp --help'");
    return ExitCode::kTrouble;
  }
  const std::string first = arguments.front();
  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (first == "--help" || first == "-h" || first == "help") return ShowHelp(rest);
  if (first == "--version") return Show("xsp " XSP_VERSION "\n");
  if (first == "--generate") return Show(Generate(rest.empty() ? "" : rest.front()));
  if (const Command* command = FindCommand(first)) return RunCommand(*command, rest);
  if (!CouldBeTrace(first)) UnknownCommand(first);
  return RunCommand(*FindCommand("summary"), arguments);
}

// A file may begin with a dash ("-x.nsys-rep"): what is there under this name, with an ending, is
// no option.
void TellFilesFromOptions(Arguments& arguments) {
  for (std::string& word : arguments) {
    std::error_code ignored;
    if (word.starts_with("-") && word.find('.') != std::string::npos &&
        std::filesystem::exists(word, ignored)) {
      word.insert(0, "./");
    }
  }
}

// What the system says of a file. Most often it is the folder that xsp was started in.
void SayFileError(const std::filesystem::filesystem_error& error) {
  std::error_code gone;
  if (std::filesystem::current_path(gone).empty()) {
    SayError("the working folder is gone: " + gone.message(), "change to one that is there");
  } else {
    const std::string file = error.path1().string();
    SayError((file.empty() ? "" : file + ": ") + error.code().message(), "");
  }
}

// The one place where errors become words and an exit code.
ExitCode RunGuarded(const Arguments& arguments) {
  try {
    return Run(arguments);
  } catch (const Interrupted&) {
    return ExitCode::kInterrupted;
  } catch (const BrokenPipe&) {
    return ExitCode::kOk;
  } catch (const GrammarError& error) {
    SayGrammarError(error);
  } catch (const Error& error) {
    SayError(error.what(), error.hint());
  } catch (const std::bad_alloc&) {
    SayError("out of memory", "");
  } catch (const std::filesystem::filesystem_error& error) {
    SayFileError(error);
  } catch (const std::exception& error) {
    SayError(error.what(), "");
  }
  return ExitCode::kTrouble;
}

}  // namespace
}  // namespace xsp

int main(int argc, char** argv) {
  xsp::OpenStandardStreams();
  xsp::InstallSignalHandlers();
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool imports = !arguments.empty() && arguments.front() == "import";
  imports ? xsp::ReturnFreedColumns() : xsp::KeepFreedMemory();
  xsp::TellFilesFromOptions(arguments);
  const xsp::ExitCode code = xsp::RunGuarded(arguments);
  // Everything was said. Libraries that were refused memory or threads may not live through what
  // they do at the end of a program.
  if (code == xsp::ExitCode::kTrouble) _exit(static_cast<int>(code));
  return static_cast<int>(code);
}
