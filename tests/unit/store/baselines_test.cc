#include "store/baselines/baselines.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <fstream>

#include "base/error.h"
#include "tests/unit/store/sample_trace.h"
#include "tests/unit/store/temporary_folder.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using test::SampleTrace;
using test::TemporaryFolder;

constexpr std::int64_t kNoon = 1769860800;  // 2026-01-31 12:00:00 UTC.

SourceStamp From(const std::string& name) { return {name, 1, 2, ""}; }

// Counts how often a run had to be read.
struct Reader {
  int reads = 0;
  DescribeRun Describe() {
    return [this](const Trace& trace) {
      ++reads;
      return RunFacts{"T4", trace.event_count()};
    };
  }
};

BaselineWriter::Result Save(const fs::path& folder, std::string_view name, std::uint64_t seed,
                            bool replace = false, std::int64_t time = kNoon) {
  BaselineWriter writer(folder, name);
  const Trace trace = SampleTrace(3, seed);
  writer.Add(trace, From("run" + std::to_string(seed)), {"T4", trace.event_count()});
  return writer.Commit(replace, time);
}

TEST_CASE("runs that were saved are listed, by name and age") {
  TemporaryFolder folder;
  Save(folder.path(), "main", 2, false, kNoon + 60);
  Save(folder.path(), "main", 1);
  Save(folder.path(), "feature/x", 3);
  Reader reader;
  const std::vector<Baseline> baselines = ListBaselines(folder.path(), reader.Describe());
  REQUIRE(baselines.size() == 2);
  CHECK(baselines[0].name == "feature/x");
  REQUIRE(baselines[1].runs.size() == 2);
  CHECK(baselines[1].runs[0].source == "run1");
  CHECK(baselines[1].runs[0].Created() == "2026-01-31 12:00:00 UTC");
  CHECK(baselines[1].runs[1].Created() == "2026-01-31 12:01:00 UTC");
  CHECK(baselines[1].runs[0].facts.gpu == "T4");
  CHECK(LoadStoredTrace(baselines[1].runs[0].folder) == SampleTrace(3, 1));
  CHECK(reader.reads == 0);
}

TEST_CASE("a folder that is not there holds no baselines") {
  TemporaryFolder folder;
  Reader reader;
  CHECK(ListBaselines(folder / "none", reader.Describe()).empty());
  CHECK_FALSE(FindBaseline(folder / "none", "main", reader.Describe()).has_value());
  CHECK_FALSE(RemoveBaseline(folder / "none", "main"));
  CHECK_FALSE(fs::exists(folder / "none"));
}

TEST_CASE("the same run saved twice is one run") {
  TemporaryFolder folder;
  CHECK(Save(folder.path(), "main", 1).added == 1);
  const BaselineWriter::Result again = Save(folder.path(), "main", 1, false, kNoon + 5);
  CHECK(again.added == 0);
  CHECK(again.known == 1);
  Reader reader;
  CHECK(FindBaseline(folder.path(), "main", reader.Describe())->runs.size() == 1);
}

TEST_CASE("replacing keeps only what is new") {
  TemporaryFolder folder;
  Save(folder.path(), "main", 1);
  Save(folder.path(), "main", 2);
  const BaselineWriter::Result result = Save(folder.path(), "main", 3, true);
  CHECK(result.added == 1);
  CHECK(result.removed == 2);
  Reader reader;
  const auto baseline = FindBaseline(folder.path(), "main", reader.Describe());
  REQUIRE(baseline->runs.size() == 1);
  CHECK(baseline->runs[0].source == "run3");
  // The one that is there stays if it is saved once more.
  CHECK(Save(folder.path(), "main", 3, true).removed == 0);
  CHECK(FindBaseline(folder.path(), "main", reader.Describe())->runs.size() == 1);
}

// Saves runs of these times together, in the place of those before.
void Replace(const fs::path& folder, const std::vector<std::uint64_t>& step_ns,
             std::uint64_t first_seed) {
  BaselineWriter writer(folder, "main");
  for (std::size_t i = 0; i < step_ns.size(); ++i) {
    writer.Add(SampleTrace(3, first_seed + i), From("run"), {"T4", 5, step_ns[i], 10 * step_ns[i]});
  }
  writer.Commit(true, kNoon);
}

