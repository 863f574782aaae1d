#include "cli/terminal/progress_bar.h"

#include <catch2/catch.hpp>

#include "cli/inputs/hash_task.h"
#include "cli/terminal/signals.h"
#include "importers/importer.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

using std::chrono::milliseconds;

// Ctrl-C for the time of a test.
struct PressedCtrlC {
  PressedCtrlC() { RequestInterrupt(); }
  ~PressedCtrlC() { RequestInterrupt(false); }
};

TEST_CASE("the line shows share, rate and time left") {
  CHECK(ProgressBar::Line("Reading", 500, 1000, "rows", milliseconds(2000)) ==
        "Reading  ━━━━━━━━━━━━               50 %  250 rows/s  3 s left");
  CHECK(ProgressBar::Line("Reading", 3 << 20, 12 << 20, "bytes", milliseconds(1000)) ==
        "Reading  ━━━━━━                     25 %  3.00 MiB/s  4 s left");
}

TEST_CASE("without a total there is no bar, and the end shows no time left") {
  CHECK(ProgressBar::Line("Reading", 2500, 0, "rows", milliseconds(1000)) ==
        "Reading  2.5 k rows  2.5 k rows/s");
  CHECK(ProgressBar::Line("Reading", 10, 10, "rows", milliseconds(1000)) ==
        "Reading  ━━━━━━━━━━━━━━━━━━━━━━━━  100 %  10 rows/s");
}

TEST_CASE("more than everything is still 100 percent") {
  const std::string line = ProgressBar::Line("R", 20, 10, "rows", milliseconds(1000));
  CHECK(line.find("100 %") != std::string::npos);
}

TEST_CASE("Ctrl-C interrupts work at its next step, seen or hidden") {
  ProgressBar progress(ProgressBar::Visibility::kHidden);
  progress.Start("Reading", 10, "rows");
  CHECK_NOTHROW(progress.Advance(1));
  const PressedCtrlC pressed;
  CHECK_THROWS_AS(progress.Advance(1), Interrupted);
  CHECK_THROWS_AS(progress.Start("Writing", 10, "rows"), Interrupted);
}

TEST_CASE("Ctrl-C interrupts an import and its hash") {
  const auto traces = test::RealTracesOrSkip();
  if (!traces) return;
  const auto file = test::FilesBelow(*traces / "nsys", ".sqlite").front();
  const PressedCtrlC pressed;
  ProgressBar progress(ProgressBar::Visibility::kHidden);
  ImportOptions options;
  options.progress = &progress;
  CHECK_THROWS_AS(ImportFile(file, options), Interrupted);
  HashTask hash(file);
  CHECK_THROWS_AS(hash.Wait(), Interrupted);
}

}  // namespace
}  // namespace xsp
