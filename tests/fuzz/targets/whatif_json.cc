// A what-if that a user wrote, applied to a small program.
#include "base/error.h"
#include "sim/plan/user_whatif.h"
#include "tests/fuzz/targets/input_file.h"
#include "tests/unit/sim/text_workbench.h"

namespace {

constexpr char kProgram[] = R"(
  T1 0-5000          api cudaLaunchKernel #1
  S7 6000-8000       kernel other #1
  T1 10000-15000     api cudaLaunchKernel #2
  S7 16000-2016000   kernel volta_sgemm_128x64_tn #2
  T1 20000-25000     api cudaLaunchKernel #3
  S9 2017000-2019000 kernel softmax_warp_forward #3
  T1 30000-35000     api cudaMemcpyAsync #4
  S7 2020000-2120000 memcpy DtoH #4 bytes=800000 dst=pinned)";

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const xsp::test::TextWorkbench bench(kProgram);
  try {
    const auto whatif = xsp::UserWhatIf::FromJson(xsp::fuzz::TextOf(data, size), "input");
    bench.Run(whatif->whatif());
  } catch (const xsp::Error&) {
  }
  return 0;
}
