#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "graph/readings/edges.h"
#include "graph/readings/explain.h"
#include "sim/edit/edit.h"
#include "tests/unit/graph/edges_text.h"
#include "tests/unit/sim/edited_text.h"

namespace xsp {
namespace {

using test::FaultsOf;
using test::GraphOf;
using test::TimesOf;

// Three layers of a backward pass, 10 µs each, whose gradients are to be sent.
constexpr std::string_view kBackward = R"(
    T1 0-1000       api cudaLaunchKernel #1
    T1 2000-3000    api cudaLaunchKernel #2
    T1 4000-5000    api cudaLaunchKernel #3
    T1 6000-304000  api cudaDeviceSynchronize #4
    T1 6000-304000  sync context #4
    S7 2000-12000   kernel a #1
    S7 13000-23000  kernel b #2
    S7 24000-300000 kernel c #3)";

// Puts in sends of 30 µs behind each kernel, on streams of their own, that share a channel.
std::vector<TaskId> SendGradients(const GraphOf& g, GraphEdit& edit, std::uint32_t channel,
                                  const std::vector<std::int32_t>& priorities) {
  std::vector<TaskId> sends;
  const std::uint32_t compute = g.graph().lane[g.Task("op 1")];
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i + 1);
    const std::uint32_t stream = edit.AddStream(compute, "link " + number);
    const std::uint32_t record = edit.AddRecord(compute);
    const TaskId launch = g.Task("call " + number);
    edit.InsertAfter(launch, {"cudaEventRecord", 100, 0, GraphEdit::MakeRecord(record)});
    edit.InsertAfter(launch, {"cudaStreamWaitEvent", 100, 0, edit.StreamWaitFor(stream, record)});
    const TaskId call = edit.InsertAfter(launch, {"cudaLaunchKernel", 100, 0, {}});
    sends.push_back(edit.Issue(call, {"send " + number, 30000, stream}));
    edit.JoinChannel(sends.back(), channel, priorities[static_cast<std::size_t>(i)]);
  }
  edit.SetOwn(g.Task("op 3"), 10000);
  return sends;
}

TEST_CASE("a channel does one operation at a time, the first to come first") {
  const GraphOf g(kBackward);
  GraphEdit edit(g.graph());
  SendGradients(g, edit, edit.AddChannel("network"), {0, 0, 0});
  const EditedGraph edited = edit.Build();
  CHECK(FaultsOf(edited).empty());
  CHECK(TimesOf(edited) == R"(
T1: call 1 0-1 | 'cudaEventRecord' 1-1.1 | 'cudaStreamWaitEvent' 1.1-1.2 | 'cudaLaunchKernel' 1.2-1.3 | call 2 2.3-3.3 | 'cudaEventRecord' 3.3-3.4 | 'cudaStreamWaitEvent' 3.4-3.5 | 'cudaLaunchKernel' 3.5-3.6 | call 3 4.6-5.6 | 'cudaEventRecord' 5.6-5.7 | 'cudaStreamWaitEvent' 5.7-5.8 | 'cudaLaunchKernel' 5.8-5.9 | call 4 6.9-107.2
S7: op 1 2.2-12.2 | op 2 13.2-23.2 | op 3 24.2-34.2
link 1: 'send 1' 13.2-43.2
link 2: 'send 2' 43.2-73.2
link 3: 'send 3' 73.2-103.2
)");
}

