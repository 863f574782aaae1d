#include "sim/plan/selector.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/error.h"
#include "sim/plan/json_selector.h"
#include "tests/unit/sim/text_workbench.h"

namespace xsp {
namespace {

using test::TextWorkbench;

constexpr char kTimeline[] = R"(
  T1 0-9000     push forward
  T1 1000-3000  api cudaLaunchKernel #1
  S7 5000-9000  kernel volta_sgemm_128x64_tn #1
  T1 4000-5000  api cudaLaunchKernel #2
  S8 9000-9500  kernel softmax_warp_forward #2
  T1 6000-7000  api cudaMemcpyAsync #3
  S7 9600-9900  memcpy DtoH #3 bytes=8 dst=pinned)";

// The names of all that is selected.
std::string Selected(const TextWorkbench& text, const Selector& selector) {
  std::string names;
  const auto plan = text.bench().NewPlan();
  for (const TaskId task : plan->Select(selector)) {
    names += (names.empty() ? "" : " ") + std::string(plan->facts().Name(task));
  }
  return names;
}

TEST_CASE("work is selected by what it is and where it belongs") {
  const TextWorkbench text(kTimeline);
  CHECK(Selected(text, Selector::Class(KernelClass::kGemm)) == "volta_sgemm_128x64_tn");
  CHECK(Selected(text, Selector::OfPrecision(Precision::kFp32)) == "volta_sgemm_128x64_tn");
  CHECK(Selected(text, Selector::Kind(TaskKind::kMemcpy)) == "[CUDA memcpy DtoH]");
  CHECK(Selected(text, Selector::Stream(8)) == "softmax_warp_forward");
  CHECK(Selected(text, Selector::Name("*softmax*")) == "softmax_warp_forward");
  CHECK(Selected(text, Selector::Name("softmax")) == "");
  CHECK(Selected(text, Selector::Host() && Selector::Name("cudaMem*")) == "cudaMemcpyAsync");
  CHECK(Selected(text, Selector::Thread(99)) == "");
  CHECK(Selected(text, Selector::InPhase(Phase::kForward) && Selector::Device()) ==
        "volta_sgemm_128x64_tn softmax_warp_forward [CUDA memcpy DtoH]");
}

TEST_CASE("selectors are joined by and, or, not") {
  const TextWorkbench text(kTimeline);
  const Selector gemm = Selector::Class(KernelClass::kGemm);
  const Selector softmax = Selector::Class(KernelClass::kSoftmax);
  CHECK(Selected(text, gemm || softmax) == "volta_sgemm_128x64_tn softmax_warp_forward");
  CHECK(Selected(text, gemm && softmax) == "");
  CHECK(Selected(text, Selector::Device() && !gemm) == "softmax_warp_forward [CUDA memcpy DtoH]");
  CHECK((gemm && !softmax).text() == "class=gemm, not (class=softmax)");
}

Selector FromJson(const char* text) { return ReadSelector(UserJson::Parse(text, "my.json", "")); }

TEST_CASE("selectors are read from JSON") {
  const TextWorkbench text(kTimeline);
  CHECK(Selected(text, FromJson(R"({"class": "gemm", "on": "device"})")) ==
        "volta_sgemm_128x64_tn");
  CHECK(Selected(text, FromJson(R"({"any": [{"class": "gemm"}, {"kind": "memcpy"}]})")) ==
        "volta_sgemm_128x64_tn [CUDA memcpy DtoH]");
  CHECK(Selected(text, FromJson(R"({"on": "device", "not": {"stream": 7}})")) ==
        "softmax_warp_forward");
  CHECK(FromJson(R"({"critical_path": true})").NeedsPath());
}

TEST_CASE("copies are selected by size and direction, work by range, device, process and time") {
  const TextWorkbench text(kTimeline);
  const std::string copy = "[CUDA memcpy DtoH]";
  CHECK(Selected(text, FromJson(R"({"bytes": 8})")) == copy);
  CHECK(Selected(text, FromJson(R"({"bytes": {"least": 4, "most": "1KB"}})")) == copy);
  CHECK(Selected(text, FromJson(R"({"bytes": {"least": "1KB"}})")) == "");
  CHECK(Selected(text, FromJson(R"({"direction": "DtoH"})")) == copy);
  CHECK(Selected(text, FromJson(R"({"direction": "HtoD"})")) == "");
  CHECK(Selected(text, FromJson(R"({"range": "forward", "kind": "memcpy"})")) == copy);
  CHECK(Selected(text, FromJson(R"({"range": "backward"})")) == "");
  CHECK(Selected(text, FromJson(R"({"device": 0, "kind": "memcpy"})")) == copy);
  CHECK(Selected(text, FromJson(R"({"device": 1})")) == "");
  CHECK(Selected(text, FromJson(R"({"process": 1, "kind": "memcpy"})")) == copy);
  CHECK(Selected(text, FromJson(R"({"time": {"from": "9us", "to": "9550ns"}})")) ==
        "softmax_warp_forward");
}

TEST_CASE("of what fits the first, the last or every Nth is taken, by time") {
  const TextWorkbench text(kTimeline);
  const auto picked = [&](const char* json) {
    const auto plan = text.bench().NewPlan();
    std::string names;
    for (const TaskId task : ReadSelection(UserJson::Parse(json, "my.json", "")).Of(*plan)) {
      names += (names.empty() ? "" : " ") + std::string(plan->facts().Name(task));
    }
    return names;
  };
  CHECK(picked(R"({"on": "device", "first": 1})") == "volta_sgemm_128x64_tn");
  CHECK(picked(R"({"on": "device", "last": 2})") == "softmax_warp_forward [CUDA memcpy DtoH]");
  CHECK(picked(R"({"on": "device", "every": 2})") == "softmax_warp_forward");
  CHECK_THROWS_WITH(picked(R"({"on": "device", "first": 1, "last": 1})"),
                    Catch::Contains("more than one of first, last, every"));
  CHECK_THROWS_WITH(picked(R"({"not": {"on": "device", "first": 1}})"),
                    Catch::Contains("not.first"));
  CHECK_THROWS_WITH(FromJson(R"({"on": "device", "first": 1})"), Catch::Contains("first"));
}

TEST_CASE("a selector that cannot be read is told by its path") {
  CHECK_THROWS_WITH(FromJson(R"({"class": "gem"})"),
                    Catch::Contains("my.json:1: class: there is no class 'gem'"));
  CHECK_THROWS_WITH(FromJson(R"({"any": [{"class": "gemm"}, {"kind": 7}]})"),
                    Catch::Contains("any[1].kind"));
  CHECK_THROWS_WITH(FromJson(R"({"colour": "red"})"), Catch::Contains("colour"));
  CHECK_THROWS_AS(FromJson("{}"), Error);
  CHECK_THROWS_AS(FromJson("[]"), Error);
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += R"({"not": )";
  deep += R"({"class": "gemm"})" + std::string(40, '}');
  CHECK_THROWS_WITH(FromJson(deep.c_str()), Catch::Contains("too deep"));
}

}  // namespace
}  // namespace xsp
