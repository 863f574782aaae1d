// What-ifs that take waits away or put work elsewhere: graphs, syncs, copies, loaders, ranks.
#include "tests/proof/one_thread.h"
#include "tests/proof/whatif_options.h"

namespace xsp::proof {
namespace {

using samples::Bound;
using samples::Scenario;

void Gpu(Options&) {}
void Host(Options& options) { options.bound = Bound::kHost; }
void HostDeep(Options& options) {
  options.bound = Bound::kHost;
  options.layers = 6;
}
// So fast a step needs more than one loader.
void HostLoaders(Options& options) {
  options.bound = Bound::kHost;
  options.workers = 4;
}
void Input(Options& options) { options.bound = Bound::kInput; }
void LargeInput(Options& options) { options.input_bytes = 48'000'000; }
void HostLargeInput(Options& options) {
  Host(options);
  options.input_bytes = 12'000'000;
}

void Graphs(Options& options) { options.graphs = true; }
void NoReads(Options& options) { options.sync_every = 1'000'000; }
void Pinned(Options& options) { options.pinned = true; }
void Prefetch(Options& options) { options.prefetch = true; }

std::function<void(Options&)> Workers(int64_t count) {
  return [=](Options& options) { options.workers = count; };
}
std::function<void(Options&)> Accumulate(int64_t count) {
  return [=](Options& options) { options.accumulate = count; };
}
std::function<void(Options&)> Ranks(int32_t count, int64_t rate = 180) {
  return [=](Options& options) {
    options.ranks = count;
    options.link_rate = rate;
  };
}

std::vector<WhatIfCase> LaunchCases() {
  return {
      TrainingCase("cuda graphs: host-bound training", "training, host-bound, 4 loaders",
                   "--cuda-graphs", HostLoaders, Graphs),
      TrainingCase("cuda graphs: deep host-bound training", "training, host-bound, 6 layers",
                   "--cuda-graphs", HostDeep, Graphs),
      TrainingCase("cuda graphs: GPU-bound training", "training, GPU-bound", "--cuda-graphs", Gpu,
                   Graphs),
      TrainingCase("no sync: training", "training, loss read in every step", "--no-sync", Gpu,
                   NoReads),
      TrainingCase("no sync: host-bound training", "training, host-bound, loss read", "--no-sync",
                   Host, NoReads),
      TrainingCase("no sync: two ranks", "2 ranks, loss read in every step", "--no-sync", Gpu,
                   NoReads, samples::MakeMulti),
  };
}

std::vector<WhatIfCase> InputCases() {
  return {
      TrainingCase("pinned: large batches", "training, batches of 48 MB", "--pinned", LargeInput,
                   Pinned),
      TrainingCase("pinned: host-bound, large batches", "training, host-bound, batches of 12 MB",
                   "--pinned", HostLargeInput, Pinned),
      TrainingCase("prefetch: large batches", "training, batches of 48 MB", "--prefetch",
                   LargeInput, Prefetch),
      TrainingCase("prefetch: large batches and no reads", "training, batches of 48 MB",
                   "--prefetch --no-sync", LargeInput,
                   [](Options& options) {
                     Prefetch(options);
                     NoReads(options);
                   }),
      TrainingCase("loader: two workers", "training, a loader thread too slow",
                   "--loader=workers=2,now=1", Input, Workers(2)),
      TrainingCase("loader: four workers", "training, a loader thread too slow",
                   "--loader=workers=4,now=1", Input, Workers(4)),
  };
}

// A batch in, kernels, results back; the host looks at them before the next step.
struct Blocks {
  int64_t in = 2 << 20;
  int64_t out = 24 << 20;
  bool async = false;        // The read, and a sync behind what the host does meanwhile.
  bool sync_behind = false;  // Right behind the copy to the device, as frameworks do.
  bool pinned = false;
};

Scenario InOut(const Blocks& blocks) {
  Scenario scenario;
  OneThread thread(scenario);
  samples::Script& script = thread.script();
  const int32_t stream = thread.Stream();
  const int32_t kernel = thread.Kernel("process_block", 400);
  const auto memory = blocks.pinned ? samples::MemoryKind::kPinned : samples::MemoryKind::kPageable;
  script.Loop(24);
  script.Push("step %0", 0, 1);
  script.Launch(kernel, stream);
  script.Copy({samples::CopyKind::kHostToDevice, blocks.in, memory, true, -1}, stream);
  if (blocks.sync_behind && !blocks.pinned) script.StreamSync(stream);
  script.Work(150'000);
  for (int i = 0; i < 3; ++i) script.Launch(kernel, stream);
  script.Copy({samples::CopyKind::kDeviceToHost, blocks.out, memory, blocks.async, -1}, stream);
  if (blocks.async) {
    script.Work(600'000);
    script.StreamSync(stream);
  }
  script.Work(200'000);
  script.Pop();
  script.EndLoop();
  script.DeviceSync(thread.context());
  return scenario;
}

WhatIfCase PinnedCase(std::string name, std::string program, const Blocks& before) {
  Blocks after = before;
  after.pinned = true;
  return {std::move(name), std::move(program), "--pinned=bandwidth=24GB",
          [before] { return InOut(before); }, [after] { return InOut(after); }};
}

std::vector<WhatIfCase> ReadCases() {
  Blocks async;
  async.async = true;
  Blocks behind = async;
  behind.sync_behind = true;
  Blocks large;
  large.out = 96 << 20;
  return {
      PinnedCase("pinned: results read by blocking copies", "24 MB back in each step", {}),
      PinnedCase("pinned: large results read by blocking copies", "96 MB back in each step", large),
      PinnedCase("pinned: results read beside host work", "24 MB back, a sync later", async),
      PinnedCase("pinned: a sync behind each copy in", "2 MB in and a sync, 24 MB back", behind),
  };
}

// The ranks of the samples are not equally fast; of one rank nobody can know that.
Scenario EqualRanks(const Options& options) {
  Scenario scenario = options.ranks > 1 ? samples::MakeMulti(options) : samples::MakeTrain(options);
  scenario.machine.slowness.clear();
  return scenario;
}

std::vector<WhatIfCase> RankCases() {
  const auto one = [](Options& options) { options.ranks = 1; };
  const auto two = Ranks(2);
  const auto bucket = [](int64_t bytes) {
    return [=](Options& options) { options.bucket_bytes = bytes; };
  };
  return {
      TrainingCase("ddp: two GPUs", "training, GPU-bound",
                   "--ddp=gpus=2,link=180GB,latency=9us,bucket=50MB", one, two, EqualRanks),
      TrainingCase("ddp: four GPUs", "training, GPU-bound",
                   "--ddp=gpus=4,link=180GB,latency=3us,bucket=50MB", one, Ranks(4), EqualRanks),
      TrainingCase("ddp: two GPUs on a slow link", "training, GPU-bound",
                   "--ddp=gpus=2,link=20GB,latency=9us,bucket=50MB", one, Ranks(2, 20), EqualRanks),
      TrainingCase("network: twice as fast", "2 ranks, slow link",
                   "--network=factor=2,latency=18us", Ranks(2, 8), Ranks(2, 16),
                   samples::MakeMulti),
      TrainingCase(
          "buckets: two in one", "2 ranks, slow link", "--buckets=merge=2,latency=18us",
          [](Options& options) {
            Ranks(2, 12)(options);
            options.layers = 5;
          },
          bucket(100'000'000), samples::MakeMulti),
      TrainingCase("accumulate: 4 micro-batches", "training, GPU-bound", "--accumulate=4", Gpu,
                   Accumulate(4)),
      TrainingCase("accumulate: 2 micro-batches on two ranks", "2 ranks", "--accumulate=2", two,
                   Accumulate(2), samples::MakeMulti),
      TrainingCase("accumulate: 4 micro-batches in a host-bound step", "training, host-bound",
                   "--accumulate=4", Host, Accumulate(4)),
  };
}

}  // namespace

std::vector<WhatIfCase> WaitWhatIfs() {
  std::vector<WhatIfCase> all;
  for (const auto& part : {LaunchCases(), InputCases(), ReadCases(), RankCases()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace xsp::proof
