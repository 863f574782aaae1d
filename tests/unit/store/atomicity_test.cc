#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <functional>
#include <thread>

#include "base/error.h"
#include "store/stored_trace.h"
#include "tests/unit/store/sample_trace.h"
#include "tests/unit/store/temporary_folder.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using test::SampleTrace;
using test::TemporaryFolder;
using Names = std::vector<std::string>;

// Runs f in a process of its own, whose limits it may change; says whether it returned true.
template <class F>
bool InChild(F f) {
  const ::pid_t child = ::fork();
  if (child == 0) {
    bool ok = false;
    try {
      ok = f();
    } catch (...) {
    }
    ::_exit(ok ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Whether storing fails with an Error that speaks of the folder.
bool FailsClearly(const Trace& trace, const fs::path& folder) {
  try {
    WriteStoredTrace(trace, {}, folder);
  } catch (const Error& e) {
    return std::string(e.what()).find(folder.string()) != std::string::npos;
  }
  return false;
}

class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

// Interrupts after some calls.
class Impatient final : public Progress {
 public:
  explicit Impatient(
      int patience, std::function<void()> interrupt = [] { throw Interrupted(); })
      : patience_(patience), interrupt_(std::move(interrupt)) {}
  void Start(std::string_view, std::uint64_t, std::string_view) override {}
  void Advance(std::uint64_t) override {
    if (--patience_ < 0) interrupt_();
  }

 private:
  std::atomic<int> patience_;
  std::function<void()> interrupt_;
};

TEST_CASE("a write that fails half-way leaves nothing behind") {
  TemporaryFolder folder;
  const Trace trace = SampleTrace(2000);
  const ::rlim_t limit = GENERATE(0, 100, 5000, 100'000);
  CHECK(InChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const ::rlimit limits{limit, limit};
    return ::setrlimit(RLIMIT_FSIZE, &limits) == 0 && FailsClearly(trace, folder / "run.xsp");
  }));
  CHECK(folder.Names().empty());
}

TEST_CASE("a failed or interrupted replacement keeps the old stored trace") {
  TemporaryFolder folder;
  const Trace old_trace = SampleTrace(5);
  const Trace new_trace = SampleTrace(2000);
  WriteStoredTrace(old_trace, {}, folder / "run.xsp");
  CHECK(InChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const ::rlimit limits{10'000, 10'000};
    return ::setrlimit(RLIMIT_FSIZE, &limits) == 0 && FailsClearly(new_trace, folder / "run.xsp");
  }));
  Impatient progress(20);
  CHECK_THROWS_AS(WriteStoredTrace(new_trace, {}, folder / "run.xsp", &progress), Interrupted);
  CHECK(folder.Names() == Names{"run.xsp"});
  CHECK(LoadStoredTrace(folder / "run.xsp") == old_trace);
}

TEST_CASE("an interrupted load throws what the listener threw") {
  TemporaryFolder folder;
  WriteStoredTrace(SampleTrace(5), {}, folder / "run.xsp");
  Impatient progress(3);
  CHECK_THROWS_AS(LoadStoredTrace(folder / "run.xsp", &progress), Interrupted);
}

TEST_CASE("a stored trace is replaced as a whole") {
  TemporaryFolder folder;
  WriteStoredTrace(SampleTrace(5), {}, folder / "run.xsp");
  const Trace empty{TraceTables{}};
  WriteStoredTrace(empty, {}, folder / "run.xsp");
  CHECK(LoadStoredTrace(folder / "run.xsp") == empty);
  CHECK_FALSE(fs::exists(folder / "run.xsp/events.parquet"));
  CHECK(folder.Names() == Names{"run.xsp"});
}

TEST_CASE("a relative target that does not exist yet is written like any other") {
  TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder / ".");
  const Trace trace = SampleTrace(5);
  fs::create_directory(".run.xsp.tmp-1-0");     // Left by a writer that was killed.
  fs::create_directory(".run.xsp.tmp-backup");  // Somebody's own.
  fs::create_directory(".run.xsp.tmp-1-1");     // Looks like ours, but holds something else.
  test::WriteFile(".run.xsp.tmp-1-1/notes.txt", "keep");
  WriteStoredTrace(trace, {}, "run.xsp");
  fs::current_path(before);
  CHECK(LoadStoredTrace(folder / "run.xsp") == trace);
  CHECK(folder.Names() == Names{".run.xsp.tmp-1-1", ".run.xsp.tmp-backup", "run.xsp"});
}

TEST_CASE("a damaged stored trace can be replaced") {
  TemporaryFolder folder;
  WriteStoredTrace(SampleTrace(5), {}, folder / "run.xsp");
  test::WriteFile(folder / "run.xsp/manifest.json",
                  test::ReadFile(folder / "run.xsp/manifest.json").substr(0, 100));
  const Trace trace = SampleTrace(3);
  WriteStoredTrace(trace, {}, folder / "run.xsp");
  CHECK(LoadStoredTrace(folder / "run.xsp") == trace);
}

