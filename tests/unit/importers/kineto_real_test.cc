#include <catch2/catch.hpp>
#include <filesystem>

#include "importers/importer.h"
#include "tests/support/real_traces.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

std::optional<Trace> Real(const char* name) {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return std::nullopt;
  return ImportFile(*folder / "kineto" / (std::string(name) + ".json.gz"));
}

DurationNs DeviceSum(const Trace& trace) {
  DurationNs sum = 0;
  for (EventId e : trace.DeviceWork()) sum += trace.duration(e);
  return sum;
}

}  // namespace

TEST_CASE("all real Kineto traces are read, whole and the same each time") {
  const auto folder = test::RealTracesOrSkip();
  if (!folder) return;
  int files = 0;
  for (const fs::path& file : test::FilesBelow(*folder / "kineto", ".gz")) {
    INFO(file.filename().string());
    ImportOptions one, two;
    one.threads = 1;
    two.threads = 2;
    const Trace trace = ImportFile(file, one);
    CHECK_FALSE(trace.info().partial);
    CHECK(trace.info().format == "kineto");
    CHECK(trace == ImportFile(file, two));
    for (const auto& [table, tally] : trace.log().tallies()) {
      CHECK(tally.read == tally.kept + tally.set_aside);
    }
    for (EventId e : trace.OfKind(EventKind::kKernel)) CHECK(!trace.name(e).empty());
    ++files;
  }
  CHECK(files >= 17);
}

TEST_CASE("three generations of time stamps are read to the nanosecond") {
  // Counted from the text of the files, with exact decimals.
  if (const auto trace = Real("hta_rank0")) CHECK(DeviceSum(*trace) == 607'844'000);
  if (const auto trace = Real("hta_ns_resolution")) CHECK(DeviceSum(*trace) == 472'454'441);
  if (const auto trace = Real("hta_nccl")) {
    CHECK(DeviceSum(*trace) == 165'185'838);
    CHECK(trace->info().utc_start_ns == 1'716'423'322'416'788'066);
  }
}

TEST_CASE("kernels whose launch lies before the recording are counted, not linked") {
  const auto trace = Real("mlp_t4_fp32");
  if (!trace) return;
  std::uint32_t loose = 0;
  for (EventId e : trace->OfKind(EventKind::kKernel)) loose += !trace->call_of(e).valid();
  CHECK(loose == 8);
  CHECK(trace->log().issues().at({"kernel", ImportReason::kUnlinked}).count == 8);
}

TEST_CASE("waits say what they wait for, and records are found through them") {
  // HTA's own tests count three records in this one.
  const auto trace = Real("hta_cuda_event_sync_multi_stream");
  if (!trace) return;
  CHECK(trace->OfKind(EventKind::kEventRecord).size() == 3);
  std::uint32_t waits = 0;
  for (EventId e : trace->OfKind(EventKind::kSync)) {
    waits += trace->syncs().sync_kind[trace->Row(e)] == SyncKind::kStreamWait;
  }
  CHECK(waits == 1);
}

TEST_CASE("operators have their inputs, modules and forward threads") {
  if (const auto trace = Real("tracelens_mi300_resnet")) {
    const Operators& operators = trace->operators();
    std::uint32_t with_module = 0, with_thread = 0, with_inputs = 0;
    for (std::uint32_t i = 0; i < operators.event.size(); ++i) {
      with_module += operators.module[i].valid();
      with_thread += operators.forward_thread[i].valid();
      with_inputs += operators.signature[i].valid();
    }
    CHECK(with_module > 1'000);
    CHECK(with_thread > 400);
    CHECK(with_inputs > 7'000);
    CHECK(trace->collectives().event.size() == 18);
    CHECK(trace->processes().front().rank == 0);
  }
}

}  // namespace xsp
