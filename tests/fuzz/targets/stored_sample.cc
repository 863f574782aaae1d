#include "tests/fuzz/targets/stored_sample.h"

#include "store/stored_trace.h"
#include "tests/unit/store/sample_trace.h"

namespace xsp::fuzz {

void WriteStoredSample(const std::filesystem::path& folder) {
  WriteStoredTrace(test::SampleTrace(5), {"sample.sqlite", 1, 1, ""}, folder);
}

std::vector<std::string> TablesOf(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& [name, table] : ReadManifest(folder).tables) {
    if (table.rows > 0) names.push_back(name);
  }
  return names;
}

}  // namespace xsp::fuzz
