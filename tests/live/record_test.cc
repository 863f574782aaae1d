// What a recording holds: `xsp live` around a program with real NVTX and the stand-in for CUDA.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/live/recorded.h"

namespace xsp::live {
namespace {

using Catch::Matchers::Contains;
using test::CountsOf;
using test::Recorded;
using Counts = std::map<std::string, std::uint32_t>;

// The default program: three steps of a push in each of two domains, four kernels and a wait in
// each thread; then two copies, a memset, an event and a wait.
Counts Expected(std::uint32_t threads) {
  return {{"kernel", 12 * threads},     {"memcpy", 2},         {"memset", 1},
          {"api", 13 * threads + 5},    {"sync", threads + 1}, {"event_record", 1},
          {"nvtx_pushpop", 6 * threads}};
}

TEST_CASE("ranges calls and work of all threads arrive and the exit code is the program's") {
  Recorded r;
  CHECK(r.Run("$XSP live -o t.xsp -- $PROGRAM --threads 3 --exit 5") == 5);
  const Trace trace = r.Load();
  CHECK(CountsOf(trace) == Expected(3));
  CHECK_FALSE(r.Has("t.spool"));
  // Every piece of work hangs on its call, and every call of a thread lies in a range of it.
  std::set<TrackId> threads;
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    const EventId call = trace.call_of(kernel);
    REQUIRE(call.valid());
    threads.insert(trace.track_of(call));
    bool inside = false;
    for (EventId range : trace.OfKind(EventKind::kNvtxPushPop)) {
      inside |= trace.track_of(range) == trace.track_of(call) &&
                trace.begin(range) <= trace.begin(call) && trace.end(call) <= trace.end(range);
    }
    CHECK(inside);
  }
  CHECK(threads.size() == 3);
  REQUIRE(trace.gpus().size() == 1);
  CHECK(trace.strings().Get(trace.gpus()[0].name) == "Stand-in GPU");
  CHECK(trace.info().format == "xsp-live");
  CHECK(trace.info().tool_version == "13.4");
}

TEST_CASE("kernels have their C++ names") {
  Recorded r;
  REQUIRE(r.Run("$XSP live -o t.xsp -- $PROGRAM --steps 1 --kernels 1") == 0);
  const Trace trace = r.Load();
  const EventId kernel = *trace.OfKind(EventKind::kKernel).begin();
  const auto row = trace.Row(kernel);
  CHECK(trace.name(kernel) == "void kernel<4>(float*, int)");
  CHECK(trace.strings().Get(trace.kernels().short_name[row]) == "kernel");
  CHECK(trace.strings().Get(trace.kernels().mangled_name[row]) == "_Z6kernelILi4EEvPfi");
}

TEST_CASE("payloads colours categories and texts of NVTX are kept") {
  Recorded r;
  REQUIRE(r.Run("$XSP live -o t.xsp -- $PROGRAM --no-cuda --steps 1 --payloads") == 0);
  const Trace trace = r.Load();
  std::map<std::string, std::pair<PayloadType, std::uint64_t>> marks;
  std::string longest;
  for (EventId mark : trace.OfKind(EventKind::kNvtxMark)) {
    const auto row = trace.Row(mark);
    const std::string name(trace.name(mark));
    marks[name] = {trace.nvtx().payload_type[row], trace.nvtx().payload[row]};
    if (name.size() > longest.size()) longest = name;
  }
  auto bits = [](double value) {
    std::uint64_t out = 0;
    std::memcpy(&out, &value, sizeof out);
    return out;
  };
  CHECK(marks["uint64"] == std::pair(PayloadType::kUint64, std::uint64_t{1} << 63));
  CHECK(marks["int64"] == std::pair(PayloadType::kInt64, static_cast<std::uint64_t>(-5)));
  CHECK(marks["double"] == std::pair(PayloadType::kDouble, bits(0.25)));
  CHECK(marks["uint32"] == std::pair(PayloadType::kUint32, std::uint64_t{7}));
  CHECK(marks["int32"] == std::pair(PayloadType::kInt32, static_cast<std::uint64_t>(-7)));
  CHECK(marks["float"] == std::pair(PayloadType::kFloat, bits(1.5)));
  CHECK(marks.contains("wide \u00e4\u4e2d\U0001F600"));
  CHECK(marks.contains("bad \uFFFD utf-8"));
  CHECK(longest.size() == 8192);
  CHECK_THAT(r.err, Contains("1 texts of NVTX were too long to be recorded whole: cut"));

  REQUIRE(trace.OfKind(EventKind::kNvtxStartEnd).size() == 1);
  const EventId across = *trace.OfKind(EventKind::kNvtxStartEnd).begin();
  const TrackId end_thread = trace.nvtx().end_thread[trace.Row(across)];
  CHECK(end_thread.valid());
  CHECK(end_thread != trace.track_of(across));
  CHECK(trace.strings().Get(trace.track(trace.track_of(across)).name) == "the main thread");
  REQUIRE(trace.categories().size() == 1);
  CHECK(trace.strings().Get(trace.categories()[0].name) == "category five");
}

TEST_CASE("graphs are followed from the capture to the kernels that run") {
  Recorded r;
  REQUIRE(r.Run("$XSP live -o t.xsp -- $PROGRAM --steps 0 --kernels 0 --graph 3") == 0);
  const Trace trace = r.Load();
  CHECK(trace.OfKind(EventKind::kKernel).size() == 6);
  std::map<std::uint64_t, std::uint64_t> original;
  for (EventId object : trace.OfKind(EventKind::kGraphObject)) {
    const auto row = trace.Row(object);
    if (trace.graph_objects().object_kind[row] == GraphObjectKind::kNode) {
      original[trace.graph_objects().id[row]] = trace.graph_objects().original[row];
    }
  }
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    const std::uint64_t node = trace.kernels().graph_node[trace.Row(kernel)];
    CHECK(original.at(node) == node - 100);
  }
}