TEST_CASE("a baseline remembers how far runs that were replaced lay apart") {
  TemporaryFolder folder;
  Reader reader;
  auto noise = [&] { return FindBaseline(folder.path(), "main", reader.Describe())->noise; };
  Replace(folder.path(), {100, 101, 99}, 1);
  CHECK(noise() == BaselineNoise{});  // They are there: nothing to remember.
  Replace(folder.path(), {200}, 10);
  CHECK(noise().step.degrees == 2);
  CHECK(noise().step.squares == Approx(0.0002));
  CHECK(noise().span.degrees == 2);
  Replace(folder.path(), {110, 110, 110}, 20);  // One run alone says nothing.
  CHECK(noise().step.degrees == 2);
  Replace(folder.path(), {100}, 30);
  CHECK(noise().step.degrees == 4);
  CHECK(noise().step.squares == Approx(0.0002));
  std::ofstream(folder / "main/noise.json") << "{\"xsp_noise\": 1, \"step\": {\"squares\": -1";
  CHECK(noise() == BaselineNoise{});
  for (const char* odd :
       {R"({"squares": 1e308, "degrees": 1e-300})", R"({"squares": 0, "degrees": 1e300})",
        R"({"squares": 1, "degrees": 0})"}) {
    CAPTURE(odd);
    std::ofstream(folder / "main/noise.json")
        << R"({"xsp_noise": 1, "step": )" << odd << R"(, "span": )" << odd << "}";
    CHECK(noise() == BaselineNoise{});
  }
  CHECK(RemoveBaseline(folder.path(), "main"));
  CHECK_FALSE(fs::exists(folder / "main"));
}

TEST_CASE("what a baseline remembers fades") {
  TemporaryFolder folder;
  Replace(folder.path(), {100, 110, 90}, 0);
  for (std::uint64_t i = 1; i < 60; ++i) Replace(folder.path(), {100, 101, 99}, 10 * i);
  const ScatterOfRuns step = ReadNoise(folder / "main").step;
  CHECK(step.degrees == Approx(30));
  CHECK(std::sqrt(step.squares / step.degrees) < 0.013);
}

TEST_CASE("a removed baseline is gone, its neighbours are not") {
  TemporaryFolder folder;
  Save(folder.path(), "a", 1);
  Save(folder.path(), "b", 2);
  CHECK(RemoveBaseline(folder.path(), "a"));
  CHECK_FALSE(RemoveBaseline(folder.path(), "a"));
  Reader reader;
  CHECK(ListBaselines(folder.path(), reader.Describe()).size() == 1);
  CHECK_FALSE(fs::exists(folder / "a"));
  CHECK(reader.reads == 0);
}

TEST_CASE("an index that is missing, damaged or behind is made anew") {
  TemporaryFolder folder;
  Save(folder.path(), "main", 1);
  const std::string index = test::ReadFile(folder / "index.json");
  Save(folder.path(), "main", 2, false, kNoon + 1);
  const std::string both = test::ReadFile(folder / "index.json");
  const std::string broken = GENERATE("", "{", "[1]", "{\"xsp_baselines\": 9}", "behind");
  test::WriteFile(folder / "index.json", broken == "behind" ? index : broken);
  Reader reader;
  CHECK(FindBaseline(folder.path(), "main", reader.Describe())->runs.size() == 2);
  CHECK(reader.reads == (broken == "behind" ? 1 : 2));
  CHECK(test::ReadFile(folder / "index.json") == both);
}

TEST_CASE("a run that is damaged is told, and goes only where runs are replaced") {
  TemporaryFolder folder;
  Save(folder.path(), "main", 1);
  Save(folder.path(), "main", 2, false, kNoon + 1);
  Reader reader;
  const auto sound = FindBaseline(folder.path(), "main", reader.Describe());
  CHECK(sound->damaged.empty());
  test::WriteFile(sound->runs[0].folder / "manifest.json", "{");
  const auto one = FindBaseline(folder.path(), "main", reader.Describe());
  CHECK(one->runs.size() == 1);
  CHECK(one->damaged == std::vector{sound->runs[0].folder});
  fs::remove(sound->runs[1].folder / "manifest.json");
  const auto none = FindBaseline(folder.path(), "main", reader.Describe());
  REQUIRE(none);  // A baseline that is broken is not one that was never made.
  CHECK(none->runs.empty());
  CHECK(none->damaged.size() == 2);
  CHECK_THROWS_WITH(Save(folder.path(), "main", 3), Contains("damaged"));
  CHECK(Save(folder.path(), "main", 3, true).removed == 2);
  const auto anew = FindBaseline(folder.path(), "main", reader.Describe());
  CHECK(anew->runs.size() == 1);
  CHECK(anew->damaged.empty());
  fs::remove(anew->runs[0].folder / "manifest.json");
  CHECK(Save(folder.path(), "main", 3, true).removed == 1);  // Within the same second.
  fs::remove(anew->runs[0].folder / "manifest.json");
  CHECK(RemoveBaseline(folder.path(), "main"));
  CHECK_FALSE(fs::exists(folder / "main"));
}

