#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "importers/importer.h"
#include "model/error.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

// What the user is told about a file that cannot be imported.
std::string RefusalOf(const std::filesystem::path& file) {
  try {
    ImportFile(file);
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint();
  }
  return "imported";
}

}  // namespace

TEST_CASE("real files that are no exports are refused by what they are") {
  using Catch::Contains;
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  const auto bad = *folder / "bad";
  CHECK_THAT(RefusalOf(bad / "dlprof_dldb_not_nsys.sqlite"), Contains("DLProf"));
  CHECK_THAT(RefusalOf(bad / "lfs_pointer_koshiq_report1.sqlite"), Contains("git lfs pull"));
  CHECK_THAT(RefusalOf(bad / "pipit_docs_test.sqlite"), Contains("not of nsys"));
  CHECK_THAT(RefusalOf(bad / "report.qdrep"), Contains("nsys export --type sqlite"));
  CHECK_THAT(RefusalOf(*folder / "kineto" / "hta_cpu_only.json.gz"), Contains("not supported"));
}

}  // namespace xsp
