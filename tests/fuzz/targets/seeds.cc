// Writes the seeds that are made by programs: fuzz_seeds FOLDER makes FOLDER/live_spool,
// stored_manifest, stored_table, rank_tables and kept_report.
#include <cstdio>
#include <exception>

#include "report/summary/summary_report.h"
#include "report/tables/stored_report.h"
#include "store/dataset/rank_store.h"
#include "store/manifest_json.h"
#include "tests/fuzz/targets/input_file.h"
#include "tests/fuzz/targets/stored_sample.h"
#include "tests/support/timeline.h"
#include "tests/unit/live/spool_maker.h"

namespace xsp::fuzz {
namespace {

namespace fs = std::filesystem;
using namespace xsp::live;

constexpr std::uint64_t kStart = live::test::SpoolMaker::kStart;

CuptiApiRecord Call(std::uint32_t cbid, std::uint64_t start, std::uint32_t correlation) {
  return {0, cbid, kStart + start, kStart + start + 50, 100, 7, correlation, 0};
}

CuptiKernelRecord Kernel(std::uint64_t start, std::uint32_t correlation) {
  CuptiKernelRecord record = {};
  record.start = kStart + start;
  record.end = kStart + start + 10;
  record.context = 1;
  record.stream = 7;
  record.correlation = correlation;
  record.grid_x = record.grid_y = record.grid_z = 1;
  record.block_x = record.block_y = record.block_z = 1;
  record.name = 0x1000;
  return record;
}

CuptiMemcpyRecord Copy(std::uint64_t start, std::uint32_t correlation) {
  CuptiMemcpyRecord record = {};
  record.start = kStart + start;
  record.end = kStart + start + 10;
  record.bytes = 4096;
  record.context = 1;
  record.stream = 7;
  record.correlation = correlation;
  return record;
}

// A record of a kind with nothing but its kind.
template <class Record>
void Blank(live::test::SpoolMaker& maker, CuptiKind kind) {
  maker.Records(kind, std::vector<Record>(2));
}

void WriteSpools(const fs::path& folder) {
  fs::create_directories(folder);
  live::test::SpoolMaker maker(folder);
  maker.CallName(false, 211, "cudaLaunchKernel_v7000");
  maker.CallName(true, 307, "cuLaunchKernel");
  maker.Text(TextSpace::kPointer, 0x1000, "k");
  maker.Text(TextSpace::kThread, 7, "main");
  maker.Records(CuptiKind::kRuntime, std::vector{Call(211, 100, 1), Call(211, 200, 2)});
  maker.Records(CuptiKind::kDriver, std::vector{Call(307, 110, 3)});
  maker.Records(CuptiKind::kConcurrentKernel, std::vector{Kernel(250, 1), Kernel(300, 3)});
  maker.Records(CuptiKind::kMemcpy, std::vector{Copy(400, 2)});
  Blank<CuptiMemsetRecord>(maker, CuptiKind::kMemset);
  Blank<CuptiPeerCopyRecord>(maker, CuptiKind::kMemcpyPeer);
  Blank<CuptiUnifiedRecord>(maker, CuptiKind::kUnifiedMemory);
  Blank<CuptiGraphRecord>(maker, CuptiKind::kGraphTrace);
  Blank<CuptiSyncRecord>(maker, CuptiKind::kSynchronization);
  Blank<CuptiEventRecord>(maker, CuptiKind::kCudaEvent);
  Blank<CuptiStreamRecord>(maker, CuptiKind::kStream);
  Blank<CuptiContextRecord>(maker, CuptiKind::kContext);
  Blank<CuptiDeviceRecord>(maker, CuptiKind::kDevice);
  Blank<CuptiOverheadRecord>(maker, CuptiKind::kOverhead);
  Blank<CuptiMemoryRecord>(maker, CuptiKind::kMemory);
  Blank<CuptiPoolRecord>(maker, CuptiKind::kMemoryPool);
  maker.Events(7, {{HostOp::kPush, kStart + 90, 0, 0, 0, "step 1"},
                   {HostOp::kMark, kStart + 95, 0, 0, 0, "here"},
                   {HostOp::kPop, kStart + 500}});
  maker.Note(NoteKind::kUnavailable, 3, 15, "not permitted");
  maker.Counts({});
}

void WriteStores(const fs::path& folder) {
  const WorkFolder work;
  const fs::path store = work.path() / "sample.xsp";
  WriteStoredSample(store);
  fs::create_directories(folder / "stored_manifest");
  fs::create_directories(folder / "stored_table");
  fs::copy_file(store / kManifestFile, folder / "stored_manifest" / kManifestFile,
                fs::copy_options::overwrite_existing);
  const std::vector<std::string> tables = TablesOf(store);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    std::ifstream in(store / (tables[i] + ".parquet"), std::ios::binary);
    std::string bytes(1, static_cast<char>(i));  // Which table: as fuzz_stored_table reads it.
    bytes.append(std::istreambuf_iterator<char>(in), {});
    WriteBytes(folder / "stored_table" / tables[i], bytes);
  }
}

// The first byte: as fuzz_rank_tables reads it.
void WriteRanks(const fs::path& folder) {
  const WorkFolder work;
  const fs::path store = work.path() / "global_rank=00003";
  WriteStoredRank(store);
  fs::create_directories(folder);
  const std::vector<TableSchema> tables = RankTablesSchema();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    std::ifstream in(store / tables[i].FileName(), std::ios::binary);
    std::string bytes(1, static_cast<char>(i));
    bytes.append(std::istreambuf_iterator<char>(in), {});
    WriteBytes(folder / tables[i].name, bytes);
  }
  WriteBytes(folder / "index", std::string(1, static_cast<char>(tables.size())) +
                                   KeptRankIndex(store).Read().value());
}

void WriteSummaries(const fs::path& folder) {
  fs::create_directories(folder);
  const std::pair<std::string_view, std::string_view> timelines[] = {
      {"host", "T1 0-100 api cudaMalloc"}, {"devices", R"(
        T1   0-20     api cudaLaunchKernel #1
        T1   30-40    api cudaMemcpyAsync #2
        T1   50-900   api cudaStreamSynchronize
        S7   50-400   kernel ampere_sgemm_128x64_tn #1 grid=8x8x1
        S7   600-800  memcpy HtoD #2 bytes=4096 src=pageable dst=device
      )"}};
  for (const auto& [name, timeline] : timelines) {
    const Summary summary = Summarize(xsp::test::MakeTrace(timeline), {}, NameForm::kShort);
    const Report report = MakeSummaryReport(summary, {}, {.path = "t.xsp"});
    WriteBytes(folder / name, xsp::TextOf(report).value());
  }
}

}  // namespace
}  // namespace xsp::fuzz

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    xsp::fuzz::WriteSpools(std::filesystem::path(argv[1]) / "live_spool");
    xsp::fuzz::WriteStores(argv[1]);
    xsp::fuzz::WriteRanks(std::filesystem::path(argv[1]) / "rank_tables");
    xsp::fuzz::WriteSummaries(std::filesystem::path(argv[1]) / "kept_report");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz_seeds: %s\n", error.what());
    return 2;
  }
  return 0;
}
