// What-ifs for programs that are no training: data that goes to and fro, memory that is allocated
// in the loop, copies, kernels and reads that are too small.
#include "tests/proof/one_thread.h"
#include "tests/proof/whatif_options.h"

namespace xsp::proof {
namespace {

using samples::CopyKind;
using samples::Scenario;

// So many steps, each a range, and a sync behind all.
Scenario Steps(int64_t count, const std::function<void(OneThread&)>& setup,
               const std::function<void(OneThread&)>& step) {
  Scenario scenario;
  OneThread thread(scenario);
  setup(thread);
  thread.script().Loop(count);
  thread.script().Push("step %0", 0, 1);
  step(thread);
  thread.script().Pop();
  thread.script().EndLoop();
  thread.script().DeviceSync(thread.context());
  return scenario;
}
void Nothing(OneThread&) {}

// A solver that takes its field to the device and back in every step.
struct Field {
  int64_t bytes = 24 << 20;
  bool pinned = false;
  bool kept = false;
};

Scenario Solver(const Field& field) {
  const auto memory = field.pinned ? samples::MemoryKind::kPinned : samples::MemoryKind::kPageable;
  const auto copy = [=](OneThread& thread, CopyKind kind) {
    thread.script().Copy({kind, field.bytes, memory, field.pinned, -1}, thread.default_stream());
    if (field.pinned) thread.script().StreamSync(thread.default_stream());
  };
  return Steps(
      24,
      [=](OneThread& thread) {
        if (field.kept) copy(thread, CopyKind::kHostToDevice);
      },
      [=](OneThread& thread) {
        const int32_t kernel = thread.Kernel("relax", 700);
        if (!field.kept) copy(thread, CopyKind::kHostToDevice);
        for (int i = 0; i < 3; ++i) thread.script().Launch(kernel, thread.default_stream());
        if (!field.kept) copy(thread, CopyKind::kDeviceToHost);
      });
}

WhatIfCase KeepCase(std::string name, std::string program, const Field& before) {
  Field after = before;
  after.kept = true;
  return {std::move(name), std::move(program), "--keep-on-device",
          [before] { return Solver(before); }, [after] { return Solver(after); }};
}

// A query that takes and gives back its memory.
Scenario Query(bool allocates) {
  return Steps(24, Nothing, [=](OneThread& thread) {
    samples::Script& script = thread.script();
    const int32_t build = thread.Kernel("build_table", 90);
    const int32_t probe = thread.Kernel("probe_table", 160);
    for (int i = 0; i < 2; ++i) {
      if (allocates) script.Malloc(thread.context(), 32 << 20, true);
      script.Work(20'000);
      script.Launch(build, thread.default_stream());
      script.Launch(probe, thread.default_stream());
      if (allocates) script.Free(thread.context(), 32 << 20);
    }
    script.Work(30'000);
  });
}

// Sixteen small tensors, or all of them packed into one.
Scenario Upload(bool packed) {
  return Steps(24, Nothing, [=](OneThread& thread) {
    samples::Script& script = thread.script();
    const int32_t kernel = thread.Kernel("process_block", 300);
    const int64_t bytes = 8 << 10;
    const int64_t count = 16;
    const auto memory = samples::MemoryKind::kPinned;
    if (packed) script.Work(bytes * count / 10);
    for (int64_t i = 0; i < (packed ? 1 : count); ++i) {
      script.Copy({CopyKind::kHostToDevice, packed ? bytes * count : bytes, memory, true, -1},
                  thread.default_stream());
    }
    script.Launch(kernel, thread.default_stream());
    script.Copy({CopyKind::kDeviceToHost, 4 << 10, memory, true, -1}, thread.default_stream());
    script.StreamSync(thread.default_stream());
  });
}

// A solver of 40 iterations that asks after so many of them whether it is done.
Scenario Converging(int64_t every) {
  return Steps(24, Nothing, [=](OneThread& thread) {
    samples::Script& script = thread.script();
    const int32_t kernel = thread.Kernel("relax", 25);
    script.Loop(40 / every);
    script.Loop(every);
    script.Work(3'000);
    script.Launch(kernel, thread.default_stream());
    script.EndLoop();
    script.Copy({CopyKind::kDeviceToHost, 4, samples::MemoryKind::kPageable, false, -1},
                thread.default_stream());
    script.EndLoop();
  });
}

// A kernel with blocks for a quarter of the multiprocessors, or for all of them.
Scenario Blocks(bool many) {
  return Steps(24, Nothing, [=](OneThread& thread) {
    const int32_t kernel = thread.Kernel("sweep", many ? 200 : 800, many ? 432 : 27);
    const int32_t other = thread.Kernel("scale", 300);
    thread.script().Launch(kernel, thread.default_stream());
    thread.script().Launch(other, thread.default_stream());
    thread.script().StreamSync(thread.default_stream());
  });
}

// Sixteen kernels of 6 us, of which 2 us are what a kernel takes at least, or one.
Scenario Small(bool merged) {
  return Steps(24, Nothing, [=](OneThread& thread) {
    samples::Script& script = thread.script();
    const int32_t empty = thread.Kernel("mark", 2);
    const int32_t kernel = thread.Kernel("relax", merged ? 2 + 16 * 4 : 6);
    for (int i = 0; i < 2; ++i) {
      script.Launch(empty, thread.default_stream());
      script.Work(4'000);
      for (int launch = 0; launch < (merged ? 1 : 16); ++launch) {
        script.Launch(kernel, thread.default_stream());
      }
    }
    script.Launch(thread.Kernel("scale", 300), thread.default_stream());
    script.StreamSync(thread.default_stream());
  });
}

template <class Argument>
WhatIfCase Case(std::string name, std::string program, std::string options,
                Scenario (*make)(Argument), Argument before, Argument after) {
  return {std::move(name), std::move(program), std::move(options), [=] { return make(before); },
          [=] { return make(after); }};
}

void Tf32(Options& options) { options.precision = samples::Precision::kTf32; }

}  // namespace

std::vector<WhatIfCase> TradeWhatIfs() {
  Field pinned;
  pinned.pinned = true;
  return {
      KeepCase("keep on device: blocking copies", "24 MB in and out in each step", {}),
      KeepCase("keep on device: pinned copies and syncs", "24 MB in and out in each step", pinned),
      Case("allocate once: a query", "32 MB allocated and freed twice in a step", "--allocate-once",
           Query, true, false),
      Case("larger copies: 16 small tensors", "16 copies of 8 KB in each step", "--larger-copies",
           Upload, false, true),
      Case("read every 10th: a solver", "a flag read in each of 40 iterations", "--read-every=10",
           Converging, int64_t{1}, int64_t{10}),
      Case("fill the GPU: a quarter of the blocks", "27 blocks on 108 SMs", "--fill-gpu=reach=100%",
           Blocks, false, true),
      Case("merge kernels: 16 small ones", "16 kernels of 6 us in a row", "--merge-kernels", Small,
           false, true),
      TrainingCase(
          "tf32: training", "training, GPU-bound", "--tf32=matrix=5.1", [](Options&) {}, Tf32),
  };
}

}  // namespace xsp::proof
