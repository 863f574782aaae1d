#include "report/html/page.h"

#include <catch2/catch.hpp>

#include "report/html/packed.h"
#include "report/html/waterfall_edges.h"

namespace xsp {
namespace {

TEST_CASE("columns are varints in Base64") {
  PackedColumn plain;
  for (std::int64_t value : {0, -1, 1, 63, 64, -65}) plain.Add(value);
  // 0, 1, 2, 126, (128 as 0x80 0x01), (129 as 0x81 0x01).
  CHECK(plain.ToJson() == "p" + Base64(std::string("\x00\x01\x02\x7e\x80\x01\x81\x01", 8)));
  PackedColumn steps(PackedColumn::Kind::kSteps);
  for (std::int64_t value : {10, 13, 12}) steps.Add(value);
  CHECK(steps.ToJson() == "s" + Base64(std::string("\x14\x06\x01", 3)));
}

TEST_CASE("long columns are deflated where that is shorter") {
  PackedColumn even;
  for (int i = 0; i < 5000; ++i) even.Add(7);
  const Json json = even.ToJson();
  REQUIRE(json.is_object());
  CHECK(json["deflated"].get<std::string>().starts_with("p"));
  CHECK(json["deflated"].get<std::string>().size() < 100);
}

TEST_CASE("documents are deflated where that is shorter") {
  CHECK(DeflatedJson(Json::array({"a", 3})) == Json::array({"a", 3}));
  Json many = Json::array();
  for (int i = 0; i < 1000; ++i) many.push_back("aten::item, op_id = " + std::to_string(i));
  const Json json = DeflatedJson(many);
  REQUIRE(json.is_object());
  CHECK(json["deflated"].get<std::string>().starts_with("j"));
  CHECK(json.dump().size() < many.dump().size() / 4);
}

TEST_CASE("Base64 is that of everybody") {
  CHECK(Base64("").empty());
  CHECK(Base64("f") == "Zg==");
  CHECK(Base64("fo") == "Zm8=");
  CHECK(Base64("foo") == "Zm9v");
  CHECK(Base64("\xff\xff\xff") == "////");
}

TEST_CASE("texts stand once, long ones are cut in the middle of characters' bounds") {
  PackedTexts texts;
  CHECK(texts.Of("a") == 0);
  CHECK(texts.Of("b") == 1);
  CHECK(texts.Of("a") == 0);
  std::string long_text;
  for (int i = 0; i < 1000; ++i) long_text += "µ";
  const std::string cut = CutText(long_text);
  CHECK(cut.size() <= kLongestText + 3);
  CHECK(cut.find("\xEF\xBF\xBD") == std::string::npos);
  CHECK(cut.find("…") != std::string::npos);
}

TEST_CASE("folders of paths go, other slashes stay") {
  CHECK(WithoutFolders("/home/me/model.py(12): forward") == "model.py(12): forward");
  CHECK(WithoutFolders("load '/data/x/y.bin'") == "load 'y.bin'");
  CHECK(WithoutFolders("C:\\Users\\me\\a.py") == "a.py");
  CHECK(WithoutFolders("~/secret/a.py") == "a.py");
  CHECK(WithoutFolders("forward/block 3") == "forward/block 3");
  CHECK(WithoutFolders("GB/s") == "GB/s");
  CHECK(WithoutFolders("/tmp") == "/tmp");
  CHECK(WithoutFolders("https://host/a/b") == "https://host/a/b");
  CHECK(WithoutFolders("a = 1 / 2") == "a = 1 / 2");
  Json value = {{"a", {"/x/y/z.py", 3}}, {"b", nullptr}};
  RemoveFolders(value);
  CHECK(value.dump() == R"({"a":["z.py",3],"b":null})");
  value = {"../secret/jobs/run=a: no rank 3", {{"what", "runs in ../secret/jobs"}}, 7};
  RemoveFolderOf("../secret/jobs", value);
  CHECK(value.dump() == R"(["jobs/run=a: no rank 3",{"what":"runs in jobs"},7])");
  value = {"a/b.sqlite", "data/b.sqlite"};
  RemoveFolderOf("a/b.sqlite", value);
  CHECK(value.dump() == R"(["b.sqlite","data/b.sqlite"])");
  value = {"jobs/run=a: no rank 3"};
  RemoveFolderOf("../jobs", value);
  RemoveFolderOf("jobs", value);
  CHECK(value[0] == "jobs/run=a: no rank 3");
  CHECK(BaseName("/a/b/train.sqlite") == "train.sqlite");
  CHECK(BaseName("run.xsp/") == "run.xsp");
}

TEST_CASE("nothing in the data becomes markup") {
  const Json data = {{"name", "</script><img src=x onerror=alert(1)>"}};
  const std::string page = WritePage("a<b>&\"c\"", data);
  CHECK(page.find("<img") == std::string::npos);
  CHECK(page.find("\\u003c/script\\u003e\\u003cimg src=x") != std::string::npos);
  CHECK(page.find("<title>a&lt;b>&amp;&quot;c&quot;</title>") != std::string::npos);
  CHECK(page.find("default-src 'none'; script-src 'sha256-") != std::string::npos);
  CHECK(page.find("{{") == std::string::npos);
  // Templates in names are names.
  CHECK(WritePage("{{script}}", data).find("<title>{{script}}</title>") != std::string::npos);
}

TEST_CASE("a document keeps what was not left out, and says what it cut") {
  Report report;
  report.command = "idle";
  TraceSource source;
  source.path = "/secret/place/train.sqlite";
  report.traces = {source};
  Json rows = Json::array();
  for (int i = 0; i < 500; ++i) rows.push_back(i);
  report.fields["rows"] = rows;
  report.fields["gaps"] = Json::array({1, 2});
  std::vector<std::string> cut;
  const Json document = DocumentOf(report, {"gaps"}, cut);
  CHECK(document["trace"]["path"] == "train.sqlite");
  CHECK(!document.contains("gaps"));
  CHECK(document["rows"].size() == 400);
  CHECK(cut == std::vector<std::string>{"idle.rows: 400 of 500 rows"});
}

TEST_CASE("sentences are patterns with their numbers beside") {
  const SentencePattern pattern =
      PatternOf("The queue holds 1022 commands (12.5 µs, seen 3 times).");
  CHECK(pattern.pattern == "The queue holds {} commands ({} µs, seen {} times).");
  CHECK(pattern.numbers == std::vector<std::string>{"1022", "12.5", "3"});
  CHECK(PatternOf("It took 7.").pattern == "It took {}.");
  CHECK(PatternOf("").pattern.empty());
}

}  // namespace
}  // namespace xsp
