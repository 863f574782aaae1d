#include "report/tables/report.h"

#include <catch2/catch.hpp>

namespace xsp {
namespace {

Report Sample() {
  Report report;
  report.command = "demo";
  report.traces = {{"runs/train.sqlite", "nsys-sqlite", std::nullopt, false, ""}};
  report.about = {"A GPU"};
  report.window.text = "steps 2-5 of 5";
  report.window.time = TimeRange{10, 20};
  report.window.filters = {{"steps", "2-5"}};
  report.Show("A sentence.");
  Table table("Numbers", {{"n", "n", ColumnKind::kInt, kAlways}});
  table.AddRow({7});
  report.Show(table);
  report.Add("numbers", table);
  report.fields["answer"] = 42;
  return report;
}

TEST_CASE("rows that are made when written look as if they had been there") {
  Table late("", {{"a", "a", ColumnKind::kInt}, {"b", "b", ColumnKind::kText}});
  late.SetRows(2, [](std::size_t i) { return std::vector<Cell>{i, i == 0 ? Cell("x") : Cell()}; });
  Table none("", {{"a", "a", ColumnKind::kInt}});
  Report report;
  report.fields["lists"] = std::vector<Facts>{{{"rows", report.AddBesideForScripts("late", late)}},
                                              {{"rows", report.AddBesideForScripts("none", none)}}};
  const std::string text = WriteReport(report, OutputFormat::kJson, {});
  CHECK(text == DumpJson(Json::parse(text)));
  CHECK(Json::parse(text)["lists"].dump() ==
        R"([{"rows":[{"a":0,"b":"x"},{"a":1,"b":null}]},{"rows":[]}])");
  CHECK(WriteCsvTable(late) == "a,b\r\n0,x\r\n1,\r\n");
}

TEST_CASE("the first line names file, GPU and window") {
  CHECK(WriteReport(Sample(), OutputFormat::kTable, {}) ==
        "train.sqlite · A GPU · steps 2-5 of 5\n\nA sentence.\n\nNumbers\n  n\n  7\n\n"
        "Numbers\n  n\n  7\n");
}

TEST_CASE("a salvaged trace is called partial in the first line and in JSON") {
  Report report = Sample();
  report.traces[0].partial = true;
  report.traces[0].partial_reason = "page 7 is damaged";
  const std::string text = WriteReport(report, OutputFormat::kTable, {});
  CHECK(text.substr(0, text.find('\n')).find("PARTIAL (page 7 is damaged)") != std::string::npos);
  const Json json = Json::parse(WriteReport(report, OutputFormat::kJson, {}));
  CHECK(json["trace"]["partial"] == true);
}

TEST_CASE("a JSON document begins with the common head") {
  const Json json = Json::parse(WriteReport(Sample(), OutputFormat::kJson, {}));
  CHECK(json["schema_version"] == kJsonSchemaVersion);
  CHECK(json["command"] == "demo");
  CHECK(json["window"]["text"] == "steps 2-5 of 5");
  CHECK(json["window"]["begin_ns"] == 10);
  CHECK(json["window"]["filters"]["steps"] == "2-5");
  CHECK(json["trace"]["path"] == "runs/train.sqlite");
  CHECK(json["trace"]["source_sha256"].is_null());
  CHECK(json["answer"] == 42);
}

TEST_CASE("JSON is valid for any bytes, wherever they stand") {
  std::string all_bytes;
  for (int c = 0; c < 256; ++c) all_bytes += static_cast<char>(c);
  Report report = Sample();
  report.traces[0].path = all_bytes;
  report.window.text = all_bytes;
  report.fields["raw"] = all_bytes;
  report.fields["text"] = JsonText(all_bytes);
  const Json json = Json::parse(WriteReport(report, OutputFormat::kJson, {}));
  CHECK(json["text"].get<std::string>().substr(0, 128) == all_bytes.substr(0, 128));
}

TEST_CASE("CSV is the first table that has a name") {
  Report report = Sample();
  Table other("", {{"m", "m", ColumnKind::kInt}});
  report.Add("others", other);
  CHECK(WriteReport(report, OutputFormat::kCsv, {}) == "n\r\n7\r\n");
  REQUIRE(report.ScriptTables().size() == 2);
  CHECK(report.ScriptTables()[1]->name() == "others");
}

TEST_CASE("tables of one name are told apart, and JSON gets the rows of each") {
  Report report;
  for (int i = 1; i <= 3; ++i) {
    Table table("", {{"n", "n", ColumnKind::kInt}});
    table.AddRow({i});
    report.fields["of " + std::to_string(i)] = report.AddBeside("numbers", table);
  }
  CHECK(report.ScriptTables()[2]->name() == "numbers_3");
  const Json json = Json::parse(WriteReport(report, OutputFormat::kJson, {}));
  CHECK(json["of 2"].dump() == R"([{"n":2}])");
  CHECK(json["of 3"].dump() == R"([{"n":3}])");
}

TEST_CASE("people see neither tables for scripts nor empty ones") {
  Report report = Sample();
  const std::string before = WriteReport(report, OutputFormat::kTable, {});
  const std::string markdown = WriteReport(report, OutputFormat::kMarkdown, {});
  Table hidden("Hidden", {{"n", "n", ColumnKind::kInt}});
  report.Add("empty", hidden);
  hidden.AddRow({1});
  report.AddForScripts("hidden", hidden);
  CHECK(WriteReport(report, OutputFormat::kTable, {}) == before);
  CHECK(WriteReport(report, OutputFormat::kMarkdown, {}) == markdown);
}

TEST_CASE("markdown has the same content") {
  CHECK(WriteReport(Sample(), OutputFormat::kMarkdown, {}) ==
        "**train.sqlite · A GPU · steps 2-5 of 5**\n\nA sentence.\n\n"
        "### Numbers\n\n| n |\n|--:|\n| 7 |\n\n### Numbers\n\n| n |\n|--:|\n| 7 |\n");
}

}  // namespace
}  // namespace xsp
