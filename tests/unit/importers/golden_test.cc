#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "importers/importer.h"
#include "tests/support/dump.h"
#include "tests/support/mini_nsys.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

// What becomes of a file: its trace as text, or why it is refused.
std::string OutcomeOfFile(const fs::path& file) {
  try {
    return test::Dump(ImportFile(file));
  } catch (const Error& error) {
    std::string text = error.what();
    text.replace(text.find(file.string()), file.string().size(), "FILE");
    return "refused: " + text + "\nhint: " + error.hint() + "\n";
  }
}

// A script makes an export of nsys; a Kineto trace is text itself.
std::string OutcomeOf(const fs::path& input) {
  if (input.extension() == ".json") return OutcomeOfFile(input);
  const test::MiniExport mini(test::ReadText(input), input.parent_path());
  return OutcomeOfFile(mini.file());
}

}  // namespace

// tests/golden/importers/NAME.sql makes an export, or NAME.json is a Kineto trace; NAME.expected is
// what must come out of it.
// XSP_UPDATE_GOLDEN=1 writes the expectations anew; look at the difference before you commit it.
TEST_CASE("small exports become exactly the expected traces") {
  const fs::path folder = test::SourceDir() / "tests/golden/importers";
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path extension = entry.path().extension();
    if (extension != ".sql" && extension != ".json") continue;
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
