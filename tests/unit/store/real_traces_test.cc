#include "tests/support/real_traces.h"

#include <catch2/catch.hpp>

#include "importers/importer.h"
#include "store/stored_trace.h"
#include "tests/unit/store/temporary_folder.h"

namespace xsp {
namespace {

TEST_CASE("every real trace loads from its stored form as an equal trace") {
  const auto traces = test::RealTracesOrSkip();
  if (!traces) return;
  test::TemporaryFolder folder;
  auto files = test::FilesBelow(*traces / "nsys", ".sqlite");
  for (const auto& file : test::FilesBelow(*traces / "nsys_stats", ".sqlite"))
    files.push_back(file);
  CHECK(files.size() > 35);
  for (const auto& file : files) {
    INFO(file.filename().string());
    const Trace trace = ImportFile(file);
    WriteStoredTrace(trace, {}, folder / "run.xsp");
    CHECK(LoadStoredTrace(folder / "run.xsp") == trace);
  }
}

}  // namespace
}  // namespace xsp
