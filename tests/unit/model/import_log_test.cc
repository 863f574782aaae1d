#include "model/import_log.h"

#include <catch2/catch.hpp>
#include <set>

using namespace xsp;

TEST_CASE("every row is either kept or set aside", "[model]") {
  ImportLog log;
  log.AddKept("KERNEL", 10);
  log.AddIssue("KERNEL", ImportReason::kBadEnd, "row 3");        // Kept all the same.
  log.AddIssue("KERNEL", ImportReason::kNoTime, "row 7", 2);     // Not kept.
  log.SetAside("KERNEL", ImportReason::kDuplicate, "row 9", 1);  // Was counted as kept.
  const auto total = log.Total();
  CHECK(total.read == 12);
  CHECK(total.kept == 9);
  CHECK(total.set_aside == 3);
}

TEST_CASE("the first sample of an issue stays", "[model]") {
  ImportLog log, other;
  log.AddIssue("NVTX", ImportReason::kUnfinished, "first");
  other.AddIssue("NVTX", ImportReason::kUnfinished, "second", 4);
  log.Merge(other);
  const auto& issue = log.issues().at({"NVTX", ImportReason::kUnfinished});
  CHECK(issue.sample == "first");
  CHECK(issue.count == 5);
  CHECK(log.HasSample("NVTX", ImportReason::kUnfinished));
  CHECK_FALSE(log.HasSample("NVTX", ImportReason::kBadEnd));
}

TEST_CASE("each reason has a name of its own and a sentence", "[model]") {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kImportReasonCount; ++i) {
    const auto reason = static_cast<ImportReason>(i);
    CHECK_FALSE(NameOf(reason).empty());
    CHECK_FALSE(Describe(reason).empty());
    names.insert(NameOf(reason));
  }
  CHECK(names.size() == kImportReasonCount);
}
