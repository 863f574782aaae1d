#include "report/summary/summary_text.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "report/summary/summary_report.h"
#include "report/tables/json.h"
#include "tests/support/timeline.h"

namespace xsp {
namespace {

Summary SmallSummary() {
  Summary summary;
  summary.gpus = "2 x Example \"GPU\"";
  summary.program = 5000;
  summary.multiprocessors = 46;
  summary.format = "nsys-sqlite";
  summary.missing = MissingData{"OS calls", "--trace=osrt"};
  summary.window = {"mean of steps 3-8", TimeRange{-7, 993}, {}};
  summary.unit.is_step = true;
  summary.unit.first_step = 2;
  summary.unit.step_count = 6;
  summary.unit.period = 3;
  summary.unit.measured = 166;
  CountedSteps& steps = summary.unit.steps;
  steps.found = 9;
  steps.counted = {1, 2, 3, 4, 5, 7};
  steps.cold = {0};
  steps.outliers = {6};
  steps.left_out = {{8, LeftOut::kUnfinished}};
  steps.spread = 0.1 + 0.2;
  steps.cold_ns = 777;
  summary.work = {{1, "Example", {{WorkKind::kCopies, "copies: HtoD pinned", 40, 2, 1u << 20}}}};
  summary.idle.length = 166;
  summary.idle.devices.resize(1);
  summary.idle.devices[0].number = 1;
  summary.idle.devices[0].busy = 100;
  summary.idle.devices[0].idle = 66;
  summary.idle.devices[0].causes[3] = {66, 4};
  SummaryKernel kernel;
  kernel.device = 1;
  kernel.name = "gemm<µ>";
  kernel.count = 12;
  kernel.total_ns = 60;
  kernel.mean_ns = 5;
  kernel.longest_ns = 9;
  kernel.full_name = "void gemm<µ>(float*)";
  kernel.blocks = 1024;
  kernel.kernel_class = KernelClass::kGemm;
  kernel.flops = 1e12 / 3;
  kernel.peak_flop_rate = 2e13;
  kernel.precision = Precision::kBf16;
  summary.kernels = {kernel};
  summary.habits = {{&AllHabitRules()[2], 3, 50, -0.1}, {&AllHabitRules()[0], 1, 5, {}}};
  return summary;
}

// All that people and scripts get of it.
std::string ShownAs(const Summary& summary) {
  const Report report = MakeSummaryReport(summary, {}, {.path = "t.xsp"});
  std::string all;
  for (OutputFormat format : {OutputFormat::kTable, OutputFormat::kJson, OutputFormat::kMarkdown}) {
    all += WriteReport(report, format, TextLayout());
  }
  for (const Table* table : report.ScriptTables()) all += WriteCsvTable(*table);
  return all;
}

TEST_CASE("a summary comes back from its text as it was") {
  const Summary summary = SmallSummary();
  const std::optional<std::string> text = TextOf(summary);
  REQUIRE(text);
  const std::optional<Summary> back = SummaryFromText(*text);
  REQUIRE(back);
  CHECK(TextOf(*back) == text);
  CHECK(ShownAs(*back) == ShownAs(summary));
  CHECK(back->window.time->begin == -7);
  CHECK(back->unit.end_step() == 8);
  CHECK(back->kernels[0].flops == summary.kernels[0].flops);
  CHECK(back->habits[0].rule == summary.habits[0].rule);
}

TEST_CASE("so does one of a trace without work of devices") {
  const Summary summary =
      Summarize(test::MakeTrace("T1 0-100 api cudaMalloc"), {}, NameForm::kShort);
  const std::optional<std::string> text = TextOf(summary);
  REQUIRE(text);
  CHECK(ShownAs(*SummaryFromText(*text)) == ShownAs(summary));
}

TEST_CASE("what would come back as something else has no text") {
  Summary summary = SmallSummary();
  SECTION("a name that is no UTF-8") { summary.kernels[0].name = "gemm\xff"; }
  SECTION("a figure that is no number") { summary.habits[0].gain = -INFINITY; }
  SECTION("a time that the reader does not take") { summary.kernels[0].total_ns = -1; }
  CHECK_FALSE(TextOf(summary));
}

TEST_CASE("a text that is no summary, or one that no trace gives, is none") {
  const Json good = Json::parse(*TextOf(SmallSummary()));
  const auto is_none_with = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    return !SummaryFromText(bad.dump());
  };
  CHECK_FALSE(SummaryFromText(""));
  CHECK_FALSE(SummaryFromText("[]"));
  CHECK_FALSE(SummaryFromText("{}"));
  CHECK_FALSE(SummaryFromText(std::string(100'000, '[')));
  for (const auto& [field, value] : good.items()) {
    Json bad = good;
    bad.erase(field);
    CHECK_FALSE(SummaryFromText(bad.dump()));
  }
  CHECK_FALSE(is_none_with("/device_work/0/rows/0/0", 8));
  CHECK(is_none_with("/device_work/0/rows/0/0", 9));  // No kind of work.
  CHECK(is_none_with("/device_work/0/rows/0/1", "copies\x1b[2J"));
  CHECK(is_none_with("/device_work/0/rows/0/2", -1));
  CHECK(is_none_with("/device_work/0/rows/0/2", 1.5));
  CHECK(is_none_with("/device_work/0/number", std::uint64_t{1} << 32));
  CHECK(is_none_with("/device_work/0/name", 7));
  CHECK(is_none_with("/idle/0/causes/17", nullptr));
  CHECK(is_none_with("/idle/0/idle_ns", 67));   // Causes sum to it.
  CHECK(is_none_with("/idle", Json::array()));  // As many devices as in "device_work".
  CHECK(is_none_with("/window/time/0", "noon"));
  CHECK(is_none_with("/kernels/0/7", "magic"));
  CHECK(is_none_with("/kernels/0/9", 1e31));
  CHECK(is_none_with("/habits/0/0", "sloth"));
  // Together more than can be added up.
  CHECK_FALSE(is_none_with("/program_ns", std::int64_t{1} << 60));
  CHECK(is_none_with("/program_ns", std::int64_t{1} << 61));
}

TEST_CASE("a text with more rows than any trace has is none") {
  Json many = Json::parse(*TextOf(SmallSummary()));
  SECTION("kernels") {
    for (int i = 0; i < 100'000; ++i) many["kernels"].push_back(many["kernels"][0]);
  }
  SECTION("work") {
    Json& rows = many["device_work"][0]["rows"];
    for (int i = 0; i < 10'000; ++i) rows.push_back(rows[0]);
  }
  SECTION("habits") {
    for (int i = 0; i < 10; ++i) many["habits"].push_back(many["habits"][0]);
  }
  CHECK_FALSE(SummaryFromText(many.dump()));
}

}  // namespace
}  // namespace xsp
