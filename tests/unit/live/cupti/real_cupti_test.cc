// NVIDIA's own libraries go through the buffers, and NVIDIA's own headers lay the records out: what
// xsp knows of CUPTI's records is held against both, for every version whose files are there.
#include <catch2/catch.hpp>
#include <cstdio>
#include <regex>
#include <sstream>

#include "live/inject/record_blocks.h"
#include "live/inject/record_walk.h"
#include "tests/support/dump.h"
#include "tests/unit/live/cupti/real_records.h"
#include "tests/unit/live/spool_maker.h"

namespace xsp::live {
namespace {

using test::DecodeFolder;
using test::RealRecords;
using test::SpoolMaker;
using test::TemporaryFolder;

std::uint8_t* BytesOf(RealRecords& records) {
  return reinterpret_cast<std::uint8_t*>(records.buffer.data());
}

// Events and places of the trace of a buffer, by way of the library's own writer and the decoder.
std::string DumpOf(const inject::CuptiApi& api, RealRecords& records, std::size_t valid) {
  const TemporaryFolder folder;
  {
    SpoolMaker maker(folder.path());
    inject::RecordBlocks blocks;
    REQUIRE(blocks.Begin(maker.spool()));
    CountsFront counts = {};
    bool kept = false;
    const std::uint64_t count = blocks.Write(api, BytesOf(records), valid, counts, &kept);
    CHECK(kept);
    CHECK(count == records.sizes.size());
    counts.closed = Closing::kClosed;
    maker.Counts(counts);
  }
  std::istringstream all(xsp::test::Dump(DecodeFolder(folder.path()).trace));
  std::string line, text;
  while (std::getline(all, line)) {
    if (!line.starts_with("info ") && !line.starts_with("rows ")) text += line + "\n";
  }
  return text;
}

// What real_records.cc filled in.
constexpr const char* kExpected = R"(unused CUPTI external
process global_id=281476654432256 pid=100 name="program"
gpu source_id=0 cuda_ordinal=0 name="GPU zero" uuid="10101010-1010-1010-1010-101010101010" sm_count=108 memory_bytes=42405855232 memory_bandwidth=1555200000000 l2_bytes=41943040 clock_hz=1410000000 compute_major=8 compute_minor=6 threads_per_warp=32 max_warps_per_sm=64 max_blocks_per_sm=31 max_threads_per_block=1024 max_registers_per_block=65535 max_registers_per_sm=65536 max_shared_per_block_bytes=49152 max_shared_per_sm_bytes=167936 async_engines=3
gpu source_id=1 cuda_ordinal=1 name="GPU one" uuid="11111111-1111-1111-1111-111111111111" sm_count=108 memory_bytes=42405855232 memory_bandwidth=1555200000000 l2_bytes=41943040 clock_hz=1410000000 compute_major=8 compute_minor=6 threads_per_warp=32 max_warps_per_sm=64 max_blocks_per_sm=31 max_threads_per_block=1024 max_registers_per_block=65535 max_registers_per_sm=65536 max_shared_per_block_bytes=49152 max_shared_per_sm_bytes=167936 async_engines=3
context process=100 id=1 device=0 null_stream=7 is_green=0
context process=100 id=2 device=1 null_stream=7 is_green=0
track P100
track P100.T7
track P100.D1.C2.S7 gpu=1 priority=0 flag=3
track P100.D1.M gpu=1
track P100.D1 gpu=1
kernel 1000-1050 P100.D1.C2.S7 "_Z6kernelILi4EEvPfi" #11 call=cudaLaunchKernel_v7000@100 short_name="_Z6kernelILi4EEvPfi" mangled_name="_Z6kernelILi4EEvPfi" grid_x=21 grid_y=22 grid_z=23 block_x=31 block_y=32 block_z=1 registers=40 static_shared_bytes=512 dynamic_shared_bytes=1024 executed_shared_bytes=32768 local_bytes_per_thread=16 launch_type=1 cluster_x=2 cluster_y=1 cluster_z=1
kernel 1100-1150 P100.D1.C2.S7 "_Z6kernelILi4EEvPfi" #12 call=cudaLaunchKernel_v7000@200 short_name="_Z6kernelILi4EEvPfi" mangled_name="_Z6kernelILi4EEvPfi" grid_x=21 grid_y=22 grid_z=23 block_x=31 block_y=32 block_z=1 registers=40 static_shared_bytes=512 dynamic_shared_bytes=1024 executed_shared_bytes=32768 local_bytes_per_thread=16 launch_type=1 cluster_x=2 cluster_y=1 cluster_z=1 graph_node=4294967305 graph=5
memcpy 1200-1250 P100.D1.C2.S7 #12 call=cudaLaunchKernel_v7000@200 bytes=4096 copy_kind=1 source_kind=1 target_kind=2 count=3
memcpy 1300-1350 P100.D1.C2.S7 #12 call=cudaLaunchKernel_v7000@200 bytes=4096 copy_kind=2 source_kind=2 target_kind=0 count=3
memcpy 1400-1450 P100.D1.C2.S7 #13 call=cuLaunchKernel@300 bytes=8192 copy_kind=10 source_kind=2 target_kind=2 source_device=1 target_device=0 count=1
memcpy 1500-1550 P100.D1.C2.S7 #13 call=cuLaunchKernel@300 bytes=8192 copy_kind=10 source_kind=2 target_kind=2 source_device=1 target_device=0 count=1
migration 2000-2050 P100.D1.M bytes=65536 copy_kind=11 source_kind=7 target_kind=7 count=1 migration_cause=3 address=139784005615616
memset 1600-1650 P100.D1.C2.S7 #14 call=cuLaunchKernel@400 bytes=16384 value=7 memory_kind=2
memset 1700-1750 P100.D1.C2.S7 #14 call=cuLaunchKernel@400 bytes=16384 value=7 memory_kind=2
graph_span 1800-1850 P100.D1.C2.S7 #14 call=cuLaunchKernel@400 graph=5
graph_span 1900-1950 P100.D1.C2.S7 #14 call=cuLaunchKernel@400 graph=5
api 100-150 P100.T7 "cudaLaunchKernel_v7000" #11 layer=0 return_value=0
api 200-250 P100.T7 "cudaLaunchKernel_v7000" #12 layer=0 return_value=0
api 300-350 P100.T7 "cuLaunchKernel" #13 layer=1 return_value=0
api 400-450 P100.T7 "cuLaunchKernel" #14 layer=1 return_value=0
sync 310-320 P100.T7 #13 call=cuLaunchKernel@300 sync_kind=1 stream=P100.D1.C2.S7 context=2 event_sync=77
sync 410-420 P100.T7 #14 call=cuLaunchKernel@400 sync_kind=3 stream=P100.D1.C2.S7 context=2 cuda_event=9 event_sync=77
event_record 300-350 P100.T7 #13 call=cuLaunchKernel@300 stream=P100.D1.C2.S7 context=2 cuda_event=9 event_sync=77 device_time_ns=1999
event_record 400-450 P100.T7 #14 call=cuLaunchKernel@400 stream=P100.D1.C2.S7 context=2 cuda_event=9 event_sync=77 device_time_ns=1999
memory 120 P100.D1 #11 operation=0 address=139637976727552 bytes=1048576 memory_kind=2 pool=139710991171584 pool_bytes=33554432 pool_used_bytes=2097152
memory 121 P100.D1 #11 operation=1 address=139637976727552 bytes=1048576 memory_kind=2 pool=139710991171584 pool_bytes=33554432 pool_used_bytes=2097152
memory_pool 220 P100.D1 #12 address=139710991171584 operation=1 pool_type=1 bytes=33554432 used_bytes=2097152
memory_pool 221 P100.D1 #12 address=139710991171584 operation=3 pool_type=1 bytes=33554432 used_bytes=2097152
page_fault 2100-2150 P100.D1 on_gpu=1 address=139784005615616 count=12 access=2
overhead 500-510 P100.T7 "Driver Compiler" overhead_type=2 from_cupti=1
overhead 600-610 P100.T7 "CUPTI Buffer flush" overhead_type=3 from_cupti=1
)";

// Before 12.8 copies had no count, and waits and events no id.
std::string Expected(bool since_12_8) {
  if (since_12_8) return kExpected;
  const std::string without =
      std::regex_replace(kExpected, std::regex(" (event_sync=77|device_time_ns=1999)"), "");
  return std::regex_replace(without, std::regex("count=3"), "count=1");
}

// Stands in for the iterator and the names of a libcupti that does nothing where there is no
// driver, as 13.4: steps by the sizes that the header gives.
const RealRecords* walked = nullptr;
inject::CuptiResult NextBySize(std::uint8_t* buffer, std::size_t valid, void** record) {
  std::size_t at = 0, i = 0;
  if (*record != nullptr) {
    const auto place = static_cast<std::size_t>(static_cast<std::uint8_t*>(*record) - buffer);
    while (at <= place) at += walked->sizes[i++];
  }
  if (i >= walked->sizes.size() || at + walked->sizes[i] > valid) {
    return inject::kCuptiMaxLimitReached;
  }
  *record = buffer + at;
  return inject::kCuptiSuccess;
}
inject::CuptiResult NameOfLaunch(std::uint32_t domain, std::uint32_t, const char** name) {
  *name = domain == inject::kDriverApi ? "cuLaunchKernel" : "cudaLaunchKernel_v7000";
  return inject::kCuptiSuccess;
}

void CheckRecords(const inject::CuptiApi& api, RealRecords records, bool since_12_8) {
  // Each record is as long as the header says, up to the last, which ends with the buffer.
  std::vector<std::size_t> sizes;
  inject::WalkRecords(
      api, BytesOf(records), records.bytes,
      [&](const std::uint8_t*, std::uint32_t, std::size_t bytes, bool) { sizes.push_back(bytes); });
  CHECK(sizes == records.sizes);
  CHECK(DumpOf(api, records, records.bytes) == Expected(since_12_8));
  // A record that did not fit is no record: nothing changes by the beginning of one more.
  CHECK(DumpOf(api, records, records.bytes + 8) == Expected(since_12_8));
}

inject::CuptiApi Load(const char* library) {
  inject::CuptiApi api = {};
  char why[512] = "";
  const bool loaded = api.Load(library, why, sizeof why);
  INFO(why);
  REQUIRE(loaded);
  return api;
}

TEST_CASE("records of CUPTI 11.8 are read as NVIDIA wrote them") {
#ifdef XSP_CUPTI_118
  CheckRecords(Load(XSP_CUPTI_118), test::MakeRecords118(SpoolMaker::kStart), false);
#else
  std::puts("skipped: no CUPTI 11.8 (./dev setup)");
#endif
}

TEST_CASE("records of CUPTI 12.9 are read as NVIDIA wrote them") {
#ifdef XSP_CUPTI_129
  CheckRecords(Load(XSP_CUPTI_129), test::MakeRecords129(SpoolMaker::kStart), true);
#else
  std::puts("skipped: no CUPTI 12.9 (./dev setup)");
#endif
}

TEST_CASE("records of CUPTI 13.0 are read as NVIDIA wrote them") {
#ifdef XSP_CUPTI_130
  CheckRecords(Load(XSP_CUPTI_130), test::MakeRecords130(SpoolMaker::kStart), true);
#else
  std::puts("skipped: no CUPTI 13.0 (./dev setup)");
#endif
}

TEST_CASE("records of CUPTI 13.4 are read as NVIDIA lays them out") {
#ifdef XSP_CUPTI_134
  const RealRecords records = test::MakeRecords134(SpoolMaker::kStart);
  inject::CuptiApi api = Load(XSP_CUPTI_134);
  if (api.version == 0) {
    walked = &records;
    api.GetNextRecord = NextBySize;
    api.GetCallbackName = NameOfLaunch;
  }
  CheckRecords(api, records, true);
#else
  std::puts("skipped: no CUPTI 13.4 (./dev setup)");
#endif
}

}  // namespace
}  // namespace xsp::live