TEST_CASE("records of all versions of CUPTI in any order of buffers give the same trace") {
  Recorded r;
  REQUIRE(r.Run("$XSP live -o t.xsp -- $PROGRAM --threads 3") == 0);
  const Counts expected = CountsOf(r.Load());
  const Trace newest = r.Load();
  for (const char* how : {"version=18", "version=24", "version=27", "version=130001", "per-thread",
                          "newest-first", "newest-first per-thread version=27"}) {
    CAPTURE(how);
    REQUIRE(r.Run("XSP_STANDIN='" + std::string(how) +
                  "' $XSP live --force -o t.xsp -- $PROGRAM --threads 3") == 0);
    const Trace trace = r.Load();
    CHECK(CountsOf(trace) == expected);
    const EventId kernel = *trace.OfKind(EventKind::kKernel).begin();
    const auto row = trace.Row(kernel);
    CHECK(trace.kernels().grid_x[row] == 8);
    CHECK(trace.kernels().block_x[row] == 128);
    CHECK(trace.kernels().executed_shared[row] == 32768);
    CHECK(trace.gpus() == newest.gpus());
  }
}

TEST_CASE(
    "a driver call that the runtime made is not counted and its work hangs on the outer call") {
  Recorded r;
  REQUIRE(r.Run("XSP_STANDIN=nested $XSP live -o t.xsp -- $PROGRAM --runtime --steps 2") == 0);
  const Trace trace = r.Load();
  std::uint32_t launches = 0;
  for (EventId call : trace.OfKind(EventKind::kApi)) {
    launches += trace.name(call) == "cudaLaunchKernel_v7000" ? 1 : 0;
    CHECK(trace.name(call) != "cuLaunchKernel");
  }
  CHECK(launches == 8);
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    REQUIRE(trace.call_of(kernel).valid());
    CHECK(trace.name(trace.call_of(kernel)) == "cudaLaunchKernel_v7000");
  }
}

TEST_CASE("what CUPTI refuses is told and the rest goes on") {
  Recorded r;
  CHECK(r.Run("XSP_STANDIN='refuse=38:27 refuse=1:14' $XSP live -o t.xsp -- $PROGRAM --exit 4") ==
        4);
  CHECK_THAT(r.err, Contains("not available: sync: STANDIN_ERROR_27 (27)"));
  CHECK_THAT(r.err, Contains("not available: memcpy: STANDIN_ERROR_14 (14)"));
  Counts expected = Expected(1);
  expected.erase("sync");
  expected.erase("memcpy");
  CHECK(CountsOf(r.Load()) == expected);
}

TEST_CASE("only the kinds that were asked for are recorded") {
  Recorded r;
  REQUIRE(r.Run("$XSP live --kinds kernel,runtime -o t.xsp -- $PROGRAM --runtime") == 0);
  CHECK(CountsOf(r.Load()) == Counts{{"kernel", 12}, {"api", 12}});
  REQUIRE(r.Run("$XSP live --kinds nvtx --force -o t.xsp -- $PROGRAM") == 0);
  CHECK(CountsOf(r.Load()) == Counts{{"nvtx_pushpop", 6}});
}

