// Spools of a few records, and the trace that comes out of them as text.
#include "live/decode/decode.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "base/error.h"
#include "tests/support/dump.h"
#include "tests/unit/live/spool_maker.h"

namespace xsp::live {
namespace {

using test::DecodeFolder;
using test::SpoolMaker;
using test::TemporaryFolder;
using xsp::test::Dump;

constexpr std::uint64_t kStart = SpoolMaker::kStart;

// The lines of a dump that begin with one of these words, without what says that there is no
// payload.
std::string Lines(const Trace& trace, const std::vector<std::string>& beginnings) {
  std::istringstream all(Dump(trace));
  std::string line, kept;
  while (std::getline(all, line)) {
    for (const std::string& beginning : beginnings) {
      if (line.starts_with(beginning)) {
        static const std::string kNoPayload = " payload_type=0 payload=0";
        if (line.ends_with(kNoPayload)) line.resize(line.size() - kNoPayload.size());
        kept += line + "\n";
        break;
      }
    }
  }
  return kept;
}

CuptiApiRecord Call(std::uint32_t cbid, std::uint64_t start, std::uint64_t end,
                    std::uint32_t correlation, std::uint32_t thread = 7) {
  return {0, cbid, kStart + start, kStart + end, 100, thread, correlation, 0};
}

CuptiKernelRecord Kernel(std::uint64_t start, std::uint64_t end, std::uint32_t correlation) {
  CuptiKernelRecord record = {};
  record.start = kStart + start;
  record.end = kStart + end;
  record.context = 1;
  record.stream = 7;
  record.correlation = correlation;
  record.grid_x = record.grid_y = record.grid_z = 1;
  record.block_x = record.block_y = record.block_z = 1;
  record.name = 0x1000;
  return record;
}

TEST_CASE(
    "a driver call inside a runtime call is not the program's and its work is the outer call's") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.CallName(false, 211, "cudaLaunchKernel_v7000");
  maker.CallName(true, 307, "cuLaunchKernel");
  maker.Text(TextSpace::kPointer, 0x1000, "k");
  maker.Records(CuptiKind::kDriver, std::vector{Call(307, 110, 190, 2), Call(307, 300, 400, 3)});
  maker.Records(CuptiKind::kRuntime, std::vector{Call(211, 100, 200, 1)});
  maker.Records(CuptiKind::kConcurrentKernel,
                std::vector{Kernel(250, 260, 2), Kernel(450, 460, 3)});
  const DecodedRecording decoded = DecodeFolder(folder.path());
  const Trace& trace = decoded.trace;
  REQUIRE(trace.OfKind(EventKind::kApi).size() == 2);
  std::vector<std::string> launched_by;
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    launched_by.emplace_back(trace.name(trace.call_of(kernel)));
  }
  CHECK(launched_by == std::vector<std::string>{"cudaLaunchKernel_v7000", "cuLaunchKernel"});
  CHECK(trace.log().issues().at({"CUPTI_ACTIVITY_KIND_DRIVER", ImportReason::kPseudoRow}).count ==
        1);
}

TEST_CASE("times that CUPTI did not collect are set aside and an end before its begin is odd") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.Text(TextSpace::kPointer, 0x1000, "k");
  CuptiKernelRecord untimed = Kernel(0, 0, 1);
  untimed.start = untimed.end = 0;
  maker.Records(CuptiKind::kConcurrentKernel, std::vector{untimed, Kernel(50, 40, 2)});
  const Trace trace = DecodeFolder(folder.path()).trace;
  CHECK(trace.OfKind(EventKind::kKernel).size() == 1);
  const auto& issues = trace.log().issues();
  CHECK(issues.at({"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", ImportReason::kNoTime}).count == 1);
  CHECK(issues.at({"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", ImportReason::kBadEnd}).count == 1);
}