TEST_CASE("a channel with priorities takes the most urgent of what is ready") {
  const GraphOf g(kBackward);
  GraphEdit edit(g.graph());
  const std::vector<TaskId> sends = SendGradients(g, edit, edit.AddChannel("network"), {0, 1, 2});
  const EditedGraph edited = edit.Build();
  CHECK(FaultsOf(edited).empty());
  CHECK(TimesOf(edited) == R"(
T1: call 1 0-1 | 'cudaEventRecord' 1-1.1 | 'cudaStreamWaitEvent' 1.1-1.2 | 'cudaLaunchKernel' 1.2-1.3 | call 2 2.3-3.3 | 'cudaEventRecord' 3.3-3.4 | 'cudaStreamWaitEvent' 3.4-3.5 | 'cudaLaunchKernel' 3.5-3.6 | call 3 4.6-5.6 | 'cudaEventRecord' 5.6-5.7 | 'cudaStreamWaitEvent' 5.7-5.8 | 'cudaLaunchKernel' 5.8-5.9 | call 4 6.9-107.2
S7: op 1 2.2-12.2 | op 2 13.2-23.2 | op 3 24.2-34.2
link 1: 'send 1' 13.2-43.2
link 2: 'send 2' 73.2-103.2
link 3: 'send 3' 43.2-73.2
)");
  Answers answers;
  const Schedule schedule = edited.Simulate(&answers);
  const TaskId second = edited.PlaceOf(sends[1]);
  const TaskId third = edited.PlaceOf(sends[2]);
  CHECK(schedule.begin_by[second] == Binding{third, Rule::kChannel});
  const auto why = ExplainTask(edited.graph(), schedule, answers, second);
  const bool is_told = std::any_of(why.begin(), why.end(), [&](const ExplainedEdge& edge) {
    return edge.binds && edge.rule == Rule::kChannel && edge.source == third;
  });
  CHECK(is_told);
}

TEST_CASE("a channel that an edit ignores holds nothing up") {
  const GraphOf g(kBackward);
  GraphEdit edit(g.graph());
  SendGradients(g, edit, edit.AddChannel("network"), {0, 0, 0});
  edit.Ignore(Rule::kChannel);
  CHECK(TimesOf(edit.Build()) == R"(
T1: call 1 0-1 | 'cudaEventRecord' 1-1.1 | 'cudaStreamWaitEvent' 1.1-1.2 | 'cudaLaunchKernel' 1.2-1.3 | call 2 2.3-3.3 | 'cudaEventRecord' 3.3-3.4 | 'cudaStreamWaitEvent' 3.4-3.5 | 'cudaLaunchKernel' 3.5-3.6 | call 3 4.6-5.6 | 'cudaEventRecord' 5.6-5.7 | 'cudaStreamWaitEvent' 5.7-5.8 | 'cudaLaunchKernel' 5.8-5.9 | call 4 6.9-69.2
S7: op 1 2.2-12.2 | op 2 13.2-23.2 | op 3 24.2-34.2
link 1: 'send 1' 13.2-43.2
link 2: 'send 2' 24.2-54.2
link 3: 'send 3' 35.2-65.2
)");
}

TEST_CASE("prefetching runs ahead of use by no more than its distance") {
  const GraphOf g(kBackward);
  for (const auto& [distance, expected] :
       {std::pair(1u, "1.3-6.3 7.3-12.3 18.3-23.3"), std::pair(2u, "1.3-6.3 7.3-12.3 13.3-18.3")}) {
    CAPTURE(distance);
    GraphEdit edit(g.graph());
    const std::uint32_t compute = g.graph().lane[g.Task("op 1")];
    const std::uint32_t side = edit.AddStream(compute, "copies");
    const std::uint32_t channel = edit.AddChannel("prefetch");
    std::vector<GraphEdit::Fetch> fetches;
    for (const char* number : {"1", "2", "3"}) {
      const TaskId launch = g.Task(std::string("call ") + number);
      const std::uint32_t record = edit.AddRecord(side);
      const TaskId call = edit.InsertBefore(launch, {"cudaMemcpyAsync", 100, 0, {}});
      edit.InsertBefore(launch, {"cudaEventRecord", 100, 0, GraphEdit::MakeRecord(record)});
      edit.InsertBefore(launch,
                        {"cudaStreamWaitEvent", 100, 0, edit.StreamWaitFor(compute, record)});
      fetches.push_back({edit.Issue(call, {"fetch", 5000, side, OpClass::kHtoD}),
                         g.Task(std::string("op ") + number)});
    }
    edit.Prefetch(channel, fetches, distance);
    edit.SetOwn(g.Task("op 3"), 10000);
    const EditedGraph edited = edit.Build();
    CHECK(FaultsOf(edited).empty());
    std::string fetched;
    const Schedule schedule = edited.Simulate();
    for (const GraphEdit::Fetch& fetch : fetches) {
      fetched += (fetched.empty() ? "" : " ") + test::TimeOf(schedule, edited.PlaceOf(fetch.op));
    }
    CHECK(fetched == expected);
    CHECK(test::TimeOf(schedule, edited.PlaceOf(g.Task("op 3"))) == "29.3-39.3");
  }
}

