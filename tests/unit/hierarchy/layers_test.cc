#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/hierarchy/tree_text.h"

using xsp::test::Plain;
using xsp::test::TreeOf;

namespace {

// Launches of kernels with these names, one after the other.
std::string Launches(std::initializer_list<const char*> names) {
  std::string text;
  int id = 1;
  for (const char* name : names) {
    const std::string at = std::to_string(id * 10);
    text += "T1 " + at + "-" + std::to_string(id * 10 + 1) + " api cudaLaunchKernel #" +
            std::to_string(id) + "\n";
    text += "S7 " + std::to_string(id * 10 + 2) + "-" + std::to_string(id * 10 + 5) + " kernel " +
            name + " #" + std::to_string(id) + "\n";
    ++id;
  }
  return text;
}

}  // namespace

TEST_CASE("without ranges, layers are parts that repeat, named by what they hold") {
  CHECK(TreeOf(Launches({"embed", "ampere_sgemm_128x64_tn", "foo", "ampere_sgemm_128x64_tn", "foo",
                         "ampere_sgemm_128x64_tn", "foo", "ampere_sgemm_128x64_tn", "foo"})) ==
        Plain(R"(
      trace trace 27
        phase [unattributed] 3
          device embed 3
        layer foo, gemm 24 [repetition]
          op gemm 12 [class]
            device ampere_sgemm_128x64_tn 12 [repetition]
          op other 12 [class]
            device foo 12 [repetition]
    )"));
}

TEST_CASE("without ranges or repetition, work is told by its class") {
  CHECK(TreeOf(Launches({"ampere_sgemm_128x64_tn", "foo"})) == Plain(R"(
      trace trace 6
        op gemm 3 [class]
          device ampere_sgemm_128x64_tn 3 [class]
        phase [unattributed] 3
          device foo 3
    )"));
}

TEST_CASE("marks of a module's begin and end make a layer of what lies between") {
  CHECK(TreeOf(R"(
      T1  0-1   push "FSDP::pre_forward (blocks.0), op_id = 1"
      T1  2-9   push "aten::mm, op_id = 2"
      T1  3-4   api cudaLaunchKernel #1
      T1 10-12  push "FSDP::post_forward (blocks.0), op_id = 3"
      T1 20-29  push "aten::mm, op_id = 4"
      T1 21-22  api cudaLaunchKernel #2
      S7  5-9   kernel k #1
      S7 30-32  kernel k #2
    )") == Plain(R"(
      trace trace 6
        layer blocks.0 4 [range]
          op aten::mm 4 [range]
            device k 4 [range]
          op FSDP::pre_forward (blocks.0) 0 [range]
          op FSDP::post_forward (blocks.0) 0 [range]
        op aten::mm 2 [range]
          device k 2 [range]
    )"));
}
