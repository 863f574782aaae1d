#include <unistd.h>
#include <zlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <string>

#include "base/error.h"
#include "importers/importer.h"
#include "tests/support/mini_nsys.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

class TemporaryFile {
 public:
  TemporaryFile()
      : path_(fs::temp_directory_path() / ("xsp_kineto_" + std::to_string(getpid()) + ".json")) {}
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string Golden(const char* name) {
  return test::ReadText(test::SourceDir() / "tests/golden/importers" / name);
}

std::string Gzip(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

Trace ImportBytes(const TemporaryFile& file, const std::string& bytes) {
  test::WriteText(file.path(), bytes);
  ImportOptions options;
  options.threads = 2;
  return ImportFile(file.path(), options);
}

// Whatever the bytes: a trace whose rows add up, or an error that names the file.
void Try(const TemporaryFile& file, const std::string& bytes) {
  try {
    const Trace trace = ImportBytes(file, bytes);
    for (const auto& [table, tally] : trace.log().tallies()) {
      CHECK(tally.read == tally.kept + tally.set_aside);
    }
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find(file.path().string()) != std::string::npos);
    CHECK(!error.hint().empty());
  }
}

}  // namespace

TEST_CASE("a kernel's symbol that would fill the memory stays as it is") {
  std::string symbol = "_Z1f1AI1BE";
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOP";
  for (int i = 0; i < 24; ++i) {
    const std::string before = std::string("S") + kDigits[static_cast<std::size_t>(i)] + "_";
    symbol += "S_I" + before + before + "E";
  }
  const TemporaryFile file;
  const Trace trace = ImportBytes(
      file,
      R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": ")" + symbol +
          R"(", "pid": 0, "tid": 7, "ts": 1, "dur": 2, "args": {"device": 0, "stream": 7}}]})");
  REQUIRE(trace.OfKind(EventKind::kKernel).size() == 1);
  CHECK(trace.strings()[trace.name_of(*trace.OfKind(EventKind::kKernel).begin())] == symbol);
}

TEST_CASE("events may begin behind any amount of metadata, of which nothing is kept") {
  const TemporaryFile file;
  const std::string list = R"("traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm",
      "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})";
  std::string words;
  for (int i = 0; i < 20'000; ++i) words += std::to_string(i * 7919) + " SECRET ";
  for (const std::string& front :
       {"{\"metadata\": \"" + words + "\", ", "{\"a\": {\"traceEvents\": [[\"" + words + "\"]]}, ",
        "{\"" + words + "\": {\"b\": \"\\\"}]\"}, \"c\": 1.5e3, ",
        "{" + std::string(100'000, '\n')}) {
    for (const std::string& bytes : {front + list, Gzip(front + list)}) {
      const Trace trace = ImportBytes(file, bytes);
      CHECK(trace.event_count() == 1);
      for (std::uint32_t id = 0; id < trace.strings().size(); ++id) {
        CHECK(trace.strings()[StringId(id)].find("SECRET") == std::string_view::npos);
      }
    }
  }
}

TEST_CASE("JSON without a list of events is no trace, however long") {
  const TemporaryFile file;
  const std::string words(50'000, 'x');
  for (const std::string& text :
       {"{\"metadata\": \"" + words + "\"}", "{\"metadata\": \"" + words,
        "{\"a\": " + std::string(50'000, '[') + std::string(50'000, ']') + "}",
        "[\"" + words + "\"]", "{" + words + "\"traceEvents\": []}"}) {
    for (const std::string& bytes : {text, Gzip(text)}) {
      CHECK_THROWS_WITH(ImportBytes(file, bytes), Catch::Contains("a trace that xsp knows"));
    }
  }
}

TEST_CASE("a Kineto trace cut off anywhere gives what is whole, and says so") {
  const TemporaryFile file;
  const std::string whole = Golden("kineto_training.json");
  const std::size_t begin = whole.find("\"traceEvents\": [\n");
  const std::size_t end = whole.rfind("\n  ],");
  std::uint32_t events = 0;
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    INFO("first " << size << " bytes");
    Try(file, whole.substr(0, size));
    if (size < begin + 400 || size > end) continue;
    const Trace trace = ImportBytes(file, whole.substr(0, size));
    CHECK(trace.info().partial);
    CHECK(!trace.info().partial_reason.empty());
    // The more of the file, the more events.
    CHECK(trace.event_count() >= events);
    events = static_cast<std::uint32_t>(trace.event_count());
  }
  CHECK(events > 20);
}

TEST_CASE("flipped bytes of a Kineto trace are survived") {
  const TemporaryFile file;
  const std::string whole = Golden("kineto_training.json");
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    INFO("round " << round);
    std::string bytes = whole;
    const int flips = 1 + round % 20;
    for (int i = 0; i < flips; ++i) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    Try(file, bytes);
  }
}

TEST_CASE("one damaged event costs one event") {
  const TemporaryFile file;
  std::string bytes = Golden("kineto_training.json");
  const Trace whole = ImportBytes(file, bytes);
  bytes[bytes.find("\"cat\": \"gpu_memset\"") + 5] = '!';
  const Trace damaged = ImportBytes(file, bytes);
  CHECK(damaged.event_count() + 1 == whole.event_count());
  CHECK(damaged.OfKind(EventKind::kMemset).empty());
  CHECK(damaged.log().issues().contains({"traceEvents", ImportReason::kDamaged}));
  CHECK(damaged.info().utc_start_ns == whole.info().utc_start_ns);
}

TEST_CASE("a compressed trace is the same trace, also in several members") {
  const TemporaryFile file;
  const std::string text = Golden("kineto_training.json");
  const Trace plain = ImportBytes(file, text);
  auto same_but_for_size = [&](const Trace& other) {
    CHECK(other.events() == plain.events());
    CHECK(other.operators() == plain.operators());
    CHECK(other.info().utc_start_ns == plain.info().utc_start_ns);
    CHECK_FALSE(other.info().partial);
  };
  same_but_for_size(ImportBytes(file, Gzip(text)));
  const std::size_t half = text.size() / 2;
  same_but_for_size(ImportBytes(file, Gzip(text.substr(0, half)) + Gzip(text.substr(half))));
}

TEST_CASE("a compressed trace that is cut off or damaged gives what is whole") {
  const TemporaryFile file;
  const std::string packed = Gzip(Golden("kineto_training.json"));
  std::mt19937 random(3);
  for (std::size_t size = 0; size < packed.size(); size += 11) Try(file, packed.substr(0, size));
  for (int round = 0; round < 100; ++round) {
    std::string bytes = packed;
    bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    Try(file, bytes);
  }
  const Trace cut = ImportBytes(file, packed.substr(0, packed.size() * 3 / 4));
  CHECK(cut.info().partial);
  CHECK(cut.event_count() > 0);
}

TEST_CASE("what is made to fill the memory is refused") {
  const TemporaryFile file;
  const std::string head = R"({"schemaVersion": 1, "traceEvents": [)";
  const std::string event =
      R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":1})";
  std::string many = head;
  while (many.size() < std::size_t{100} << 20) many += event + ",";
  CHECK_THROWS_WITH(ImportBytes(file, Gzip(many + event + "]}")),
                    Catch::Contains("unpacks to more than 60 times its size"));
  const std::string large = head + R"({"name":")" + std::string(std::size_t{40} << 20, 'x');
  CHECK_THROWS_WITH(ImportBytes(file, large + R"("}]})"), Catch::Contains("larger than 16 MB"));
}