TEST_CASE("a run that is damaged is replaced by itself, be it within a second") {
  TemporaryFolder folder;
  Save(folder.path(), "main", 1);
  Reader reader;
  const auto sound = FindBaseline(folder.path(), "main", reader.Describe());
  test::WriteFile(sound->runs[0].folder / "manifest.json", "{");
  const BaselineWriter::Result result = Save(folder.path(), "main", 1, true);
  CHECK(result.added == 1);
  CHECK(result.removed == 1);
  const auto anew = FindBaseline(folder.path(), "main", reader.Describe());
  CHECK(anew->runs.size() == 1);
  CHECK(anew->damaged.empty());
}

TEST_CASE("runs that were deleted by hand leave the index") {
  TemporaryFolder folder;
  Save(folder.path(), "main", 1);
  fs::remove_all(folder / "main");
  Reader reader;
  CHECK(ListBaselines(folder.path(), reader.Describe()).empty());
  CHECK_THAT(test::ReadFile(folder / "index.json"), !Contains("main"));
}

TEST_CASE("what is not committed leaves nothing behind") {
  TemporaryFolder folder;
  {
    BaselineWriter writer(folder.path(), "main");
    writer.Add(SampleTrace(3), From("x"), {});
  }
  CHECK(folder.Names().empty());
}

TEST_CASE("two processes that save at once lose nothing") {
  TemporaryFolder folder;
  constexpr std::uint64_t kEach = 6;
  std::vector<::pid_t> children;
  for (std::uint64_t child = 0; child < 2; ++child) {
    children.push_back(::fork());
    if (children.back() == 0) {
      int code = 0;
      try {
        for (std::uint64_t i = 0; i < kEach; ++i) Save(folder.path(), "main", 100 * child + i);
      } catch (...) {
        code = 1;
      }
      ::_exit(code);
    }
  }
  for (::pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  Reader reader;
  const auto baseline = FindBaseline(folder.path(), "main", reader.Describe());
  REQUIRE(baseline);
  CHECK(baseline->runs.size() == 2 * kEach);
  CHECK(reader.reads == 0);  // The index has them all, too.
  for (const BaselineRun& run : baseline->runs) CHECK_NOTHROW(LoadStoredTrace(run.folder));
}

// Kills its own process after some progress.
class Killer final : public Progress {
 public:
  explicit Killer(int patience) : patience_(patience) {}
  void Start(std::string_view, std::uint64_t, std::string_view) override {}
  void Advance(std::uint64_t) override {
    if (--patience_ < 0) ::kill(::getpid(), SIGKILL);
  }

 private:
  std::atomic<int> patience_;
};

TEST_CASE("a writer that is killed does no harm, and the next one cleans up") {
  TemporaryFolder folder;
  const bool before_commit = GENERATE(true, false);
  const ::pid_t child = ::fork();
  if (child == 0) {
    Save(folder.path(), "main", 1);
    BaselineWriter writer(folder.path(), "main");
    Killer killer(before_commit ? 30 : 1'000'000'000);
    writer.Add(SampleTrace(2000, 2), From("x"), {}, &killer);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  Reader reader;
  CHECK(FindBaseline(folder.path(), "main", reader.Describe())->runs.size() == 1);
  Save(folder.path(), "main", 3, false, kNoon + 1);
  CHECK(FindBaseline(folder.path(), "main", reader.Describe())->runs.size() == 2);
  for (const auto& entry : fs::directory_iterator(folder / "main")) {
    CHECK_FALSE(entry.path().filename().string().starts_with("."));
  }
}

TEST_CASE("any name can be a baseline's, and none leaves the folder") {
  CHECK(FolderOfBaseline("main") == "main");
  CHECK(FolderOfBaseline("feature/größe x") == "feature%2Fgr%C3%B6%C3%9Fe%20x");
  CHECK(FolderOfBaseline("..") == "%2E.");
  CHECK(BaselineOfFolder("feature%2Fgr%C3%B6%C3%9Fe%20x") == "feature/größe x");
  CHECK_FALSE(BaselineOfFolder("%6Dain").has_value());  // "main" is written otherwise.
  CHECK_FALSE(BaselineOfFolder("a b").has_value());
  CHECK_FALSE(BaselineOfFolder("%G0").has_value());
  CHECK_THROWS_AS(FolderOfBaseline(""), Error);
  CHECK_THROWS_AS(FolderOfBaseline(std::string(300, 'x')), Error);
}

}  // namespace
}  // namespace xsp
