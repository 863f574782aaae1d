#include "report/timelines/tree_timeline.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "report/tables/json.h"
#include "tests/support/real_traces.h"
#include "tests/support/timeline.h"

using namespace xsp;
using xsp::test::MakeTrace;

namespace {

constexpr std::string_view kTraining = R"(
  T1   0-100 push "step 1"
  T1   5-40  push forward
  T1   6-30  push "layer 1"
  T1  10-12  api cudaLaunchKernel #1
  T1  32-34  api cudaLaunchKernel #2
  T1 100-200 push "step 2"
  T1 105-140 push forward
  T1 106-130 push "layer 1"
  T1 110-112 api cudaLaunchKernel #3
  T1 132-134 api cudaMemcpyAsync #4
  S7  20-50  kernel gemm #1
  S7  50-60  kernel relu #2
  S7 120-150 kernel gemm #3
  S8 130-160 memcpy DtoH bytes=8 #4
)";

// The bars of a timeline, in the order in which they are written: "group/track: name begin-end".
std::vector<std::string> BarsOf(const Json& timeline) {
  std::map<int, std::string> groups;
  std::map<std::pair<int, int>, std::string> tracks;
  std::vector<std::string> bars;
  auto ns = [](const Json& micro) {
    return std::to_string(std::lround(1000 * micro.get<double>()));
  };
  for (const Json& event : timeline.at("traceEvents")) {
    const int group = event.at("pid");
    if (event.at("name") == "process_name") groups[group] = event["args"]["name"];
    if (event.at("name") == "thread_name") {
      tracks[{group, event.at("tid")}] = event["args"]["name"];
    }
    if (event.at("ph") != "X") continue;
    const Json end = event.at("ts").get<double>() + event.at("dur").get<double>();
    bars.push_back(groups.at(group) + "/" + tracks.at({group, event.at("tid")}) + ": " +
                   event.at("name").get<std::string>() + " " + ns(event.at("ts")) + "-" + ns(end));
  }
  return bars;
}

std::vector<std::string> BarsIn(std::string_view timeline, const StepSet& steps = {}) {
  const Trace trace = MakeTrace(timeline);
  return BarsOf(Json::parse(TreeTimeline(Hierarchy(trace), NameForm::kShort, steps)));
}

// What bars a group has, without its name.
std::vector<std::string> Of(const std::vector<std::string>& bars, const std::string& group) {
  std::vector<std::string> result;
  for (const std::string& bar : bars) {
    const std::size_t at = bar.find(": " + group + "/");
    if (at != std::string::npos) result.push_back(bar.substr(at + group.size() + 3));
  }
  return result;
}

}  // namespace

TEST_CASE("a timeline shows the hierarchy above threads and streams") {
  const std::vector<std::string> bars = BarsIn(kTraining);
  CHECK(Of(bars, "hierarchy") ==
        std::vector<std::string>{"step: step 1 0-100", "step: step 2 100-200",
                                 "phase: forward 20-60", "phase: forward 120-160",
                                 "layer: layer 1 20-50", "layer: layer 1 120-150"});
  CHECK(Of(bars, "device") ==
        std::vector<std::string>{"GPU 0 stream 7: gemm 20-50", "GPU 0 stream 7: relu 50-60",
                                 "GPU 0 stream 7: gemm 120-150",
                                 "GPU 0 stream 8: [CUDA memcpy DtoH] 130-160"});
  const std::vector<std::string> host = Of(bars, "host");
  CHECK(std::count(host.begin(), host.end(), "thread 1: layer 1 6-30") == 1);
  CHECK(std::count(host.begin(), host.end(), "thread 1: cudaLaunchKernel 32-34") == 1);
  CHECK(bars.size() == 20);
}

TEST_CASE("a timeline of one step leaves the others out") {
  const std::vector<std::string> bars = BarsIn(kTraining, StepSet({1}));
  CHECK(Of(bars, "hierarchy") == std::vector<std::string>{"step: step 2 100-200",
                                                          "phase: forward 120-160",
                                                          "layer: layer 1 120-150"});
  CHECK(Of(bars, "device").size() == 2);
}

TEST_CASE("bars that overlap without one holding the other get tracks of their own") {
  const Trace trace = MakeTrace(R"(
    S7  0-30 kernel a
    S7 10-20 kernel inside
    S7 20-50 kernel b
  )");
  const Json timeline = Json::parse(TreeTimeline(Hierarchy(trace), NameForm::kShort));
  std::map<std::string, int> tracks;
  for (const Json& event : timeline.at("traceEvents")) {
    if (event.at("ph") == "X") tracks[event.at("name")] = event.at("tid");
  }
  CHECK(tracks.at("a") == tracks.at("inside"));
  CHECK(tracks.at("b") == tracks.at("a") + 1);
}
