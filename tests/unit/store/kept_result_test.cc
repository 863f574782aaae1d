#include "store/kept_result.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "store/stored_trace.h"
#include "tests/unit/store/sample_trace.h"
#include "tests/unit/store/temporary_folder.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;
using test::ReadFile;
using test::SampleTrace;
using test::TemporaryFolder;
using test::WriteFile;

// A stored trace with a result beside it.
class WithResult {
 public:
  WithResult() {
    WriteStoredTrace(SampleTrace(20), {}, stored());
    Kept().Write("forty-two\n");
  }

  fs::path stored() const { return folder_ / "run.xsp"; }
  fs::path file() const { return stored() / "answer.kept"; }
  KeptResult Kept(const std::string& rules = "rules 1") const {
    return KeptResult(stored(), "answer", rules);
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("a kept result comes back as it was, and the trace stays what it is") {
  const WithResult trace;
  CHECK(trace.Kept().Read() == "forty-two\n");
  CHECK(LoadStoredTrace(trace.stored()) == SampleTrace(20));
  trace.Kept().Write("");
  CHECK(trace.Kept().Read() == "");
  for (const auto& entry : fs::directory_iterator(trace.stored())) {
    CHECK(entry.path().filename().string().front() != '.');
  }
}

TEST_CASE("a result of other rules, or under another name, is none") {
  const WithResult trace;
  CHECK_FALSE(trace.Kept("rules 2").Read());
  CHECK_FALSE(KeptResult(trace.stored(), "question", "rules 1").Read());
}

TEST_CASE("a result of another trace is none") {
  const WithResult trace;
  const std::string kept = ReadFile(trace.file());
  WriteStoredTrace(SampleTrace(21), {}, trace.stored());
  CHECK_FALSE(trace.Kept().Read());  // It went with the trace before.
  WriteFile(trace.file(), kept);
  CHECK_FALSE(trace.Kept().Read());
}

TEST_CASE("a damaged result is none") {
  const WithResult trace;
  const std::string good = ReadFile(trace.file());
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    WriteFile(trace.file(), bad);
    CHECK_FALSE(trace.Kept().Read());
    WriteFile(trace.file(), good.substr(0, at));
    CHECK_FALSE(trace.Kept().Read());
  }
  WriteFile(trace.file(), good);
  CHECK(trace.Kept().Read());
}

TEST_CASE("a result beside tables that are no longer whole is none") {
  const WithResult trace;
  const fs::path table = trace.stored() / "events.parquet";
  const std::string content = ReadFile(table);
  WriteFile(table, content.substr(1));
  CHECK_FALSE(trace.Kept().Read());
  fs::remove(table);
  CHECK_FALSE(trace.Kept().Read());
  WriteFile(table, content);
  CHECK(trace.Kept().Read());
}

TEST_CASE("a result of a trace that was replaced meanwhile is not kept") {
  const WithResult trace;
  const KeptResult of_old = trace.Kept();
  WriteStoredTrace(SampleTrace(21), {}, trace.stored());
  of_old.Write("of the old one");
  CHECK_FALSE(fs::exists(trace.file()));
}

TEST_CASE("what is no ordinary file is none, and a result takes its place") {
  const WithResult trace;
  const std::string kept = ReadFile(trace.file());
  const fs::path elsewhere = trace.stored().parent_path() / "elsewhere";
  WriteFile(elsewhere, kept);
  fs::remove(trace.file());
  SECTION("a link") { fs::create_symlink(elsewhere, trace.file()); }
  SECTION("a pipe") { REQUIRE(mkfifo(trace.file().c_str(), 0600) == 0); }
  CHECK_FALSE(trace.Kept().Read());
  trace.Kept().Write("anew");
  CHECK(trace.Kept().Read() == "anew");
  CHECK(fs::is_regular_file(fs::symlink_status(trace.file())));
  CHECK(ReadFile(elsewhere) == kept);
}

TEST_CASE("where nothing can be written, nothing is kept and nothing said") {
  const WithResult trace;
  fs::remove(trace.file());
  SECTION("a folder in its place") { fs::create_directories(trace.file() / "full"); }
  SECTION("a trace that nobody may write to") {
    if (geteuid() == 0) return;
    fs::permissions(trace.stored(), fs::perms::owner_read | fs::perms::owner_exec);
  }
  SECTION("no trace") { fs::remove_all(trace.stored()); }
  SECTION("too large a result") {
    trace.Kept().Write(std::string(17 << 20, 'x'));
    CHECK_FALSE(fs::exists(trace.file()));
    return;
  }
  trace.Kept().Write("answer");
  CHECK_FALSE(trace.Kept().Read());
  std::error_code error;
  fs::permissions(trace.stored(), fs::perms::owner_all, error);
  for (fs::directory_iterator it(trace.stored(), error), end; !error && it != end; ++it) {
    CHECK(it->path().filename().string().front() != '.');
  }
}

TEST_CASE("too large a file is none, however sound") {
  const WithResult trace;
  fs::resize_file(trace.file(), 17 << 20);
  CHECK_FALSE(trace.Kept().Read());
}

TEST_CASE("nothing is written into the stored trace of another user") {
  if (geteuid() != 0) return;  // Only root can give a folder away.
  const WithResult trace;
  fs::remove(trace.file());
  REQUIRE(chown(trace.stored().c_str(), 65534, 65534) == 0);
  trace.Kept().Write("mine");
  CHECK_FALSE(fs::exists(trace.file()));
}

TEST_CASE("a result can be read by no more people than the trace") {
  const WithResult trace;
  fs::permissions(trace.stored() / "manifest.json", fs::perms::owner_read | fs::perms::owner_write);
  trace.Kept().Write("secret");
  CHECK(fs::status(trace.file()).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

}  // namespace
}  // namespace xsp
