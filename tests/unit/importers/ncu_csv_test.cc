#include "importers/ncu/ncu_csv.h"

#include <catch2/catch.hpp>

#include "base/error.h"

using namespace xsp;

namespace {

const std::string kWide =
    "==PROF== Connected to process 12\n"
    R"x("ID","Process ID","Kernel Name","Block Size","Grid Size","dram__bytes_read.sum",)x"
    R"x("dram__bytes_write.sum","sm__sass_thread_inst_executed_op_fadd_pred_on.sum",)x"
    R"x("sm__sass_thread_inst_executed_op_ffma_pred_on.sum",)x"
    R"x("sm__warps_active.avg.pct_of_peak_sustained_active")x"
    "\n"
    R"x("","","","","","Mbyte","byte","inst","inst","%")x"
    "\n"
    R"x("0","12","void k<1, 2>(float *, int)","(128, 1, 1)","(40, 2, 1)","1,234.5","4096","10","1,000","37.5")x"
    "\r\n"
    R"x("1","12","other","(64, 1, 1)","(1, 1, 1)","1","n/a","n/a","n/a","50")x"
    "\n==PROF== Disconnected from process 12\n";

const std::string kLongHead =
    R"x("ID","Process ID","Kernel Name","Context","Stream","Block Size","Grid Size",)x"
    R"x("Section Name","Metric Name","Metric Unit","Metric Value")x"
    "\n";

std::string LongRow(const std::string& id, const std::string& metric, const std::string& unit,
                    const std::string& value) {
  return "\"" + id + R"x(","12","k","1","7","(32, 1, 1)","(4, 1, 1)","Section",")x" + metric +
         "\",\"" + unit + "\",\"" + value + "\"\n";
}

std::string ErrorOf(const std::string& text) {
  try {
    ParseNcuCsv(text, "counters.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the raw page is read: units, thousands, values that are not there") {
  const auto launches = ParseNcuCsv(kWide, "counters.csv");
  REQUIRE(launches.size() == 2);
  CHECK(launches[0].kernel == "void k<1, 2>(float *, int)");
  CHECK(launches[0].grid == std::array<std::uint32_t, 3>{40, 2, 1});
  CHECK(launches[0].block == std::array<std::uint32_t, 3>{128, 1, 1});
  CHECK(launches[0].dram_read_bytes == 1234.5e6);
  CHECK(launches[0].dram_write_bytes == 4096);
  CHECK(launches[0].flops == 10 + 2 * 1000);
  CHECK(launches[0].occupancy == 0.375);
  CHECK_FALSE(launches[0].has_tensor_flops);
  CHECK(launches[1].dram_write_bytes == std::nullopt);
  CHECK(launches[1].flops == std::nullopt);
}

TEST_CASE("the form with a row per metric is read by launch") {
  const auto launches = ParseNcuCsv(
      kLongHead + LongRow("0", "dram__bytes_read.sum", "Kbyte", "2.5") +
          LongRow("1", "dram__bytes_read.sum", "byte", "7") +
          LongRow("0", "sm__sass_thread_inst_executed_op_hfma_pred_on.sum", "inst", "3") +
          LongRow("0", "sm__sass_thread_inst_executed_op_dmul_pred_on.sum", "inst", "4") +
          LongRow("0", "sm__ops_path_tensor_src_fp16_dst_fp32.sum", "", "1,000") +
          LongRow("1", "Achieved Occupancy", "%", "25") + LongRow("1", "Duration", "us", "9"),
      "counters.csv");
  REQUIRE(launches.size() == 2);
  CHECK(launches[0].dram_read_bytes == 2500);
  CHECK(launches[0].flops == 2 * 3 + 4 + 1000);
  CHECK(launches[0].has_tensor_flops);
  CHECK(launches[1].dram_read_bytes == 7);
  CHECK(launches[1].occupancy == 0.25);
  CHECK(launches[1].flops == std::nullopt);
}

TEST_CASE("launch shapes may come as metrics") {
  const auto launches = ParseNcuCsv(
      R"x("ID","Kernel Name","launch__grid_dim_x","launch__grid_dim_y","launch__grid_dim_z",)x"
      R"x("launch__block_dim_x","launch__block_dim_y","launch__block_dim_z","flop_count_sp")x"
      "\n"
      R"x("0","k","7","1","2","64","1","1","12")x",
      "counters.csv");
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].grid == std::array<std::uint32_t, 3>{7, 1, 2});
  CHECK(launches[0].flops == 12);
}

TEST_CASE("a file that is no table of Nsight Compute gives one clear error") {
  CHECK(ErrorOf("") ==
        "counters.csv is no CSV of Nsight Compute: no line has a \"Kernel Name\" column");
  CHECK(ErrorOf("hello\nworld\n").starts_with("counters.csv is no CSV"));
  CHECK(ErrorOf(std::string("NVR\0\1", 5)) ==
        "counters.csv is a binary file, not the CSV of Nsight Compute");
  CHECK(ErrorOf(kLongHead) == "counters.csv holds no kernel launches");
  CHECK(ErrorOf(kLongHead + LongRow("0", "Duration", "us", "3")) ==
        "counters.csv has none of the metrics that xsp knows");
}

TEST_CASE("a damaged table gives one clear error with its line") {
  CHECK(ErrorOf(kLongHead + LongRow("0", "flop_count_sp", "", "3") + "\"1\",\"12\",\"k\"\n") ==
        "counters.csv line 3: 3 fields where the header has 11");
  CHECK(ErrorOf(kLongHead + "\"0\",\"12\",\"k") ==
        "counters.csv: a quote that opens on line 2 is never closed");
  CHECK(ErrorOf(kLongHead + LongRow("0", "dram__bytes_read.sum", "furlong", "3")) ==
        "counters.csv line 2: unknown unit 'furlong' of dram__bytes_read.sum");
  std::string shapeless = kLongHead + LongRow("0", "flop_count_sp", "", "3");
  shapeless.replace(shapeless.find("(4, 1, 1)"), 9, "(4; 1, 1)");
  CHECK(ErrorOf(shapeless) ==
        "counters.csv line 2: '(4; 1, 1)', '(32, 1, 1)' is no grid and block");
  CHECK(ErrorOf("\"ID\",\"Kernel Name\",\"flop_count_sp\"\n\"0\",\"k\",\"3\"\n") ==
        "counters.csv has no launch shapes: \"Grid Size\" and \"Block Size\" are missing");
}
