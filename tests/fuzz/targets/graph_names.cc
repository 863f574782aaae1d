// PyTorch's annotations of the nodes of CUDA graphs.
#include "hierarchy/names/graph_names.h"

#include <utility>

#include "base/error.h"
#include "tests/fuzz/targets/input_file.h"
#include "tests/support/timeline.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  xsp::Trace replay = xsp::test::MakeTrace(R"(
T1  1-9   api cudaGraphLaunch #1
S7  10-15 kernel gemm #1 node=1
S7  16-18 kernel norm #1 node=42
)");
  try {
    const xsp::GraphNames found =
        xsp::NamesOfNodes(replay, xsp::UserJson::Parse(xsp::fuzz::TextOf(data, size), "input", ""));
    xsp::WithKernelOperators(std::move(replay), found.names);
  } catch (const xsp::Error&) {
  }
  return 0;
}