TEST_CASE("times that no clock shows are set aside and move no others") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.Text(TextSpace::kPointer, 0x1000, "k");
  std::vector<CuptiKernelRecord> records;
  for (std::uint64_t i = 0; i < 8; ++i) records.push_back(Kernel(50 * i, 50 * i + 10, 1));
  constexpr std::uint64_t kLowest = std::uint64_t{1} << 63;  // As a signed number.
  for (const std::uint64_t time : {kLowest, kLowest - 1, ~std::uint64_t{0}}) {
    records.push_back(Kernel(0, 0, 2));
    records.back().start = records.back().end = time;
  }
  maker.Records(CuptiKind::kConcurrentKernel, records);
  const Trace trace = DecodeFolder(folder.path()).trace;
  CHECK(trace.OfKind(EventKind::kKernel).size() == 8);
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    CHECK(trace.events().end[kernel.value] - trace.events().begin[kernel.value] == 10);
  }
  CHECK(trace.log().Total().set_aside == 3);
}

TEST_CASE("a pointer is the text that it had when the record was made") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.Text(TextSpace::kPointer, 0x1000, "first");
  maker.Records(CuptiKind::kConcurrentKernel, std::vector{Kernel(10, 20, 0)});
  maker.Text(TextSpace::kPointer, 0x1000, "second");
  maker.Records(CuptiKind::kConcurrentKernel, std::vector{Kernel(30, 40, 0)});
  CuptiKernelRecord nameless = Kernel(50, 60, 0);
  nameless.name = 0x2000;
  maker.Records(CuptiKind::kConcurrentKernel, std::vector{nameless});
  const Trace trace = DecodeFolder(folder.path()).trace;
  std::vector<std::string> names;
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) names.emplace_back(trace.name(kernel));
  CHECK(names == std::vector<std::string>{"first", "second", "kernel_8192"});
}

TEST_CASE("a thread's ranges are in order whatever the order of its blocks") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  // The writer had seen the second buffer of the thread before the first.
  maker.Events(7, {{HostOp::kPop, kStart + 30}, {HostOp::kPop, kStart + 40}}, 2);
  maker.Events(7,
               {{HostOp::kPush, kStart + 10, 0, 0, 0, "outer"},
                {HostOp::kPush, kStart + 20, 0, 0, 0, "inner"}},
               1);
  const Trace trace = DecodeFolder(folder.path()).trace;
  CHECK(Lines(trace, {"nvtx"}) ==
        "nvtx_pushpop 10-40 P100.T7 \"outer\" domain=0\n"
        "nvtx_pushpop 20-30 P100.T7 \"inner\" domain=0\n");
}

TEST_CASE("domains nest by themselves and names come from wherever they were given") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.Events(7, {{HostOp::kPush, kStart + 10, 1, 0, 0, "", 5},
                   {HostOp::kPush, kStart + 20, 0, 0, 0, "plain"},
                   {HostOp::kPop, kStart + 30, 1},
                   {HostOp::kPop, kStart + 40, 0}});
  maker.Events(8, {{HostOp::kDomain, kStart + 1, 1, 0, 0, "lib"},
                   {HostOp::kString, kStart + 2, 1, 5, 0, "registered"},
                   {HostOp::kCategory, kStart + 3, 1, 4, 0, "four"}});
  const Trace trace = DecodeFolder(folder.path()).trace;
  CHECK(Lines(trace, {"nvtx", "domain", "category"}) ==
        "domain process=100 number=0\n"
        "domain process=100 number=1 name=\"lib\"\n"
        "category domain=lib number=4 name=\"four\"\n"
        "nvtx_pushpop 10-30 P100.T7 \"registered\" domain=lib\n"
        "nvtx_pushpop 20-40 P100.T7 \"plain\" domain=0\n");
}

TEST_CASE("a pop without a push is counted and what never ends lasts until the last event") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.Events(7, {{HostOp::kPop, kStart + 5},
                   {HostOp::kPush, kStart + 10, 0, 0, 0, "open"},
                   {HostOp::kStart, kStart + 15, 0, 9, 0, "started"},
                   {HostOp::kMark, kStart + 70, 0, 0, 0, "mark"}});
  const Trace trace = DecodeFolder(folder.path()).trace;
  CHECK(Lines(trace, {"nvtx"}) ==
        "nvtx_pushpop 10-70 P100.T7 \"open\" unfinished domain=0\n"
        "nvtx_startend 15-70 P100.T7 \"started\" unfinished domain=0 range=9\n"
        "nvtx_mark 70 P100.T7 \"mark\" domain=0\n");
  CHECK(trace.log().issues().at({"NVTX", ImportReason::kNoBegin}).count == 1);
  CHECK(trace.log().issues().at({"NVTX", ImportReason::kUnfinished}).count == 2);
}

