// What is true of every scenario, whatever it does.
#include "sample_traces/scenarios.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "tests/unit/sample_traces/small_program.h"

namespace xsp::samples::test {
namespace {

struct Case {
  Scenario scenario;
  MemoryRecording run;
};

// The scenario as it would be written, but with device times on the host's clock.
Case RunCase(std::string_view name, const ScenarioOptions& options) {
  Case result{MakeScenario(name, options), {}};
  result.run = RunInMemory(result.scenario.program, result.scenario.machine);
  return result;
}

std::vector<ScenarioOptions> Variants() {
  ScenarioOptions plain;
  plain.steps = 4;
  ScenarioOptions host = plain;
  host.bound = Bound::kHost;
  host.seed = 5;
  ScenarioOptions amp = plain;
  amp.precision = Precision::kAmp;
  amp.sync_every = 100;
  amp.queue_depth = 60;
  ScenarioOptions input = plain;
  input.bound = Bound::kInput;
  input.nvtx = NvtxLevel::kNone;
  return {plain, host, amp, input};
}

template <typename Check>
void ForAll(Check check) {
  for (const ScenarioEntry& entry : Scenarios()) {
    for (const ScenarioOptions& options : Variants()) {
      INFO("scenario " << entry.name << ", seed " << options.seed << ", queue "
                       << options.queue_depth);
      check(RunCase(entry.name, options));
    }
  }
}

// A piece of device work without what distinguishes its kinds.
struct Work {
  int64_t start, end;
  int32_t stream;
  int64_t correlation, graph_node;
};

std::vector<Work> AllWork(const MemoryRecording& run) {
  std::vector<Work> work;
  const auto add = [&](const auto& records) {
    for (const DeviceRecord& r : records) {
      work.push_back({r.start, r.end, r.stream, r.correlation, r.graph_node});
    }
  };
  add(run.kernels);
  add(run.copies);
  add(run.memsets);
  std::sort(work.begin(), work.end(), [](const Work& a, const Work& b) {
    return std::tie(a.start, a.stream) < std::tie(b.start, b.stream);
  });
  return work;
}

int32_t ProcessOf(const Case& c, int32_t stream) {
  return c.scenario.program.contexts[c.scenario.program.streams[stream].context].process;
}

using CallKey = std::pair<int32_t, int64_t>;  // process, correlation

std::map<CallKey, const CallRecord*> CallsByKey(const Case& c) {
  std::map<CallKey, const CallRecord*> calls;
  for (const CallRecord& call : c.run.calls) {
    const CallKey key{c.scenario.program.threads[call.thread].process, call.correlation};
    const bool is_new = calls.emplace(key, &call).second;
    CHECK(is_new);  // a correlation id names one call of its process
  }
  return calls;
}

}  // namespace

TEST_CASE("device work starts after its call has begun", "[samples]") {
  ForAll([](const Case& c) {
    const auto calls = CallsByKey(c);
    for (const Work& work : AllWork(c.run)) {
      const auto call = calls.find({ProcessOf(c, work.stream), work.correlation});
      REQUIRE(call != calls.end());
      CHECK(work.start > call->second->start);
      CHECK(work.end > work.start);
    }
  });
}

TEST_CASE("work of one stream does not overlap, branches of graphs apart", "[samples]") {
  ForAll([](const Case& c) {
    std::map<int32_t, int64_t> ends;
    for (const Work& work : AllWork(c.run)) {
      if (work.graph_node >= 0) continue;
      CHECK(work.start >= ends[work.stream]);
      ends[work.stream] = work.end;
    }
  });
}

TEST_CASE("a sync returns after what its stream or device had to do", "[samples]") {
  ForAll([](const Case& c) {
    const auto calls = CallsByKey(c);
    const std::vector<Work> all = AllWork(c.run);
    for (const SyncRecord& sync : c.run.syncs) {
      if (sync.event >= 0) continue;
      const int32_t process = c.scenario.program.contexts[sync.context].process;
      const CallRecord& call = *calls.at({process, sync.correlation});
      CHECK(sync.start > call.start);
      CHECK(sync.end < call.end);
      for (const Work& work : all) {
        const bool same = sync.stream >= 0
                              ? work.stream == sync.stream
                              : c.scenario.program.streams[work.stream].context == sync.context;
        if (!same || calls.at({process, work.correlation})->end > call.start) continue;
        CHECK(work.end < call.end);
      }
    }
  });
}

TEST_CASE("no more commands are outstanding than the queue has places", "[samples]") {
  ForAll([](const Case& c) {
    const auto calls = CallsByKey(c);
    std::map<int32_t, std::multimap<int64_t, int64_t>> by_context;  // issue time → end
    for (const Work& work : AllWork(c.run)) {
      if (work.graph_node >= 0) continue;
      const int64_t issued = calls.at({ProcessOf(c, work.stream), work.correlation})->start;
      by_context[c.scenario.program.streams[work.stream].context].emplace(issued, work.end);
    }
    for (const auto& [context, issued] : by_context) {
      std::multiset<int64_t> ends;
      for (const auto& [start, end] : issued) {
        ends.erase(ends.begin(), ends.upper_bound(start));
        ends.insert(end);
        CHECK(static_cast<int32_t>(ends.size()) <= c.scenario.machine.queue_depth + 1);
      }
    }
  });
}

TEST_CASE("copies of one direction do not overlap on a device", "[samples]") {
  ForAll([](const Case& c) {
    std::map<std::pair<int32_t, CopyKind>, int64_t> ends;
    for (const CopyRecord& copy : c.run.copies) {
      if (copy.copy.kind != CopyKind::kHostToDevice && copy.copy.kind != CopyKind::kDeviceToHost) {
        continue;
      }
      const int32_t context = c.scenario.program.streams[copy.stream].context;
      int64_t& end = ends[{c.scenario.program.contexts[context].device, copy.copy.kind}];
      CHECK(copy.start >= end);
      end = copy.end;
    }
  });
}

TEST_CASE("calls of one thread follow each other", "[samples]") {
  ForAll([](const Case& c) {
    std::map<int32_t, int64_t> ends;
    for (const CallRecord& call : c.run.calls) {
      CHECK(call.start >= ends[call.thread]);
      CHECK(call.end > call.start);
      ends[call.thread] = call.end;
    }
  });
}

TEST_CASE("pushed ranges nest on their thread", "[samples]") {
  ForAll([](const Case& c) {
    std::map<std::pair<int32_t, int32_t>, std::vector<int64_t>> open;
    for (const NvtxRecord& range : c.run.nvtx) {
      if (range.type != 59) continue;
      std::vector<int64_t>& ends = open[{range.thread, range.domain}];
      while (!ends.empty() && ends.back() <= range.start) ends.pop_back();
      if (!ends.empty()) CHECK(range.end <= ends.back());
      ends.push_back(range.end);
    }
  });
}

TEST_CASE("records come in the order of their starts", "[samples]") {
  const auto sorted = [](const auto& records) {
    return std::is_sorted(records.begin(), records.end(),
                          [](const auto& a, const auto& b) { return a.start < b.start; });
  };
  ForAll([&](const Case& c) {
    CHECK(sorted(c.run.calls));
    CHECK(sorted(c.run.kernels));
    CHECK(sorted(c.run.copies));
    CHECK(sorted(c.run.syncs));
    CHECK(sorted(c.run.nvtx));
    CHECK(sorted(c.run.os_calls));
  });
}

TEST_CASE("the number of kernels is known before the run", "[samples]") {
  ForAll([](const Case& c) {
    CHECK(c.scenario.program.CountKernels() == static_cast<int64_t>(c.run.kernels.size()));
    CHECK(c.run.summary.kernels == static_cast<int64_t>(c.run.kernels.size()));
  });
}

TEST_CASE("as many steps are taken as a number of kernels needs", "[samples]") {
  for (const ScenarioEntry& entry : Scenarios()) {
    INFO(entry.name);
    ScenarioOptions options;
    options.sync_every = 3;
    options.steps = StepsForKernels(entry.name, options, 5'000);
    const int64_t kernels = MakeScenario(entry.name, options).program.CountKernels();
    CHECK(kernels >= 4'990);
    CHECK(kernels < 5'400);
  }
}

TEST_CASE("the backward pass runs on a thread of its own while the main thread waits",
          "[samples]") {
  const Case c = RunCase("train", {});
  std::set<int32_t> launching;
  for (const CallRecord& call : c.run.calls) {
    if (call.name.starts_with("cudaLaunchKernel")) launching.insert(call.thread);
  }
  CHECK(launching.size() == 2);
  std::vector<std::pair<int64_t, int64_t>> waits;
  for (const NvtxRecord& range : c.run.nvtx) {
    if (range.text == "backward") waits.emplace_back(range.start, range.end);
  }
  for (const NvtxRecord& range : c.run.nvtx) {
    if (!range.text.starts_with("AddmmBackward0")) continue;
    CHECK(std::any_of(waits.begin(), waits.end(), [&](const auto& wait) {
      return wait.first < range.start && range.end < wait.second;
    }));
  }
}

TEST_CASE("forward and backward of an operator carry the same sequence number", "[samples]") {
  const Case c = RunCase("train", {});
  const auto sequences = [&](std::string_view name) {
    std::multiset<std::string> numbers;
    for (const NvtxRecord& range : c.run.nvtx) {
      if (!range.text.starts_with(name)) continue;
      const size_t at = range.text.find("seq = ") + 6;
      numbers.insert(range.text.substr(at, range.text.find(',', at) - at));
    }
    return numbers;
  };
  const auto forward = sequences("aten::gelu, seq");
  CHECK(forward.size() == 20);  // two layers, ten steps
  CHECK(std::set<std::string>(forward.begin(), forward.end()).size() == 20);
  CHECK(forward == sequences("GeluBackward0, seq"));
}

TEST_CASE("what bounds a training shows in how busy its device is", "[samples]") {
  const auto busy_permille = [](Bound bound) {
    ScenarioOptions options;
    options.bound = bound;
    const Case c = RunCase("train", options);
    int64_t busy = 0;
    for (const KernelRecord& kernel : c.run.kernels) busy += kernel.end - kernel.start;
    return busy * 1'000 / (c.run.kernels.back().end - c.run.kernels.front().start);
  };
  CHECK(busy_permille(Bound::kGpu) > 900);
  CHECK(busy_permille(Bound::kHost) < 500);
  CHECK(busy_permille(Bound::kInput) < 750);
}

TEST_CASE("an unknown scenario is answered with the known ones", "[samples]") {
  CHECK_THROWS_WITH(MakeScenario("trian", {}), Catch::Contains("train"));
}

}  // namespace xsp::samples::test