TEST_CASE("what is not a stored trace is never replaced") {
  TemporaryFolder folder;
  const Trace trace = SampleTrace(5);
  fs::create_directory(folder / "empty.xsp");
  fs::create_directory(folder / "foreign.xsp");
  test::WriteFile(folder / "foreign.xsp/manifest.json", R"({"name": "a web page"})");
  test::WriteFile(folder / "file.xsp", "text");
  for (const char* name : {"empty.xsp", "foreign.xsp", "file.xsp"}) {
    CHECK_FALSE(IsStoredTrace(folder / name));
    CHECK_THROWS_WITH(WriteStoredTrace(trace, {}, folder / name),
                      Contains(name) && Contains("not a stored trace"));
  }
  CHECK(folder.Names() == Names{"empty.xsp", "file.xsp", "foreign.xsp"});
  CHECK(test::ReadFile(folder / "file.xsp") == "text");
}

TEST_CASE("a stored trace in which somebody keeps another file is not replaced") {
  TemporaryFolder folder;
  WriteStoredTrace(SampleTrace(5), {}, folder / "run.xsp");
  test::WriteFile(folder / "run.xsp/notes.txt", "mine");
  CHECK_THROWS_WITH(WriteStoredTrace(SampleTrace(6), {}, folder / "run.xsp"),
                    Contains("notes.txt"));
  CHECK(test::ReadFile(folder / "run.xsp/notes.txt") == "mine");
  CHECK(folder.Names() == Names{"run.xsp"});
}

TEST_CASE("a place that cannot be written to is an error that names it") {
  TemporaryFolder folder;
  const Trace trace = SampleTrace(5);
  test::WriteFile(folder / "file", "text");
  fs::create_directory(folder / "locked");
  ::chmod((folder / "locked").c_str(), 0555);
  CHECK(FailsClearly(trace, folder / "file/run.xsp"));
  CHECK(FailsClearly(trace, folder / "none/run.xsp"));
  CHECK(InChild([&] {
    ::chmod(folder.path().c_str(), 0755);
    if (::geteuid() == 0 && ::setuid(65534) != 0) return false;
    return FailsClearly(trace, folder / "locked/run.xsp");
  }));
  CHECK(fs::is_empty(folder / "locked"));
}

TEST_CASE("a trace is stored through a link and by a relative name with a slash") {
  TemporaryFolder folder;
  const Trace trace = SampleTrace(5);
  WriteStoredTrace(SampleTrace(3), {}, folder / "real.xsp");
  fs::create_directory_symlink("real.xsp", folder / "link.xsp");
  WriteStoredTrace(trace, {}, folder / "link.xsp/");
  CHECK(fs::is_symlink(folder / "link.xsp"));
  CHECK(LoadStoredTrace(folder / "real.xsp") == trace);
  CHECK(folder.Names() == Names{"link.xsp", "real.xsp"});
}

TEST_CASE("what a killed writer left is removed by the next one, a living one's is not") {
  TemporaryFolder folder;
  fs::create_directory(folder / ".run.xsp.tmp-1-0");
  test::WriteFile(folder / ".run.xsp.tmp-1-0/events.parquet", "half");
  fs::create_directory(folder / ".run.xsp.tmp-2-0");
  fs::create_directory(folder / ".other.xsp.tmp-1-0");
  const int living = ::open((folder / ".run.xsp.tmp-2-0").c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(::flock(living, LOCK_EX) == 0);
  WriteStoredTrace(SampleTrace(5), {}, folder / "run.xsp");
  CHECK(folder.Names() == Names{".other.xsp.tmp-1-0", ".run.xsp.tmp-2-0", "run.xsp"});
  ::close(living);
}

TEST_CASE("a writer that is killed half-way leaves no folder of the final name") {
  TemporaryFolder folder;
  const ::pid_t child = ::fork();
  if (child == 0) {
    Impatient progress(30, [] { ::kill(::getpid(), SIGKILL); });
    WriteStoredTrace(SampleTrace(2000), {}, folder / "run.xsp", &progress);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  CHECK_FALSE(fs::exists(folder / "run.xsp"));
  CHECK(folder.Names().size() == 1);
  WriteStoredTrace(SampleTrace(5), {}, folder / "run.xsp");
  CHECK(folder.Names() == Names{"run.xsp"});
}

TEST_CASE("several writers of one name leave one whole stored trace") {
  TemporaryFolder folder;
  const Trace trace = SampleTrace(50);
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 4; ++i) {
      writers.emplace_back([&] { WriteStoredTrace(trace, {}, folder / "run.xsp"); });
    }
  }
  CHECK(folder.Names() == Names{"run.xsp"});
  CHECK(LoadStoredTrace(folder / "run.xsp") == trace);
}

}  // namespace
}  // namespace xsp