TEST_CASE("events larger than a piece of the file are read") {
  const TemporaryFile file;
  std::string text = "{\"traceEvents\": [";
  for (int i = 0; i < 3; ++i) {
    text += std::string(i == 0 ? "" : ", ") +
            R"({"ph": "X", "cat": "cpu_op", "name": "aten::cat", "pid": 1, "tid": 1, "ts": )" +
            std::to_string(i * 10) + R"(, "dur": 5, "args": {"Concrete Inputs": [")" +
            std::string(5'000'000, 'x') + "\"]}}";
  }
  const Trace trace = ImportBytes(file, text + "]}");
  CHECK(trace.OfKind(EventKind::kNvtxPushPop).size() == 3);
  CHECK_FALSE(trace.info().partial);
}

TEST_CASE("a Kineto trace of many pieces is the same, whatever the number of threads") {
  const TemporaryFile file;
  std::string text = "{\"traceEvents\": [";
  for (int i = 0; i < 60'000; ++i) {
    text += std::string(i == 0 ? "" : ",\n") + R"({"ph": "X", "cat": "cpu_op", "name": "aten::op)" +
            std::to_string(i % 97) + R"(", "pid": 1, "tid": )" + std::to_string(i % 5) +
            R"(, "ts": )" + std::to_string(i) + R"(.25, "dur": 1, "args": {"Input Dims": [[)" +
            std::to_string(i % 61) + R"(]], "Input type": ["t)" + std::to_string(i % 59) +
            R"("]}})";
  }
  // A list of objects behind the events is none of them.
  text += R"(], "deviceProperties": [{"id": 0, "name": "a"}, {"id": 1, "name": "b"}]})";
  test::WriteText(file.path(), text);
  REQUIRE(text.size() > (std::size_t{1} << 22) * 2);
  ImportOptions one, four;
  one.threads = 1;
  four.threads = 4;
  const Trace first = ImportFile(file.path(), one);
  CHECK(first == ImportFile(file.path(), four));
  CHECK(first == ImportFile(file.path(), four));
  CHECK(first.operators().event.size() == 60'000);
  CHECK(first.gpus().size() == 2);
}

TEST_CASE("nothing of a Kineto file's outermost object but a few facts reaches a trace") {
  const TemporaryFile file;
  const Trace trace = ImportBytes(file, Golden("kineto_training.json"));
  for (std::size_t i = 0; i < trace.strings().size(); ++i) {
    const std::string_view text = trace.strings()[StringId(i)];
    CHECK(text.find("hunter2") == text.npos);
    CHECK(text.find("secret") == text.npos);
  }
}

}  // namespace xsp
