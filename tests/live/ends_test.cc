// How recorded programs end, what goes wrong on the way, and that none of it harms them.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/live/recorded.h"

namespace xsp::live {
namespace {

using Catch::Matchers::Contains;
using test::CountsOf;
using test::Recorded;

TEST_CASE("every way to end leaves all ranges and the exit code is as it was") {
  struct End {
    std::string how;
    int code;
    std::uint32_t ranges;
    std::uint32_t processes;
  };
  const End ends[] = {{"return", 3, 6, 1},     {"_exit", 3, 6, 1},       {"abort", 128 + 6, 6, 1},
                      {"kill", 128 + 9, 6, 1}, {"segv", 128 + 11, 6, 1}, {"exec", 3, 6 + 4, 2},
                      {"fork", 3, 6 + 4, 2},   {"orphan", 3, 6 + 4, 2}};
  for (const End& end : ends) {
    CAPTURE(end.how);
    Recorded r;
    CHECK(r.Run("$XSP live -o t.xsp -- $PROGRAM --exit 3 --end " + end.how) == end.code);
    const Trace trace = r.Load();
    CHECK(trace.OfKind(EventKind::kNvtxPushPop).size() == end.ranges);
    CHECK(trace.processes().size() == end.processes);
    for (EventId range : trace.OfKind(EventKind::kNvtxPushPop)) {
      CHECK((trace.events().flags[range.value] & kUnfinished) == 0);
      CHECK_FALSE(trace.name(range).empty());
    }
  }
}

TEST_CASE("a program that ends in order loses nothing whatever buffers are still out") {
  Recorded r;
  REQUIRE(r.Run("XSP_STANDIN='newest-first' $XSP live -o t.xsp -- $PROGRAM --fast 200000") == 0);
  const auto counts = CountsOf(r.Load());
  CHECK(counts.at("kernel") == 200'012);
  CHECK_THAT(r.err, !Contains("lost"));
}

TEST_CASE("a buffer that CUPTI never gives back is told") {
  Recorded r;
  CHECK(r.Run("XSP_STANDIN=keep=1 $XSP live -o t.xsp -- $PROGRAM --exit 2") == 2);
  CHECK_THAT(r.err, Contains("did not give back all its buffers (1)"));
  CHECK(r.Load().OfKind(EventKind::kNvtxPushPop).size() == 6);
}

TEST_CASE("a program killed among a million records leaves all that was written by then") {
  Recorded r;
  // The limit is there so that a slow disk does not decide how much is recorded.
  CHECK(r.Run("$XSP live -o t.xsp --keep-spool --max-size 1GB -- sh -c '"
              "$PROGRAM --fast 100000000 & sleep 1; kill -9 $!; wait $!'") == 137);
  const Trace trace = r.Load();
  const std::uint32_t kernels = trace.OfKind(EventKind::kKernel).size();
  CHECK(kernels > 10'000);
  // Whole buffers: each kernel with its call, but for those at the border of two buffers.
  const std::uint32_t calls = trace.OfKind(EventKind::kApi).size();
  CHECK(std::abs(static_cast<std::int64_t>(kernels) - static_cast<std::int64_t>(calls)) < 60'000);
  CHECK_THAT(r.err, Contains("ended without notice"));
  // The spool converts again, to the same.
  REQUIRE(r.Run("$XSP live --convert t.spool -o again.xsp") == 0);
  CHECK(CountsOf(r.Load("again.xsp")) == CountsOf(trace));
}

TEST_CASE("ten million records as fast as they come: each is kept or counted as lost") {
  Recorded r;
  REQUIRE(r.Run("$XSP live -o t.xsp --max-size 64MB --write json=r.json -- "
                "$PROGRAM --steps 0 --kernels 0 --fast 5000000") == 0);
  const std::string json = r.Read("r.json");
  auto number = [&](const std::string& section, const std::string& kind) {
    const std::size_t from = json.find("\"" + section + "\"");
    const std::size_t end = json.find('}', from);
    const std::size_t at = json.find("\"" + kind + "\": ", from);
    return at > end ? 0 : std::stoll(json.substr(at + kind.size() + 4));
  };
  CHECK(number("records", "kernel") > 0);
  CHECK(number("dropped", "kernel") > 0);
  CHECK(number("records", "kernel") + number("dropped", "kernel") == 5'000'000);
  // One more call: the stream that the program waits for.
  CHECK(number("records", "runtime") + number("dropped", "runtime") == 5'000'000);
}

TEST_CASE("a limit on the size of files harms nobody") {
  Recorded r;
  // Of blocks of 512 bytes: the spool may grow to 2 MB. The signal that goes with it must not come.
  CHECK(r.Run("ulimit -f 4096; $XSP live -o t.xsp -- $PROGRAM --fast 200000 --exit 9") == 9);
  CHECK_THAT(r.err, Contains("lost while recording"));
  CHECK_THAT(r.err, Contains("File too large"));
  CHECK(r.Load().OfKind(EventKind::kKernel).size() > 100);
}

TEST_CASE("a full disk harms nobody") {
  Recorded r;
  if (r.Run("mkdir disk && mount -t tmpfs -o size=6m tmpfs disk") != 0) {
    WARN("skipped: no right to mount a small disk here");
    return;
  }
  const int code = r.Run(
      "$XSP live -o disk/t.xsp --keep-spool -- $PROGRAM --fast 300000 --exit 9; code=$?;"
      "df --output=avail disk | tail -1; mkdir saved; cp -r disk/t.spool saved/; umount disk;"
      "$XSP live --convert saved/t.spool; exit $code");
  CHECK(code == 9);
  // Something is left on the disk for the program itself, and what was recorded converts.
  CHECK(std::stol(r.out) > 100);
  CHECK_THAT(r.err, Contains("lost while recording"));
  CHECK_THAT(r.err, Contains("No space left"));
  CHECK(r.Load("saved/t.xsp").OfKind(EventKind::kKernel).size() > 100);
}

TEST_CASE("a program that closes all files keeps its own whole and goes on being recorded") {
  Recorded r;
  CHECK(r.Run("$XSP live -o t.xsp -- $PROGRAM --end close-files --sleep 150") == 0);
  CHECK(r.Read("own-file").empty());
  CHECK(r.Load().OfKind(EventKind::kNvtxPushPop).size() == 12);
}

TEST_CASE("a program that uses CUPTI itself keeps it") {
  Recorded r;
  CHECK(r.Run("XSP_STANDIN=subscribe=39 $XSP live -o t.xsp -- $PROGRAM --exit 8") == 8);
  CHECK_THAT(r.err, Contains("not available: cuda"));
  const Trace trace = r.Load();
  CHECK(trace.OfKind(EventKind::kNvtxPushPop).size() == 6);
  CHECK(trace.OfKind(EventKind::kKernel).size() == 0);
  bool told = false;
  for (const Diagnostic& d : trace.info().diagnostics) {
    told |= d.text == "not available: cuda: CUPTI is in use already, by CUPTI for the test";
  }
  CHECK(told);
}

TEST_CASE("a tool that is there already keeps its place") {
  Recorded r;
  CHECK(r.Run("export CUDA_INJECTION64_PATH=/other/tool.so; $XSP live -o t.xsp -- sh -c '"
              "echo $CUDA_INJECTION64_PATH; $PROGRAM --exit 7'") == 7);
  CHECK(r.out == "/other/tool.so\n");
  CHECK(r.Load().OfKind(EventKind::kNvtxPushPop).size() == 6);
}

TEST_CASE("a libcupti that cannot be used is told and ranges are recorded") {
  Recorded r;
  CHECK(r.Run("$XSP live --cupti ./none.so --write json=r.json -o t.xsp -- $PROGRAM --exit 7") ==
        7);
  CHECK(r.Load().OfKind(EventKind::kNvtxPushPop).size() == 6);
  bool told = false;
  const Trace trace = r.Load();
  for (const Diagnostic& d : trace.info().diagnostics) {
    told |= d.text.find("./none.so cannot be loaded") != std::string::npos;
  }
  CHECK(told);
}

TEST_CASE("standard input output and signals are the program's") {
  Recorded r;
  CHECK(r.Run("echo through | $XSP live -o t.xsp -- cat") == 0);
  CHECK(r.out == "through\n");
  CHECK_THAT(r.err, Contains("nothing was recorded"));
  CHECK_THAT(r.err, Contains("neither NVTX nor CUDA"));
  CHECK_FALSE(r.Has("t.xsp"));
  CHECK_FALSE(r.Has("t.spool"));

  CHECK(r.Run("$XSP live -o t.xsp -- sh -c 'trap \"exit 23\" TERM; echo ready >ready; "
              "while :; do sleep 0.05; done' & xsp=$!;"
              "while [ ! -e ready ]; do sleep 0.05; done; kill -TERM $xsp; wait $xsp") == 23);
  // Signals that were ignored stay so, those that were not end the program.
  CHECK(r.Run("trap '' HUP; $XSP live -o t.xsp -- sh -c 'kill -HUP $$; exit 4'") == 4);
  CHECK(r.Run("$XSP live -o t.xsp -- sh -c 'kill -PIPE $$; exit 4'") == 128 + 13);
}

TEST_CASE("names can hold the process and variables of the environment") {
  Recorded r;
  CHECK(r.Run("RANK=3 $XSP live -o 'r%q{RANK}-%p%%.xsp' -- sh -c 'echo $$; exec $PROGRAM'") == 0);
  const std::string pid = r.out.substr(0, r.out.find('\n'));
  CHECK(r.Has("r3-" + pid + "%.xsp"));
  CHECK(r.Run("$XSP live -o 'r%q{NO_SUCH_VARIABLE}' -- $PROGRAM") == 2);
  CHECK_THAT(r.err, Contains("NO_SUCH_VARIABLE is not set"));
}

TEST_CASE("what cannot begin is refused before the program runs") {
  Recorded r;
  CHECK(r.Run("$XSP live -o t.xsp -- ./no-such-program") == 2);
  CHECK_THAT(r.err, Contains("cannot run ./no-such-program: No such file"));
  CHECK_FALSE(r.Has("t.spool"));
  CHECK(r.Run("mkdir t.xsp; $XSP live -o t.xsp -- touch ran") == 2);
  CHECK_FALSE(r.Has("ran"));
  CHECK(r.Run("$XSP live -o /proc/t.xsp -- touch ran") == 2);
  CHECK_FALSE(r.Has("ran"));
}

TEST_CASE("the library alone records as well and its spool converts elsewhere") {
  Recorded r;
  CHECK(r.Run("CUDA_INJECTION64_PATH=$LIBRARY NVTX_INJECTION64_PATH=$LIBRARY $PROGRAM --exit 3") ==
        3);
  CHECK(r.err.empty());
  REQUIRE(r.Run("$XSP live --convert xsp.spool -o t.xsp") == 0);
  const auto counts = CountsOf(r.Load());
  CHECK(counts.at("kernel") == 12);
  CHECK(counts.at("nvtx_pushpop") == 6);
  // Where it cannot write it says so, once, and the program goes on.
  CHECK(r.Run("XSP_LIVE_SPOOL=/proc/no/such NVTX_INJECTION64_PATH=$LIBRARY $PROGRAM --exit 3") ==
        3);
  CHECK_THAT(r.err, Contains("nothing is recorded"));
}

TEST_CASE("a spool holds nothing of the environment and no arguments") {
  Recorded r;
  REQUIRE(r.Run("SECRET_TOKEN=hunter2 $XSP live --keep-spool -o t.xsp -- $PROGRAM "
                "--password hunter3") == 0);
  REQUIRE(r.Run("cat t.spool/* t.xsp/*") == 0);
  CHECK(r.out.find("live_program") != std::string::npos);
  CHECK(r.out.find("hunter") == std::string::npos);
}

}  // namespace
}  // namespace xsp::live
