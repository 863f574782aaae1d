// The injected library beside what is NVIDIA's own or the system's: real CUPTIs, real Python, the
// loader, valgrind.
#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "tests/live/recorded.h"

namespace xsp::live {
namespace {

using Catch::Matchers::Contains;
using test::Recorded;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

TEST_CASE("the library needs the C library only and shows its entry points only") {
  if (kSanitized) {
    std::puts("skipped: sanitizers bring their own libraries");
    return;
  }
  Recorded r;
  REQUIRE(r.Run("readelf -d $LIBRARY | grep NEEDED") == 0);
  std::istringstream needed(r.out);
  for (std::string line; std::getline(needed, line);) {
    CHECK_THAT(line, Contains("[libc.so") || Contains("[ld-linux"));
  }
  REQUIRE(
      r.Run("readelf -W --dyn-syms $LIBRARY | awk '$5 == \"GLOBAL\" && $7 != \"UND\" {print $8}' "
            "| sort") == 0);
  CHECK(r.out == "InitializeInjection\nInitializeInjectionNvtx2\n");
  // No code at load time: nothing that could go wrong before anybody asked.
  REQUIRE(r.Run("readelf -SW $LIBRARY | grep -c '\\.ctors' || true") == 0);
  CHECK(r.out == "0\n");
}

// Without a GPU they refuse to collect, each in its own way: that is told, ranges are recorded, and
// the program ends as it would.
TEST_CASE("real CUPTIs that cannot work here are told and harm nobody") {
  Recorded r;
  if (r.Run("ls $PARTS/*/nvidia/*/lib/libcupti.so.* $WHEELS/nvidia/*/lib/libcupti.so.*") != 0 &&
      r.out.empty()) {
    std::puts("skipped: no CUPTI (./dev setup)");
    return;
  }
  std::istringstream libraries(r.out);
  for (std::string library; std::getline(libraries, library);) {
    CAPTURE(library);
    CHECK(r.Run("$XSP live --force -o t.xsp --cupti " + library + " -- $PROGRAM --exit 5") == 5);
    CHECK_THAT(r.err, Contains("not available: cuda: there is no CUDA device here"));
    const Trace trace = r.Load();
    CHECK(trace.OfKind(EventKind::kNvtxPushPop).size() == 6);
    CHECK(trace.OfKind(EventKind::kKernel).size() == 0);
  }
}

TEST_CASE("ranges of a Python program come from all its threads") {
  Recorded r;
  const bool there = r.Run("PYTHONPATH=$(echo $PARTS/nvtx-*) python3 -c 'import nvtx'") == 0;
  if (!there || kSanitized) {
    std::puts(there ? "skipped: Python is not built with sanitizers"
                    : "skipped: no nvtx for Python (./dev setup)");
    return;
  }
  r.Write("p.py",
          "import nvtx, sys, threading\n"
          "def work():\n"
          "    for step in range(50):\n"
          "        with nvtx.annotate(f'step {step}'):\n"
          "            with nvtx.annotate('inner', domain='lib', color='red', payload=step): pass\n"
          "threads = [threading.Thread(target=work) for _ in range(3)]\n"
          "[t.start() for t in threads]; [t.join() for t in threads]\n"
          "sys.exit(7)\n");
  CHECK(r.Run("PYTHONPATH=$(echo $PARTS/nvtx-*) $XSP live -o t.xsp -- python3 p.py") == 7);
  const Trace trace = r.Load();
  CHECK(trace.OfKind(EventKind::kNvtxPushPop).size() == 300);
  std::set<TrackId> threads;
  std::uint64_t sum = 0;
  for (EventId range : trace.OfKind(EventKind::kNvtxPushPop)) {
    threads.insert(trace.track_of(range));
    const auto row = trace.Row(range);
    if (trace.name(range) == "inner") sum += trace.nvtx().payload[row];
  }
  CHECK(threads.size() == 3);
  CHECK(sum == 3 * 49 * 50 / 2);
  REQUIRE(r.Run("$XSP tree t.xsp --steps all") == 0);
  CHECK_THAT(r.out, Contains("step") && Contains("inner"));
}

TEST_CASE("valgrind finds nothing to say about a recorded program") {
  Recorded r;
  if (kSanitized || r.Run("valgrind --version") != 0) {
    std::puts("skipped: no valgrind, or a build with sanitizers");
    return;
  }
  for (const std::string how : {"--threads 3 --payloads --graph 2", "--end fork", "--end _exit"}) {
    CAPTURE(how);
    CHECK(r.Run("CUDA_INJECTION64_PATH=$LIBRARY NVTX_INJECTION64_PATH=$LIBRARY valgrind -q "
                "--leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite "
                "--error-exitcode=99 $PROGRAM --exit 4 " +
                how) == 4);
    CHECK(r.err.empty());
  }
}

}  // namespace
}  // namespace xsp::live
