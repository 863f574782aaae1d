#include "cli/inputs/nsys_report.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "cli/inputs/access_as.h"
#include "cli/terminal/signals.h"

extern char** environ;

namespace xsp {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kReportMagic = "NVIDIA Tegra Profiler Report";

bool IsNewer(const fs::path& file, const fs::path& than) {
  std::error_code no_file;
  const auto time = fs::last_write_time(file, no_file);
  return !no_file && time >= fs::last_write_time(than, no_file) && !no_file;
}

bool CanWriteIn(const fs::path& folder) {
  return access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0;
}

// FNV-1a: tells reports of one name in different folders apart, and is the same in every run.
std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

fs::path CacheFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "xsp";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / ".cache" / "xsp";
  throw Error("no folder for the export: neither HOME nor XDG_CACHE_HOME is set");
}

fs::path CachedExport(const fs::path& report) {
  std::array<char, 17> hash{};
  std::snprintf(hash.data(), hash.size(), "%016llx",
                static_cast<unsigned long long>(HashOf(fs::absolute(report).string())));
  return CacheFolder() / (report.stem().string() + "-" + hash.data() + ".sqlite");
}

// Removes a half-made export, whatever happens.
class TemporaryFile {
 public:
  explicit TemporaryFile(fs::path file) : file_(std::move(file)) {}
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(file_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const fs::path& path() const { return file_; }

 private:
  fs::path file_;
};

bool IsInPath(const std::string& program) {
  const char* path = std::getenv("PATH");
  const std::string_view folders = path == nullptr ? "" : path;
  for (std::size_t at = 0; at <= folders.size();) {
    const std::size_t colon = std::min(folders.find(':', at), folders.size());
    const fs::path file = fs::path(folders.substr(at, colon - at)) / program;
    if (access(file.c_str(), X_OK) == 0) return true;
    at = colon + 1;
  }
  return false;
}

// Runs a program from PATH with its output on our stderr. Its exit code, or -1 if it cannot run.
int RunProgram(std::vector<std::string> command) {
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ThrowIfInterrupted();
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) throw Interrupted();
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

std::vector<std::string> ExportCommand(const fs::path& report, const fs::path& target) {
  return {"nsys", "export",   "--type",        "sqlite",       "--force-overwrite",
          "true", "--output", target.string(), report.string()};
}

// What the user can do without us.
std::string ByHand(const fs::path& report) {
  fs::path target = report;
  target.replace_extension(".sqlite");
  return "nsys export --type sqlite --output '" + target.string() + "' '" + report.string() + "'";
}

void Export(const fs::path& report, const fs::path& target) {
  const UnfinishedWork exporting;
  fs::path name = target;
  name += ".part-" + std::to_string(getpid());
  const TemporaryFile part(std::move(name));
  // Who may not read the report may not read its export, not even while nsys writes it.
  const AccessAs access({report});
  const int code = RunProgram(ExportCommand(report, part.path()));
  std::error_code error;
  if (code == 0) {
    constexpr fs::perms kReadWrite = fs::perms::owner_read | fs::perms::owner_write |
                                     fs::perms::group_read | fs::perms::others_read;
    fs::permissions(part.path(), fs::status(report, error).permissions() & kReadWrite, error);
    fs::rename(part.path(), target, error);
  }
  if (code != 0 || error) {
    throw Error(report.string() + ": nsys export failed" +
                    (error ? ": " + error.message() : " with exit code " + std::to_string(code)),
                "run: " + ByHand(report));
  }
}

}  // namespace

bool IsNsysReport(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  std::array<char, kReportMagic.size()> head{};
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), head.size());
  return in && std::string_view(head.data(), head.size()) == kReportMagic;
}

fs::path ExportOfNsysReport(const fs::path& report, const NoteSink& note) {
  fs::path beside = report;
  beside.replace_extension(".sqlite");
  if (IsNewer(beside, report)) return beside;

  std::error_code ignored;
  fs::path target = beside;
  if (fs::exists(beside, ignored) || !CanWriteIn(report.parent_path())) {
    target = CachedExport(report);
    if (IsNewer(target, report)) return target;
  }
  if (!IsInPath("nsys")) {
    throw Error(report.string() +
                    ": a report of Nsight Systems, which only nsys can read, and there is no nsys "
                    "in PATH",
                "where nsys is installed run: " + ByHand(report) + " and give xsp the .sqlite");
  }
  note("exporting " + report.string() + " to " + target.string());
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), ignored);
  Export(report, target);
  return target;
}

}  // namespace xsp
