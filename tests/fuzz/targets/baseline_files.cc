// What lies beside the runs of baselines: what is remembered of their noise, and the index.
#include "store/baselines/baseline_index.h"
#include "store/baselines/baseline_noise.h"
#include "tests/fuzz/targets/input_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const xsp::fuzz::WorkFolder folder;
  for (const char* name : {"noise.json", "index.json"}) {
    xsp::fuzz::WriteBytes(folder.path() / name, xsp::fuzz::TextOf(data, size));
  }
  xsp::ReadNoise(folder.path());
  xsp::RememberNoise(folder.path(), {{"T4", 5, 100, 1000}, {"T4", 5, 101, 1010}});
  xsp::WriteIndex(folder.path(), xsp::ReadIndex(folder.path()));
  return 0;
}
