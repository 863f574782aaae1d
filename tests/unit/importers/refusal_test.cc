#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/support/mini_nsys.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using test::RefusalOf;

// A file beside a small export, in its temporary folder.
class OddFile {
 public:
  explicit OddFile(std::string_view content) : file_(mini_.file().parent_path() / "odd.sqlite") {
    test::WriteText(file_, content);
  }
  const fs::path& path() const { return file_; }
  std::string Refusal() const { return RefusalOf(file_); }

 private:
  test::MiniExport mini_{"CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)"};
  fs::path file_;
};

}  // namespace

TEST_CASE("real files that are no exports are refused by what they are") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  const auto bad = *folder / "bad";
  CHECK_THAT(RefusalOf(bad / "dlprof_dldb_not_nsys.sqlite"), Contains("DLProf"));
  CHECK_THAT(RefusalOf(bad / "lfs_pointer_koshiq_report1.sqlite"), Contains("git lfs pull"));
  CHECK_THAT(RefusalOf(bad / "pipit_docs_test.sqlite"), Contains("not of nsys"));
  CHECK_THAT(RefusalOf(bad / "report.qdrep"), Contains("nsys export --type sqlite"));
}

TEST_CASE("files that are no traces are refused by their content, with what to do") {
  CHECK_THAT(OddFile("").Refusal(), Contains("empty"));
  CHECK_THAT(OddFile("version https://git-lfs.github.com/spec/v1\noid sha256:1\n").Refusal(),
             Contains("git-LFS pointer") && Contains("git lfs pull"));
  CHECK_THAT(OddFile("NVIDIA Tegra Profiler Report 1.").Refusal(),
             Contains("nsys export --type sqlite"));
  CHECK_THAT(OddFile(R"({"schemaVersion": 1, "traceEvents": []})").Refusal(),
             Contains("holds no events"));
  CHECK_THAT(OddFile("\x1f\x8b\x08").Refusal(), Contains("gzip"));
  CHECK_THAT(OddFile("PAR1....").Refusal(), Contains("Parquet"));
  CHECK_THAT(OddFile("hello world\n").Refusal(), Contains("not a trace"));
  CHECK_THAT(OddFile("SQLite format 2").Refusal(), Contains("not a trace"));
}

TEST_CASE("every refusal names the file") {
  const OddFile odd("hello");
  CHECK_THAT(odd.Refusal(), Contains(odd.path().string()));
}

TEST_CASE("a folder, a missing file and a file without permission are refused") {
  const OddFile odd("SQLite format 3");
  CHECK_THAT(RefusalOf(odd.path().parent_path()), Contains("is a folder"));
  CHECK_THAT(RefusalOf(odd.path().parent_path() / "absent"), Contains("no such file"));
  if (geteuid() == 0) return;  // Root may read everything.
  fs::permissions(odd.path(), fs::perms::none);
  CHECK_THAT(odd.Refusal(), Contains("cannot be opened"));
}

}  // namespace xsp