TEST_CASE("a range may end on another thread whose events stand first") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.Events(6, {{HostOp::kEnd, kStart + 50, 0, 9}});
  maker.Events(7, {{HostOp::kStart, kStart + 15, 0, 9, 0, "across"}});
  const Trace trace = DecodeFolder(folder.path()).trace;
  CHECK(Lines(trace, {"nvtx"}) ==
        "nvtx_startend 15-50 P100.T7 \"across\" domain=0 range=9 end_thread=P100.T6\n");
}

TEST_CASE("what was open when recording was switched off ends there") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.Events(7, {{HostOp::kWindow, kStart + 5, 0, 1},
                   {HostOp::kPush, kStart + 10, 0, 0, 0, "cut"},
                   {HostOp::kWindow, kStart + 20},
                   // Its pop came while recording was off. On again:
                   {HostOp::kWindow, kStart + 100, 0, 1},
                   {HostOp::kPush, kStart + 110, 0, 0, 0, "later"},
                   {HostOp::kPop, kStart + 120}});
  const Trace trace = DecodeFolder(folder.path()).trace;
  CHECK(Lines(trace, {"nvtx"}) ==
        "nvtx_pushpop 10-20 P100.T7 \"cut\" unfinished domain=0\n"
        "nvtx_pushpop 110-120 P100.T7 \"later\" domain=0\n");
}

TEST_CASE("work that was launched after the stop is left out and what was launched before is not") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.Text(TextSpace::kPointer, 0x1000, "k");
  maker.Records(CuptiKind::kRuntime, std::vector{Call(211, 10, 20, 1)});
  maker.Events(7, {{HostOp::kWindow, kStart + 5, 0, 1}, {HostOp::kWindow, kStart + 100}});
  // The first was still in the queue when recording was switched off.
  maker.Records(CuptiKind::kConcurrentKernel,
                std::vector{Kernel(150, 160, 1), Kernel(200, 210, 2)});
  const DecodedRecording decoded = DecodeFolder(folder.path());
  CHECK(decoded.trace.OfKind(EventKind::kKernel).size() == 1);
  REQUIRE_FALSE(decoded.summary.messages.empty());
  CHECK(decoded.summary.messages[0] ==
        "program (process 100): 1 operations were launched after recording was switched off: "
        "left out");
}

TEST_CASE("a forked process knows the domains and strings of its parent") {
  const TemporaryFolder folder;
  SpoolMaker parent(folder.path(), 100);
  parent.Events(7, {{HostOp::kDomain, kStart + 1, 1, 0, 0, "lib"},
                    {HostOp::kString, kStart + 2, 1, 5, 0, "registered"}});
  SpoolMaker child(folder.path(), 200, 100, kStart + 500);
  child.Events(200,
               {{HostOp::kPush, kStart + 600, 1, 0, 0, "", 5}, {HostOp::kPop, kStart + 700, 1}});
  const Trace trace = DecodeFolder(folder.path()).trace;
  CHECK(Lines(trace, {"nvtx", "domain"}) ==
        "domain process=200 number=1 name=\"lib\"\n"
        "nvtx_pushpop 600-700 P200.T200 \"registered\" domain=lib\n");
}

TEST_CASE("a process that goes on after exec is another one with ids of its own") {
  const TemporaryFolder folder;
  SpoolMaker before(folder.path(), 100);
  before.Events(7, {{HostOp::kDomain, kStart + 1, 1, 0, 0, "first"},
                    {HostOp::kMark, kStart + 2, 1, 0, 0, "a"}});
  SpoolMaker after(folder.path(), 100, 0, kStart + 500);
  after.Events(7, {{HostOp::kDomain, kStart + 501, 1, 0, 0, "second"},
                   {HostOp::kMark, kStart + 502, 1, 0, 0, "b"}});
  const Trace trace = DecodeFolder(folder.path()).trace;
  REQUIRE(trace.processes().size() == 2);
  CHECK(trace.processes()[0].pid == trace.processes()[1].pid);
  std::vector<std::string> domains;
  for (const NvtxDomain& domain : trace.domains()) {
    domains.emplace_back(trace.strings().Get(domain.name));
  }
  CHECK(domains == std::vector<std::string>{"first", "second"});
}