TEST_CASE("what a prefetch waits for never comes: it is fetched all the same") {
  const GraphOf g(kBackward);
  GraphEdit edit(g.graph());
  const std::uint32_t compute = g.graph().lane[g.Task("op 1")];
  const std::uint32_t side = edit.AddStream(compute, "copies");
  const std::uint32_t channel = edit.AddChannel("prefetch");
  // The host waits for the second fetch before it launches what the first one is for.
  const TaskId first = edit.InsertBefore(g.Task("call 1"), {"cudaMemcpyAsync", 100, 0, {}});
  const TaskId second = edit.InsertBefore(g.Task("call 1"), {"cudaMemcpyAsync", 100, 0, {}});
  edit.InsertBefore(g.Task("call 1"), {"cudaStreamSynchronize", 100, 0, edit.WaitForStream(side)});
  edit.Prefetch(channel,
                {{edit.Issue(first, {"fetch 1", 5000, side, OpClass::kHtoD}), g.Task("op 1")},
                 {edit.Issue(second, {"fetch 2", 5000, side, OpClass::kHtoD}), g.Task("op 2")}},
                1);
  const EditedGraph edited = edit.Build();
  const Schedule schedule = edited.Simulate();
  CHECK(schedule.broken_prefetches == 1);
  CHECK(schedule.finish[edited.PlaceOf(g.Task("call 4"))].known());
}

TEST_CASE("a collective holds its channel until the last rank has come") {
  const GraphOf g(R"(
    P1.T1      0-1000       api cudaLaunchKernel #1
    P2.T1      0-1000       api cudaLaunchKernel #2
    P1.S7      2000-10000   kernel gemm #1
    P2.D1.S7   2000-50000   kernel gemm #2)");
  GraphEdit edit(g.graph());
  const std::uint32_t channel = edit.AddChannel("link of rank 0");
  const TaskId launch = g.Task("call 1");
  const std::uint32_t compute = g.graph().lane[g.Task("op 1")];
  std::vector<TaskId> members;
  members.push_back(edit.Issue(edit.InsertAfter(launch, {"cudaLaunchKernel", 1000, 0, {}}),
                               {"all-reduce", 5000, compute}));
  edit.JoinChannel(members.back(), channel);
  const std::uint32_t side = edit.AddStream(compute, "side");
  const TaskId other = edit.Issue(edit.InsertAfter(launch, {"cudaLaunchKernel", 20000, 0, {}}),
                                  {"broadcast", 5000, side});
  edit.JoinChannel(other, channel);
  members.push_back(
      edit.Issue(edit.InsertAfter(g.Task("call 2"), {"cudaLaunchKernel", 1000, 0, {}}),
                 {"all-reduce", 5000, g.graph().lane[g.Task("op 2")]}));
  edit.AddCollective(members);
  CHECK(TimesOf(edit.Build()) == R"(
T1: call 1 0-1 | 'cudaLaunchKernel' 1-2 | 'cudaLaunchKernel' 2-22
T1: call 2 0-1 | 'cudaLaunchKernel' 1-2
S7: op 1 2.2-10.2 | 'all-reduce' 11.2-56.2
S7: op 2 2.2-50.2 | 'all-reduce' 51.2-56.2
side: 'broadcast' 56.2-61.2
)");
}

}  // namespace
}  // namespace xsp