TEST_CASE("the result as JSON has the fields that scripts rely on") {
  Recorded r;
  CHECK(r.Run("XSP_STANDIN=refuse=36:14 $XSP live -o t.xsp --quiet --write json=r.json -- "
              "$PROGRAM --exit 6") == 6);
  CHECK(r.err.empty());
  const nlohmann::json json = nlohmann::json::parse(r.Read("r.json"));
  CHECK(json["command"] == "live");
  CHECK(json["stored"] == "t.xsp");
  CHECK(json["records"]["kernel"] == 12);
  CHECK(json["records"]["nvtx"] == 6);
  CHECK(json["dropped"].empty());
  REQUIRE(json["unavailable"].size() == 1);
  CHECK(json["unavailable"][0]["kind"] == "event");
  CHECK(json["unavailable"][0]["why"] == "STANDIN_ERROR_14 (14)");
  CHECK(json["exit_code"] == 6);
}

TEST_CASE("CUPTI's clock is followed when it jumps and that is told") {
  Recorded r;
  REQUIRE(
      r.Run("XSP_STANDIN=clock-step=3000 $XSP live -o t.xsp -- $PROGRAM --steps 3 --sleep 900") ==
      0);
  CHECK_THAT(r.err, Contains("moved against each other by 3000") ||
                        Contains("moved against each other by 2999"));
  // Calls of the last step stand in its range all the same, or close to it.
  const Trace trace = r.Load();
  const TimeNs last_range = trace.end(EventId(trace.OfKind(EventKind::kNvtxPushPop).last - 1));
  const TimeNs last_call = trace.begin(EventId(trace.OfKind(EventKind::kApi).last - 1));
  CHECK(std::abs(last_call - last_range) < 1'500'000'000);
}

TEST_CASE("steps are recorded from the first to the last that was asked for") {
  Recorded r;
  REQUIRE(r.Run("$XSP live --steps 3-5 --step-range 'step #' -o t.xsp -- $PROGRAM --steps 9") == 0);
  const Trace trace = r.Load();
  std::vector<std::string> names;
  for (EventId range : trace.OfKind(EventKind::kNvtxPushPop)) {
    if (trace.name(range) != "inner") names.emplace_back(trace.name(range));
  }
  CHECK(names == std::vector<std::string>{"step 2", "step 3", "step 4"});
  CHECK(trace.OfKind(EventKind::kKernel).size() == 12);
  CHECK(trace.OfKind(EventKind::kApi).size() == 12);
}

TEST_CASE("recording can be limited to what lies between cudaProfilerStart and cudaProfilerStop") {
  Recorded r;
  REQUIRE(r.Run("$XSP live --capture-range cudaProfilerApi -o t.xsp -- $PROGRAM --profiler") == 0);
  const Counts counts = CountsOf(r.Load());
  CHECK(counts.at("kernel") == 12);
  CHECK(counts.at("nvtx_pushpop") == 6);
  CHECK(counts.at("api") == 13);
}

TEST_CASE("recording can begin later and end earlier than the program") {
  Recorded r;
  REQUIRE(r.Run("$XSP live --delay 600ms --duration 900ms -o t.xsp -- $PROGRAM --steps 12 "
                "--sleep 200") == 0);
  const Trace trace = r.Load();
  const auto steps = trace.OfKind(EventKind::kNvtxPushPop).size() / 2;
  CHECK(steps >= 3);
  CHECK(steps <= 6);
}

TEST_CASE("the self-test finds everything right and says what it could not check") {
  Recorded r;
  CHECK(r.Run("LD_LIBRARY_PATH=$(dirname $STANDIN) $XSP live --self-test") == 0);
  CHECK_THAT(r.out, Contains("all 14 checks are right"));
  CHECK_THAT(r.out, Contains("Stand-in GPU"));
  // A kind that is refused is wrong, and so is what is missing because of it.
  CHECK(r.Run("XSP_STANDIN=refuse=2:14 LD_LIBRARY_PATH=$(dirname $STANDIN) "
              "$XSP live --self-test --format json") == 1);
  const nlohmann::json json = nlohmann::json::parse(r.out);
  CHECK(json["passed"] == false);
  std::set<std::string> wrong;
  for (const auto& check : json["checks"]) {
    if (check["right"] == false) wrong.insert(check["what"]);
  }
  CHECK(wrong == std::set<std::string>{"memsets", "kinds of records that were refused"});
  CHECK(r.Run("$XSP live --self-test -- true") == 2);
}

}  // namespace
}  // namespace xsp::live
