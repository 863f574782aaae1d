#include "cli/terminal/result_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/error.h"
#include "base/interrupt.h"
#include "cli/terminal/signals.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

// A folder for one test.
struct Scratch {
  Scratch() : folder(fs::temp_directory_path() / ("xsp-result-file-" + std::to_string(getpid()))) {
    fs::create_directories(folder);
  }
  ~Scratch() { fs::remove_all(folder); }
  std::size_t FileCount() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  fs::path folder;
};

std::string ContentOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("a result appears with its content when it is committed") {
  const Scratch scratch;
  ResultFile file(scratch.folder / "out");
  CHECK_FALSE(fs::exists(scratch.folder / "out"));
  file.Commit("content");
  CHECK(ContentOf(scratch.folder / "out") == "content");
  CHECK(scratch.FileCount() == 1);
}

TEST_CASE("a result that is not committed leaves the old file and nothing else") {
  const Scratch scratch;
  std::ofstream(scratch.folder / "out") << "old";
  { const ResultFile file(scratch.folder / "out"); }
  CHECK(ContentOf(scratch.folder / "out") == "old");
  CHECK(scratch.FileCount() == 1);
}

TEST_CASE("a symbolic link stays one, and its target gets the content") {
  const Scratch scratch;
  std::ofstream(scratch.folder / "target") << "old";
  fs::create_symlink(scratch.folder / "target", scratch.folder / "link");
  ResultFile(scratch.folder / "link").Commit("new");
  CHECK(fs::is_symlink(scratch.folder / "link"));
  CHECK(ContentOf(scratch.folder / "target") == "new");
}

TEST_CASE("a file that is replaced keeps its mode") {
  const Scratch scratch;
  const fs::path file = scratch.folder / "out";
  std::ofstream(file) << "old";
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  ResultFile(file).Commit("new");
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a link planted under the temporary name is not followed") {
  const Scratch scratch;
  std::ofstream(scratch.folder / "victim") << "old";
  const fs::path planted = scratch.folder / (".tmp-" + std::to_string(getpid()) + "-0-out");
  fs::create_symlink(scratch.folder / "victim", planted);
  ResultFile(scratch.folder / "out").Commit("new");
  CHECK(ContentOf(scratch.folder / "victim") == "old");
  CHECK(ContentOf(scratch.folder / "out") == "new");
}

TEST_CASE("signals that were ignored stay ignored") {
  struct sigaction ignore = {}, now = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, &before);
  InstallSignalHandlers();
  sigaction(SIGHUP, nullptr, &now);
  CHECK(now.sa_handler == SIG_IGN);
  sigaction(SIGHUP, &before, nullptr);
}

// The exit code of a child process that gets Ctrl-C and then ends with 7, if it still can.
int CodeAfterInterrupt(bool has_unfinished_work) {
  const pid_t child = fork();
  if (child == 0) {
    InstallSignalHandlers();
    std::optional<UnfinishedWork> work;
    if (has_unfinished_work) work.emplace();
    raise(SIGINT);
    _exit(InterruptRequested() ? 7 : 8);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("Ctrl-C ends the program at once, but lets work be cleaned up") {
  CHECK(CodeAfterInterrupt(false) == 130);
  CHECK(CodeAfterInterrupt(true) == 7);
}

TEST_CASE("after Ctrl-C no work is begun") {
  SetInterruptCheck(ThrowIfInterrupted);
  RequestInterrupt();
  CHECK_THROWS_AS(UnfinishedWork(), Interrupted);
  RequestInterrupt(false);
  CHECK_FALSE(UnfinishedWork::Any());
}

TEST_CASE("a folder, a missing folder and a full device are errors") {
  const Scratch scratch;
  CHECK_THROWS_AS(ResultFile(scratch.folder), Error);
  CHECK_THROWS_AS(ResultFile(scratch.folder / "no" / "such"), Error);
  CHECK_THROWS_AS(ResultFile("/dev/full").Commit("x"), Error);
}

TEST_CASE("a reader that has gone is no error but the end") {
  InstallSignalHandlers();
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);
  CHECK_THROWS_AS(WriteAll(ends[1], "x", "pipe"), BrokenPipe);
  close(ends[1]);
}

}  // namespace
}  // namespace xsp
