#include "report/tables/table.h"

#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "report/tables/json.h"
#include "report/tables/table_writers.h"
#include "report/tables/text.h"

namespace xsp {
namespace {

Json RowsIn(const Table& table) { return Json::parse(WriteJsonTable(table)); }

Table Sample() {
  Table table("Kernels", {{"time", "time_ns", ColumnKind::kDuration, kAlways},
                          {"share", "share", ColumnKind::kShare, 5},
                          {"", "bar", ColumnKind::kBar, 1},
                          {"count", "count", ColumnKind::kInt, 3},
                          {"moved", "moved_bytes", ColumnKind::kBytes, 2},
                          {"name", "name", ColumnKind::kName, kAlways}});
  table.AddRow(
      {1'500'000, 0.75, 0.75, 1234, 3u << 20, "a_kernel_with_a_name_of_some_length<float>"});
  table.AddRow({250'000, 0.25, 0.25, 5, std::nullopt, "b"});
  return table;
}

std::size_t WidestLine(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    widest = std::max(widest, DisplayWidth(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

TEST_CASE("text has one unit per column and aligned numbers") {
  CHECK(WriteTextTable(Sample(), {}) ==
        "Kernels\n"
        "  time (ms)  share (%)             count  moved (MiB)  name\n"
        "      1.500       75.0  ━━━━━━━━━  1,234         3.00  "
        "a_kernel_with_a_name_of_some_length<float>\n"
        "      0.250       25.0  ━━━            5            -  b\n");
}

TEST_CASE("a long total does not turn its short parts into zeros") {
  Table table("", {{"wall", "wall_ns", ColumnKind::kDuration, kAlways}});
  for (int ns : {2'000'000'000, 850'000, 640'000, 33'000}) table.AddRow({ns});
  CHECK(WriteTextTable(table, {}) ==
        "  wall (ms)\n"
        "    2000.00\n"
        "       0.85\n"
        "       0.64\n"
        "       0.03\n");
}

TEST_CASE("the wished unit of time serves all columns") {
  TextLayout layout;
  layout.time_unit = TimeUnit::kUs;
  const std::string text = WriteTextTable(Sample(), layout);
  CHECK(text.find("time (us)") != std::string::npos);
  CHECK(text.find("1500.0") != std::string::npos);
}

TEST_CASE("counts and reals have their thousands apart and ids have not") {
  Table table("", {{"count", "count", ColumnKind::kInt},
                   {"mean", "mean", ColumnKind::kFloat, 5, 1},
                   {"process", "pid", ColumnKind::kId}});
  table.AddRow({1234567, -1234567.25, 1234567});
  CHECK(WriteTextTable(table, {}) ==
        "      count          mean  process\n"
        "  1,234,567  -1,234,567.2  1234567\n");
}

TEST_CASE("columns for scripts are in CSV only and those for people are not") {
  Table table("", {{"what", "shown", ColumnKind::kName, kAlways, 0, Readers::kPeople},
                   {"path", "path", ColumnKind::kName, 5, 0, Readers::kScripts}});
  table.AddRow({"  a", "b/a"});
  CHECK(WriteTextTable(table, {}) == "  what\n    a\n");
  CHECK(WriteMarkdownTable(table, {}) == "| what |\n|---|\n|   a |\n");
  CHECK(WriteCsvTable(table) == "path\r\nb/a\r\n");
  CHECK(RowsIn(table).dump() == R"([{"path":"b/a"}])");
}

TEST_CASE("columns for JSON alone may hold lists, and others be all but there") {
  Table table("", {{"runs", "runs", ColumnKind::kText, 5, 0, Readers::kAllButJson},
                   {"", "runs", ColumnKind::kText, 0, 0, Readers::kJson}});
  table.AddRow({"2 runs", JsonCell({"a", "b"})});
  CHECK(WriteTextTable(table, {}) == "  runs\n  2 runs\n");
  CHECK(WriteMarkdownTable(table, {}) == "| runs |\n|---|\n| 2 runs |\n");
  CHECK(WriteCsvTable(table) == "runs\r\n2 runs\r\n");
  CHECK(RowsIn(table).dump() == R"([{"runs":["a","b"]}])");
}

TEST_CASE("on a narrow terminal the least important columns go first") {
  TextLayout layout;
  layout.width = 75;
  const std::string text = WriteTextTable(Sample(), layout);
  CHECK(text.find("━") == std::string::npos);
  CHECK(text.find("count") != std::string::npos);
  CHECK(WidestLine(text) <= 75);

  layout.width = 30;
  const std::string narrow = WriteTextTable(Sample(), layout);
  CHECK(narrow.find("count") == std::string::npos);
  CHECK(narrow.find("time") != std::string::npos);
  CHECK(narrow.find("…") != std::string::npos);
  CHECK(WidestLine(narrow) <= 30);
}

TEST_CASE("sentences go on in the next line") {
  Table table("", {{"figure", "figure", ColumnKind::kText, kAlways},
                   {"value", "value", ColumnKind::kSentence, kAlways}});
  table.HideHeader();
  table.AddRow({"trust", "low: replay takes 14.3 % more than was measured"});
  TextLayout layout;
  layout.width = 30;
  CHECK(WriteTextTable(table, layout) ==
        "  trust  low: replay takes\n"
        "         14.3 % more than was\n"
        "         measured\n");
  CHECK(WriteTextTable(table, {}) == "  trust  low: replay takes 14.3 % more than was measured\n");
}

TEST_CASE("two names never look the same when they are cut") {
  const std::string front = "elementwise_kernel<128, 4, ", back = ", Array<char*, 3>>";
  TextLayout layout;
  layout.width = 40;
  auto lines = [&](const std::vector<std::string>& names) {
    Table table("", {{"name", "name", ColumnKind::kName, kAlways}});
    for (const std::string& name : names) table.AddRow({name});
    const std::string text = WriteTextTable(table, layout);
    CHECK(WidestLine(text) <= 40);
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    lines.erase(lines.begin());
    return lines;
  };
  const auto functors =
      lines({front + "AddFunctor<float>" + back, front + "MulFunctor<float>" + back,
             front + "AddFunctor<float>" + back});
  CHECK(functors[0] == functors[2]);  // The same name.
  CHECK(functors[0].find("AddFunctor") != std::string::npos);
  CHECK(functors[1].find("MulFunctor") != std::string::npos);

  // They differ in places too far apart for the room there is.
  const std::string far(100, 'x');
  const auto numbered = lines({"a" + far + "b" + far + "c" + far, "a" + far + "B" + far + "c" + far,
                               "a" + far + "b" + far + "C" + far});
  CHECK(std::set<std::string>(numbered.begin(), numbered.end()).size() == 3);
}

TEST_CASE("without a terminal nothing is cut") {
  Table table("", {{"name", "name", ColumnKind::kName, kAlways}});
  const std::string name(2000, 'x');
  table.AddRow({name});
  CHECK(WriteTextTable(table, {}).find(name) != std::string::npos);
}

TEST_CASE("CSV quotes as RFC 4180 says and keeps base units") {
  Table table("T",
              {{"time", "time_ns", ColumnKind::kDuration}, {"name", "name", ColumnKind::kName}});
  table.AddRow({1'500'000, "a \"b\", c\nd"});
  table.AddRow({std::nullopt, "plain"});
  CHECK(WriteCsvTable(table) == "time_ns,name\r\n1500000,\"a \"\"b\"\", c\\nd\"\r\n,plain\r\n");
}

TEST_CASE("CSV has the decimals of a column and more where a number needs them") {
  Table table("T", {{"avg", "avg", ColumnKind::kFloat, 5, 1}});
  table.AddRow({52.0});
  table.AddRow({0.0});
  table.AddRow({1.25});
  table.AddRow({std::nullopt});
  CHECK(WriteCsvTable(table) == "avg\r\n52.0\r\n0.0\r\n1.25\r\n\r\n");
}

TEST_CASE("markdown keeps names from breaking the table") {
  Table table("T", {{"n", "n", ColumnKind::kInt}, {"name", "name", ColumnKind::kName}});
  table.AddRow({1, "a|b<c>\n`d`"});
  CHECK(WriteMarkdownTable(table, {}) ==
        "### T\n\n| n | name |\n|--:|---|\n| 1 | a\\|b&lt;c>\\\\n\\`d\\` |\n");
}

TEST_CASE("JSON rows have integers in base units, null for unknown, and no bars") {
  const Json rows = RowsIn(Sample());
  CHECK(rows.dump() ==
        R"([{"time_ns":1500000,"share":0.75,"count":1234,"moved_bytes":3145728,)"
        R"("name":"a_kernel_with_a_name_of_some_length<float>"},)"
        R"({"time_ns":250000,"share":0.25,"count":5,"moved_bytes":null,"name":"b"}])");
}

TEST_CASE("an empty table shows its notes and no header") {
  Table table("Kernels", {{"n", "n", ColumnKind::kInt}});
  table.AddNote("none");
  CHECK(WriteTextTable(table, {}) == "Kernels\n  none\n");
}

TEST_CASE("colour changes no letter of a table") {
  TextLayout layout;
  layout.color = true;
  std::string text = WriteTextTable(Sample(), layout);
  CHECK(text.find("\x1b[") != std::string::npos);
  for (std::size_t at = 0; (at = text.find("\x1b[")) != std::string::npos;) {
    text.erase(at, text.find('m', at) + 1 - at);
  }
  CHECK(text == WriteTextTable(Sample(), {}));
}

TEST_CASE("people see the first rows and how many more there are, scripts all") {
  Table table("", {{"n", "n", ColumnKind::kInt}});
  for (int n = 1; n <= 3; ++n) table.AddRow({n});
  Table few = table;
  few.ShowFirst(2);
  CHECK(WriteTextTable(few, {}) == "  n\n  1\n  2\n  and 1 more: --top 0\n");
  CHECK(WriteCsvTable(few) == "n\r\n1\r\n2\r\n3\r\n");
  CHECK(RowsIn(few).size() == 3);
  table.ShowFirst(0);
  CHECK(WriteTextTable(table, {}) == "  n\n  1\n  2\n  3\n");
}

TEST_CASE("yes and no are true and false for scripts") {
  Table table("", {{"cold", "cold", ColumnKind::kText}});
  table.AddRow({true});
  table.AddRow({false});
  CHECK(WriteTextTable(table, {}) == "  cold\n  yes\n  no\n");
  CHECK(WriteCsvTable(table) == "cold\r\ntrue\r\nfalse\r\n");
  CHECK(RowsIn(table).dump() == R"([{"cold":true},{"cold":false}])");
}

TEST_CASE("rows become objects by a key, or lists in the rows of another table") {
  Table devices("", {{"", "device", ColumnKind::kInt}, {"", "idle_ns", ColumnKind::kDuration}});
  devices.AddRow({0, 30});
  devices.AddRow({1, 0});
  Table causes("", {{"", "device", ColumnKind::kInt}, {"", "cause", ColumnKind::kText}});
  causes.AddRow({0, "sync"});
  causes.AddRow({0, "launch"});
  devices.Nest("causes", causes, "device");
  CHECK(RowsIn(devices).dump() ==
        R"([{"device":0,"idle_ns":30,"causes":[{"cause":"sync"},{"cause":"launch"}]},)"
        R"({"device":1,"idle_ns":0,"causes":[]}])");
  Table constants("", {{"", "constant", ColumnKind::kText}, {"", "n", ColumnKind::kInt}});
  constants.AddRow({"gap", 7});
  constants.KeyBy("constant");
  CHECK(RowsIn(constants).dump() == R"({"gap":{"n":7}})");
}

}  // namespace
}  // namespace xsp
