// An export of nsys, as it is and salvaged.
#include "base/error.h"
#include "importers/job_facts.h"
#include "importers/nsys/sqlite.h"
#include "tests/fuzz/targets/input_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = xsp::fuzz::InputFile(xsp::fuzz::TextOf(data, size));
  xsp::ReadJobFacts(file);
  for (bool salvage : {false, true}) {
    try {
      xsp::ImportOptions options;
      options.salvage = salvage;
      options.threads = 1;
      xsp::ImportNsysSqlite(file, options);
    } catch (const xsp::Error&) {
    }
  }
  return 0;
}
