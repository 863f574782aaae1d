#include <catch2/catch.hpp>

#include "base/error.h"
#include "model/building/trace_builder.h"
#include "store/stored_trace.h"
#include "tests/unit/store/sample_trace.h"
#include "tests/unit/store/temporary_folder.h"

namespace xsp {
namespace {

using test::SampleTrace;
using test::TemporaryFolder;

const SourceStamp kSource{"run.sqlite", 123, -4, std::string(64, 'a')};

TEST_CASE("a stored trace with every kind and every column loads as an equal trace") {
  TemporaryFolder folder;
  const Trace trace = SampleTrace(500);
  WriteStoredTrace(trace, kSource, folder / "run.xsp");
  CHECK(LoadStoredTrace(folder / "run.xsp") == trace);
}

TEST_CASE("a stored trace of several row groups loads as an equal trace") {
  TemporaryFolder folder;
  const Trace trace = SampleTrace(30'000);
  WriteStoredTrace(trace, kSource, folder / "run.xsp");
  CHECK(LoadStoredTrace(folder / "run.xsp") == trace);
}

TEST_CASE("an empty trace is stored as a manifest alone and loads") {
  TemporaryFolder folder;
  const Trace trace{TraceTables{}};
  WriteStoredTrace(trace, kSource, folder / "run.xsp");
  CHECK(LoadStoredTrace(folder / "run.xsp") == trace);
  CHECK(std::distance(std::filesystem::directory_iterator(folder / "run.xsp"), {}) == 1);
}

TEST_CASE("a table without rows has no file, but stands in the manifest") {
  TemporaryFolder folder;
  TraceBuilder builder;
  builder.InternProcess(7, 7);
  WriteStoredTrace(std::move(builder).Build(), kSource, folder / "run.xsp");
  const StoredManifest manifest = ReadManifest(folder / "run.xsp");
  CHECK(manifest.tables.at("processes").rows == 1);
  CHECK(manifest.tables.at("kernels").rows == 0);
  CHECK(std::filesystem::exists(folder / "run.xsp" / "processes.parquet"));
  CHECK_FALSE(std::filesystem::exists(folder / "run.xsp" / "kernels.parquet"));
}

TEST_CASE("the manifest alone tells source, counts and import log") {
  TemporaryFolder folder;
  const Trace trace = SampleTrace(3);
  WriteStoredTrace(trace, kSource, folder / "run.xsp");
  const StoredManifest manifest = ReadManifest(folder / "run.xsp");
  CHECK(manifest.major == kFormatMajor);
  CHECK(manifest.source == kSource);
  CHECK(manifest.info == trace.info());
  CHECK(manifest.log == trace.log());
  CHECK(manifest.kind_counts == trace.tables().kind_counts);
  CHECK(manifest.tables.at("events").rows == 3 * kEventKindCount);
}

TEST_CASE("the same trace gives the same bytes") {
  TemporaryFolder folder;
  const Trace trace = SampleTrace(100);
  WriteStoredTrace(trace, kSource, folder / "a.xsp");
  WriteStoredTrace(trace, kSource, folder / "b.xsp");
  // The manifest holds the checksums of all others.
  CHECK(test::ReadFile(folder / "a.xsp/manifest.json") ==
        test::ReadFile(folder / "b.xsp/manifest.json"));
}

TEST_CASE("a text that is not UTF-8 cannot be stored and leaves nothing behind") {
  TemporaryFolder folder;
  TraceTables tables;
  tables.strings.Intern("bad \xff text");
  const Trace in_strings(std::move(tables));
  CHECK_THROWS_WITH(WriteStoredTrace(in_strings, kSource, folder / "run.xsp"),
                    Catch::Contains("run.xsp") && Catch::Contains("not valid UTF-8"));

  TraceTables other;
  other.info.unused_tables = {"\xc3"};
  const Trace in_info(std::move(other));
  CHECK_THROWS_WITH(WriteStoredTrace(in_info, kSource, folder / "run.xsp"),
                    Catch::Contains("run.xsp") && Catch::Contains("not valid UTF-8"));
  CHECK(folder.Names().empty());
}

TEST_CASE("SHA-256 of a file is that of its content") {
  TemporaryFolder folder;
  test::WriteFile(folder / "abc", "abc");
  CHECK(Sha256OfFile(folder / "abc") ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  test::WriteFile(folder / "empty", "");
  CHECK(Sha256OfFile(folder / "empty") ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK_THROWS_AS(Sha256OfFile(folder / "none"), Error);
  CHECK_THROWS_AS(Sha256OfFile(folder.path()), Error);
}

}  // namespace
}  // namespace xsp
