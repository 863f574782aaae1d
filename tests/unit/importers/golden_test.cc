#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "model/error.h"
#include "tests/support/dump.h"
#include "tests/support/mini_nsys.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

// What becomes of an export: its trace as text, or why it is refused.
std::string OutcomeOf(const fs::path& script) {
  const test::MiniExport mini(test::ReadText(script), script.parent_path());
  try {
    return test::Dump(mini.Import());
  } catch (const Error& error) {
    std::string text = error.what();
    text.replace(text.find(mini.file().string()), mini.file().string().size(), "FILE");
    return "refused: " + text + "\nhint: " + error.hint() + "\n";
  }
}

}  // namespace

// tests/golden/importers/NAME.sql makes an export, NAME.expected is what must come out of it.
// XSP_UPDATE_GOLDEN=1 writes the expectations anew; look at the difference before you commit it.
TEST_CASE("small exports become exactly the expected traces") {
  const fs::path folder = test::SourceDir() / "tests/golden/importers";
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".sql") continue;
    ++cases;
    INFO(entry.path().filename().string());
    const std::string outcome = OutcomeOf(entry.path());
    const fs::path expected = fs::path(entry.path()).replace_extension(".expected");
    if (std::getenv("XSP_UPDATE_GOLDEN") != nullptr) test::WriteText(expected, outcome);
    REQUIRE(fs::exists(expected));
    CHECK(outcome == test::ReadText(expected));
  }
  CHECK(cases > 40);
}

}  // namespace xsp
