#include "report/tables/stored_report.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace xsp {
namespace {

Report SmallReport() {
  Report report("demo", {"runs/t.xsp", "xsp", "abc", true, "page 7"}, "2 x Example \"GPU\"",
                {"mean of steps 3-8", TimeRange{-7, 993}, {{"steps", "3-8"}}});
  report.Show(Headline{"Something decides.", Look::kWarning});
  report.Show("A sentence.\nAnother one.");
  Table kernels("Kernels", {{"total", "total_ns", ColumnKind::kDuration, kAlways},
                            {"", "bar", ColumnKind::kBar, 1},
                            {"rate", "rate", ColumnKind::kFloat, 8, 2},
                            {"kernel", "name", ColumnKind::kName, kAlways},
                            {"", "more", ColumnKind::kText, 0, 0, Readers::kJson}});
  kernels.AddRow({60, 0.1 + 0.2, 1e12 / 3, "gemm<µ>", JsonCell({{"b", 1}, {"a", {1.0, "x"}}})});
  kernels.AddRow({7, 0.0, std::nullopt, "=cmd", Cell()});
  kernels.ShowFirst(1);
  report.fields["step"] = Json{{"z", 1}, {"a", nullptr}, {"list", Json::array({1, 2.5, true})}};
  report.fields["of"] = {{"rows", report.AddBeside("kernels", kernels)}, {"n", 1}};
  report.fields["each"] = std::vector<Facts>{{{"k", "v"}}, {}};
  Table devices("Devices", {{"", "name", ColumnKind::kName}});
  devices.AddRow({"gemm<µ>"});
  devices.Nest("kernels", kernels, "name");
  devices.HideHeader();
  report.AddForScripts("devices", devices);
  devices.KeyBy("name");
  report.fields["by_name"] = RowsOf(devices);
  return report;
}

// All that people and scripts get of it.
std::string ShownAs(const Report& report) {
  std::string all;
  for (OutputFormat format : {OutputFormat::kTable, OutputFormat::kJson, OutputFormat::kMarkdown}) {
    all += WriteReport(report, format, TextLayout());
  }
  for (const Table* table : report.ScriptTables()) all += table->name() + WriteCsvTable(*table);
  return all;
}

TEST_CASE("a report comes back from its text as it was") {
  const std::optional<std::string> text = TextOf(SmallReport());
  REQUIRE(text);
  const std::optional<Report> back = ReportFromText(*text);
  REQUIRE(back);
  CHECK(TextOf(*back) == text);
  CHECK(ShownAs(*back) == ShownAs(SmallReport()));
}

TEST_CASE("what would come back as something else has no text") {
  Report report = SmallReport();
  Table table("", {{"n", "n", ColumnKind::kFloat}, {"ns", "ns", ColumnKind::kDuration}});
  SECTION("a name that is no UTF-8") { report.about = {"gemm\xff"}; }
  SECTION("a figure that is no number") { table.AddRow({-INFINITY, 1}); }
  SECTION("a time that the reader does not take") {
    table.AddRow({1.0, std::numeric_limits<std::int64_t>::max()});
  }
  SECTION("a document") { report.documents.emplace_back(OutputFormat::kDot, "digraph {}"); }
  report.Add("table", table);
  CHECK_FALSE(TextOf(report));
}

TEST_CASE("a text that is no report, or one that does harm, is none") {
  const Json good = Json::parse(*TextOf(SmallReport()));
  const auto is_none_with = [&](const char* pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    return !ReportFromText(bad.dump());
  };
  CHECK_FALSE(ReportFromText(""));
  CHECK_FALSE(ReportFromText("[]"));
  CHECK_FALSE(ReportFromText("{}"));
  CHECK_FALSE(ReportFromText(std::string(100'000, '[')));
  for (const auto& [field, value] : good.items()) {
    Json bad = good;
    bad.erase(field);
    CHECK_FALSE(ReportFromText(bad.dump()));
  }
  CHECK_FALSE(is_none_with("/sections/1", "other words"));
  CHECK(is_none_with("/sections/1", "words\x1b[2J"));
  CHECK(is_none_with("/sections/0/0", "words\x1b[2J"));
  CHECK(is_none_with("/sections/0/1", 6));  // No look.
  CHECK(is_none_with("/sections/2", 99));   // No table.
  CHECK(is_none_with("/window/time/0", "noon"));
  CHECK_FALSE(is_none_with("/tables/0/name", "others_2"));
  CHECK(is_none_with("/tables/0/name", "../others"));
  CHECK(is_none_with("/tables/0/columns/0/0", "\x1b[2J"));
  CHECK(is_none_with("/tables/0/columns/0/1", "\x1b[2J"));
  CHECK(is_none_with("/tables/0/columns/0/2", 10));  // No kind.
  CHECK(is_none_with("/tables/0/columns/0/4", 10));  // Decimals.
  CHECK(is_none_with("/tables/0/columns/0/4", -1));
  CHECK(is_none_with("/tables/0/columns/0/5", 5));  // Nobody reads it.
  CHECK(is_none_with("/tables/0/rows/0", Json::array({1, 2})));
  CHECK(is_none_with("/tables/0/rows/0/0", std::int64_t{1} << 62));
  CHECK(is_none_with("/tables/0/rows/0/0", 1e19));
  CHECK_FALSE(is_none_with("/tables/0/rows/0/2", 1e19));
  CHECK(is_none_with("/tables/0/rows/0/2", 1e31));
  CHECK(is_none_with("/tables/1/nested/0/1", "no such column"));
  CHECK(is_none_with("/tables/1/nested/0/2", 1));    // Itself.
  CHECK(is_none_with("/tables/0/key", "total_ns"));  // No names.
}

TEST_CASE("a text with more than any report has is none") {
  Json many = Json::parse(*TextOf(SmallReport()));
  SECTION("rows") {
    for (int i = 0; i < 400'000; ++i)
      many["tables"][0]["rows"].push_back(many["tables"][0]["rows"][1]);
  }
  SECTION("tables") {
    for (int i = 0; i < 1'000; ++i) many["tables"].push_back(many["tables"][0]);
  }
  SECTION("tables that are shown") {
    Json& rows = many["tables"][0]["rows"];
    for (int i = 0; i < 1'000; ++i) rows.push_back(rows[1]);
    for (int i = 0; i < 1'000; ++i) many["sections"].push_back(0);
  }
  SECTION("keys") {
    Json object = Json::array();
    for (int i = 0; i < 1'001; ++i) object.push_back({std::to_string(i), 0});
    many["fields"].push_back({"a", {{"json", {{"object", object}}}}});
  }
  CHECK_FALSE(ReportFromText(many.dump()));
}

}  // namespace
}  // namespace xsp
