#include "store/dataset/rank_store.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "base/error.h"
#include "store/dataset/dataset.h"
#include "store/parquet/schema.h"
#include "store/stored_trace.h"
#include "tests/support/real_traces.h"
#include "tests/unit/store/sample_trace.h"
#include "tests/unit/store/temporary_folder.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;
using test::ReadFile;
using test::SampleTrace;
using test::TemporaryFolder;
using test::WriteFile;

constexpr std::int64_t kUnknown = kMissing<std::int64_t>;

RankTables SampleRank(std::int64_t process) {
  RankTables rank;
  rank.process = process;
  rank.facts.global_rank = 3;
  rank.facts.host = "node \"1\"\n\xc3\xa9";
  rank.facts.session_start_ns = kUnknown;
  rank.facts.is_partial = process == 1;
  rank.steps = {{1, "step 1", "", "cold", -5, 10}, {2, "", "decode", "counted", 10, 40}};
  rank.budget = {{1, "compute", "", 15}, {2, "compute", "", 0}, {2, "blocking", "", 30}};
  CollectiveInstance one;
  one.communicator = "0x4d";
  one.sequence = 7;
  one.sequence_is_recorded = true;
  one.operation = "all_reduce";
  one.bytes = kUnknown;
  one.participants = 1'000'000'000'000;
  one.end_ns = 9;
  rank.collectives = {one, one};
  rank.collectives[1].sequence_is_recorded = false;
  RankSegment segment;
  segment.work_class = "gemm";
  segment.waits_for = 1;
  rank.segments = {segment};
  return rank;
}

// A stored trace of a dataset with small tables.
class StoredRank {
 public:
  explicit StoredRank(std::vector<RankTables> ranks = {SampleRank(0), SampleRank(1)}) {
    fs::create_directories(folder().parent_path());
    WriteStoredTrace(SampleTrace(20), {}, folder(), nullptr, &ranks);
  }
  fs::path folder() const { return folder_ / "run=r" / "global_rank=00003"; }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("small tables come back as they were, and the trace stays what it is") {
  const StoredRank stored;
  CHECK(LoadRankTables(stored.folder()) == std::vector{SampleRank(0), SampleRank(1)});
  CHECK(LoadStoredTrace(stored.folder()) == SampleTrace(20));
  CHECK(HasRankTables(stored.folder()));
}

TEST_CASE("tables without rows come back, too") {
  RankTables empty;
  empty.facts.global_rank = 3;
  const StoredRank stored({empty});
  CHECK(LoadRankTables(stored.folder()) == std::vector{empty});
  CHECK(fs::exists(stored.folder() / "segments.parquet"));
}

TEST_CASE("the folder of a dataset says which rank it is") {
  RankTables other = SampleRank(0);
  other.facts.global_rank = 9;
  const StoredRank stored({other});
  CHECK(LoadRankTables(stored.folder()).at(0).facts.global_rank == 3);
}

TEST_CASE("tables that are damaged, missing or of another trace are none") {
  for (const std::string name : {"steps", "budget", "collective_instances", "segments", "facts"}) {
    INFO(name);
    const StoredRank stored;
    const fs::path file = stored.folder() / (name + ".parquet");
    std::string bytes = ReadFile(file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    WriteFile(file, bytes);
    CHECK_FALSE(ReadRankTables(stored.folder()));
    fs::remove(file);
    CHECK_FALSE(ReadRankTables(stored.folder()));
    CHECK_THROWS_WITH(LoadRankTables(stored.folder()), Catch::Contains("has no small tables"));
  }
  const StoredRank stored;
  const std::string kept = ReadFile(stored.folder() / "ranks.kept");
  WriteStoredTrace(SampleTrace(21), {}, stored.folder());
  CHECK_FALSE(ReadRankTables(stored.folder()));
  WriteFile(stored.folder() / "ranks.kept", kept);
  CHECK_FALSE(ReadRankTables(stored.folder()));
}

TEST_CASE("tables whose times cannot be added up are none") {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  RankTables huge = SampleRank(0), before = huge, negative = huge, many = huge;
  huge.collectives[0].end_ns = kHuge;
  before.steps[1].end_ns = before.steps[1].begin_ns - 1;
  negative.budget[0].ns = -1;
  many.segments.resize(3, many.segments[0]);
  for (RankSegment& segment : many.segments) segment.busy_ns = kHuge / 8;
  for (const RankTables& rank : {huge, before, negative, many}) {
    CHECK_FALSE(ReadRankTables(StoredRank({rank}).folder()));
  }
}

TEST_CASE("tables are kept beside a trace that was stored without") {
  TemporaryFolder folder;
  WriteStoredTrace(SampleTrace(20), {}, folder / "run.xsp");
  CHECK_FALSE(HasRankTables(folder / "run.xsp"));
  KeepRankTables({SampleRank(0)}, folder / "run.xsp");
  CHECK(LoadRankTables(folder / "run.xsp") == std::vector{SampleRank(0)});
  KeepRankTables({SampleRank(1)}, folder / "run.xsp");
  CHECK(LoadRankTables(folder / "run.xsp") == std::vector{SampleRank(1)});
  for (const auto& entry : fs::directory_iterator(folder / "run.xsp")) {
    CHECK(entry.path().filename().string().front() != '.');
  }
}

TEST_CASE("names of ranks and runs") {
  CHECK(FolderOfRank(7) == "global_rank=00007");
  CHECK(FolderOfRank(1234567) == "global_rank=1234567");
  CHECK(RankOfFolder("global_rank=00007") == 7u);
  for (const char* name : {"global_rank=", "global_rank=7x", "global_rank=-1", "rank=7",
                           "global_rank=99999999999", ".global_rank=00007.tmp-1-0"}) {
    CHECK_FALSE(RankOfFolder(name));
  }
  CHECK(FolderOfRun("a b/c") == "run=a%20b%2Fc");
  CHECK(RunOfFolder("run=a%20b%2Fc") == "a b/c");
  CHECK_FALSE(RunOfFolder("runs"));
  CHECK_THROWS_AS(FolderOfRun(""), Error);
}

TEST_CASE("a removed rank is gone, unless somebody put something into it") {
  const StoredRank stored;
  const DatasetRun run = LookAtRun(stored.folder().parent_path());
  REQUIRE(run.ranks.size() == 1);
  WriteFile(stored.folder() / "notes.txt", "mine");
  CHECK_THROWS_WITH(RemoveRank(run, 3), Catch::Contains("holds notes.txt"));
  CHECK(fs::exists(stored.folder() / "manifest.json"));
  fs::remove(stored.folder() / "notes.txt");
  RemoveRun(run);
  CHECK_FALSE(fs::exists(run.folder));
}

TEST_CASE("docs/dataset.md has the small tables as they are stored") {
  constexpr std::string_view kBegin = "<!-- tables -->\n", kEnd = "<!-- end -->";
  const fs::path file = test::SourceDir() / "docs" / "dataset.md";
  std::string tables;
  for (const TableSchema& schema : RankTablesSchema()) tables += TableDocumentation(schema);
  const std::string text = ReadFile(file);
  const std::size_t begin = text.find(kBegin) + kBegin.size();
  const std::string wanted = text.substr(0, begin) + tables + "\n" + text.substr(text.find(kEnd));
  if (std::getenv("XSP_UPDATE_GOLDEN") != nullptr) WriteFile(file, wanted);
  CHECK(ReadFile(file) == wanted);
}

}  // namespace
}  // namespace xsp
