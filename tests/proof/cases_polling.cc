// The host asks again and again whether the device is done.
#include "tests/proof/one_thread.h"
#include "tests/proof/proof_case.h"

namespace xsp::proof {
namespace {

using samples::Scenario;

struct Polls {
  bool by_event = false;  // Else by stream.
  int64_t pause = 400;    // Between two queries,
  const char* in = "";    // in this OS call.
  bool os_calls = true;   // Whether OS calls are recorded.
  bool works = false;     // The pause is work, never twice as long.
};

// The host prepares, one stream computes, another is busy beside; then the host asks.
Scenario PollingTurns(const Polls& polls) {
  Scenario scenario;
  scenario.options.os_runtime = polls.os_calls;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t first = thread.Stream();
  const int32_t second = thread.Stream();
  const int32_t event = thread.program().AddEvent(thread.context());
  const int32_t small = thread.Kernel("assemble", 25, 54);
  const int32_t large = thread.Kernel("solve", 180, 54);
  script.Loop(200);
  script.Work(70'000);
  script.Launch(small, second);
  script.Launch(large, first);
  script.Launch(large, first);
  script.EventRecord(event, first);
  script.Launch(small, first);
  samples::Op& poll = polls.by_event ? script.PollEvent(event, polls.pause, polls.in)
                                     : script.PollStream(first, polls.pause, polls.in);
  poll.flag = polls.works;
  poll.groups = samples::kGroupSync;
  script.EndLoop();
  script.StreamSync(second);
  script.DeviceSync(thread.context());
  return scenario;
}

std::function<Scenario()> By(Polls polls) {
  return [polls] { return PollingTurns(polls); };
}

// Two streams in flight: the host refills whichever it finds done first.
Scenario TwoInFlight() {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t streams[] = {thread.Stream(), thread.Stream()};
  const int32_t kernel = thread.Kernel("tile_update", 300, 54);
  script.Launch(kernel, streams[0]);
  script.Loop(150);
  for (int i = 0; i < 2; ++i) {
    script.Work(40'000);
    script.Launch(kernel, streams[1 - i]);
    script.PollStream(streams[i], 300);
  }
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

}  // namespace

std::vector<ProofCase> PollingCases() {
  const Polls stream{}, event{.by_event = true}, naps{.pause = 47'000, .in = "usleep"},
      event_naps{.by_event = true, .pause = 25'000, .in = "nanosleep"},
      silent_naps{.pause = 55'000, .os_calls = false};
  const auto remove = [](Edit& edit) { edit.RemoveCalls("Query"); };
  return {
      {"polling a stream: kernels twice as fast", "turns, stream polled", "kernels × 0.5",
       By(stream), Kernels("", 500), GraphKernels("", 0.5)},
      {"polling a stream: kernels twice as slow", "turns, stream polled", "kernels × 2", By(stream),
       Kernels("", 2'000), GraphKernels("", 2)},
      {"polling a stream: no more", "turns, stream polled", "polling removed", By(stream),
       RemoveMarked, remove},
      {"polling an event: kernels four times as fast", "turns, event polled", "kernels × 0.25",
       By(event), Kernels("", 250), GraphKernels("", 0.25)},
      {"polling an event: kernels twice as slow", "turns, event polled", "kernels × 2", By(event),
       Kernels("", 2'000), GraphKernels("", 2)},
      {"polling with naps: kernels twice as fast", "turns, stream polled every 47 µs",
       "kernels × 0.5", By(naps), Kernels("", 500), GraphKernels("", 0.5)},
      {"polling with naps: kernels twice as slow", "turns, stream polled every 47 µs",
       "kernels × 2", By(naps), Kernels("", 2'000), GraphKernels("", 2)},
      {"polling an event with naps: kernels four times as fast", "turns, event polled every 25 µs",
       "kernels × 0.25", By(event_naps), Kernels("", 250), GraphKernels("", 0.25)},
      {"polling with naps that were not recorded", "turns, polled every 55 µs, no OS calls",
       "kernels × 0.5", By(silent_naps), Kernels("", 500), GraphKernels("", 0.5)},
      {"polling two streams in turn: kernels twice as fast", "2 streams in flight, polled",
       "kernels × 0.5", TwoInFlight, Kernels("", 500), GraphKernels("", 0.5)},
  };
}

std::vector<ProofCase> UnmodelledPolling() {
  const Polls works{.pause = 50'000, .works = true};
  return {{"polling with work between: kernels twice as fast",
           "turns, polled between pieces of work", "kernels × 0.5", By(works), Kernels("", 500),
           GraphKernels("", 0.5)}};
}

}  // namespace xsp::proof
