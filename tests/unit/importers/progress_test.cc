#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <stdexcept>

#include "tests/support/mini_nsys.h"

namespace xsp {
namespace {

std::string ManyCalls() {
  return test::CommonTables() + R"(
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT i * 10, i * 10 + 5, 0, 0x0001000010000011, i, 1, 0, NULL FROM n;
)";
}

struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Counts what it is told; throws after some calls.
class CountingProgress : public Progress {
 public:
  explicit CountingProgress(int calls_until_throw = -1) : left_(calls_until_throw) {}
  void Start(std::string_view label, std::uint64_t total, std::string_view unit) override {
    CHECK(label == "reading");
    CHECK(unit == "rows");
    total_ = total;
  }
  void Advance(std::uint64_t units) override {
    done_ += units;
    if (left_-- == 0) throw Interrupted("stop");
  }
  std::uint64_t total() const { return total_; }
  std::uint64_t done() const { return done_; }

 private:
  std::atomic<int> left_;
  std::atomic<std::uint64_t> total_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
};

}  // namespace

TEST_CASE("progress adds up to all rows") {
  const test::MiniExport mini(ManyCalls());
  CountingProgress progress;
  ImportOptions options;
  options.progress = &progress;
  mini.Import(options);
  CHECK(progress.total() == 200000);
  CHECK(progress.done() == progress.total());
}

TEST_CASE("an interrupt ends the import with the very exception, from any thread") {
  const test::MiniExport mini(ManyCalls());
  for (unsigned threads : {1u, 2u, 4u}) {
    CountingProgress progress(2);
    ImportOptions options;
    options.progress = &progress;
    options.threads = threads;
    CHECK_THROWS_AS(mini.Import(options), Interrupted);
    CHECK(progress.done() < progress.total());
  }
}

TEST_CASE("many rows in many runs come out as one, in order, whatever the number of threads") {
  const test::MiniExport mini(ManyCalls());
  ImportOptions one, four;
  one.threads = 1;
  four.threads = 4;
  const Trace trace = mini.Import(one);
  REQUIRE(trace.OfKind(EventKind::kApi).size() == 200000);
  CHECK(trace.log().issues().empty());
  CHECK(trace == mini.Import(four));
}

TEST_CASE("row numbers with enormous gaps do not matter") {
  const test::MiniExport mini(test::CommonTables() + R"(
    INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (rowid, start, end, globalTid, nameId) VALUES
      (-9223372036854775808, 1, 2, 0x0001000010000011, 1), (0, 3, 4, 0x0001000010000011, 1),
      (9223372036854775807, 5, 6, 0x0001000010000011, 1);
    INSERT INTO NVTX_EVENTS (rowid, start, end, eventType, text, globalTid) VALUES
      (-5, 1, 2, 59, 'a', 0x0001000010000011), (99999999999, 3, 4, 59, 'b', 0x0001000010000011);)");
  const Trace trace = mini.Import();
  CHECK(trace.OfKind(EventKind::kApi).size() == 3);
  CHECK(trace.OfKind(EventKind::kNvtxPushPop).size() == 2);
}

}  // namespace xsp