TEST_CASE("CUPTI's clock is laid over the host's") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path(), 100, 0, kStart, 5'000'000'000);
  maker.CallName(false, 1, "call");
  CuptiApiRecord call = Call(1, 10, 20, 1);
  call.start += 5'000'000'000;
  call.end += 5'000'000'000;
  maker.Records(CuptiKind::kRuntime, std::vector{call});
  maker.Events(7, {{HostOp::kPush, kStart + 5, 0, 0, 0, "around"}, {HostOp::kPop, kStart + 25}});
  const Trace trace = DecodeFolder(folder.path()).trace;
  CHECK(Lines(trace, {"api", "nvtx"}) ==
        "api 10-20 P100.T7 \"call\" #1 layer=0 return_value=0\n"
        "nvtx_pushpop 5-25 P100.T7 \"around\" domain=0\n");
}

TEST_CASE("what was lost and refused stands in the trace and in the summary") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  maker.Note(NoteKind::kUnavailable, 49, 27, "CUPTI_ERROR_NOT_SUPPORTED (27)");
  maker.Note(NoteKind::kOtherTool, 0, 39, "Nsight Systems");
  CountsFront counts = {};
  counts.dropped[10] = 12;
  counts.cupti_dropped = 3;
  counts.buffers_requested = 5;
  counts.buffers_completed = 4;
  counts.closed = Closing::kClosed;
  maker.Counts(counts);
  const DecodedRecording decoded = DecodeFolder(folder.path());
  CHECK(decoded.summary.unavailable ==
        std::vector<Unavailable>{{"memory", "CUPTI_ERROR_NOT_SUPPORTED (27)"},
                                 {"cuda", "CUPTI is in use already, by Nsight Systems"}});
  CHECK(decoded.summary.dropped ==
        std::map<std::string, std::uint64_t>{{"inside CUPTI", 3}, {"kernel", 12}});
  REQUIRE(decoded.summary.messages.size() == 1);
  CHECK(decoded.summary.messages[0].find("did not give back all its buffers (1)") !=
        std::string::npos);
  REQUIRE(decoded.trace.info().diagnostics.size() == 5);
  CHECK(decoded.trace.info().diagnostics[3].text == "lost while recording: 3 inside CUPTI");
  CHECK(decoded.trace.info().diagnostics[4].text == "lost while recording: 12 kernel");
}

TEST_CASE("blocks that are sound but not as they should be give what they can") {
  const TemporaryFolder folder;
  SpoolMaker maker(folder.path());
  // Sizes beyond the body; an event longer than its block; a text longer than its block.
  RecordsFront front = {130401, 4};
  std::string sizes(reinterpret_cast<const char*>(&front), sizeof front);
  sizes += std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8);
  maker.Append(BlockType::kRecords, sizes, std::string(40, '\5'));
  maker.Append(BlockType::kHostEvents, std::string(16, '\0'), std::string(16, '\x7f'));
  const TextHead head = {1, TextSpace::kPointer, 1'000'000};
  maker.Append(BlockType::kTexts, "",
               std::string(reinterpret_cast<const char*>(&head), sizeof head));
  maker.Append(static_cast<BlockType>(99), "12345678", "");  // Of a later version: passed over.
  maker.Append(BlockType::kNote, "", "");
  maker.Events(7, {{HostOp::kMark, kStart + 1, 0, 0, 0, "still here"}});
  const DecodedRecording decoded = DecodeFolder(folder.path());
  CHECK(decoded.trace.OfKind(EventKind::kNvtxMark).size() == 1);
  bool told = false;
  for (const std::string& message : decoded.summary.messages) {
    told |= message.find("3 blocks could only be read in part") != std::string::npos;
  }
  CHECK(told);
}

TEST_CASE("folders without a spool are refused") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(SpoolsIn(folder.path()), Error);
  CHECK_THROWS_AS(SpoolsIn(folder.path() / "none"), Error);
}

}  // namespace
}  // namespace xsp::live
