// One and the same run, written once as an nsys export and once as spools: both must give the same
// trace. The run is that of a machine model which knows of neither.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <sstream>

#include "importers/importer.h"
#include "importers/operators/nvtx_operators.h"
#include "sample_traces/memory_recording.h"
#include "sample_traces/nsys_writer.h"
#include "sample_traces/scenarios.h"
#include "tests/support/dump.h"
#include "tests/unit/live/spool_maker.h"

namespace xsp::live {
namespace {

using namespace samples;
using test::MadeEvent;
using test::SpoolMaker;
using test::TemporaryFolder;

constexpr std::uint64_t kStart = SpoolMaker::kStart;

std::uint64_t At(std::int64_t time) { return kStart + static_cast<std::uint64_t>(time); }

// Writes the spools of a run, one per process, with the records that CUPTI 13 would have made.
class SpoolTwin {
 public:
  SpoolTwin(const std::filesystem::path& folder, const Program& program, const MemoryRecording& run)
      : program_(program), run_(run) {
    for (std::size_t p = 0; p < program.processes.size(); ++p) Write(folder, static_cast<int>(p));
  }

 private:
  void Write(const std::filesystem::path& folder, int process) {
    process_ = process;
    SpoolMaker maker(folder, static_cast<std::uint32_t>(program_.processes[process].pid), 0, kStart,
                     0, program_.processes[process].name);
    WritePlaces(maker);
    WriteCalls(maker);
    WriteKernels(maker);
    WriteCopies(maker);
    WriteWaits(maker);
    WriteRest(maker);
    WriteHostEvents(maker);
  }

  bool IsMine(int context) const { return program_.contexts[context].process == process_; }
  bool IsMyStream(int stream) const { return IsMine(program_.streams[stream].context); }
  bool IsMyThread(int thread) const { return program_.threads[thread].process == process_; }
  std::uint32_t Tid(int thread) const {
    return static_cast<std::uint32_t>(program_.threads[thread].tid);
  }

  // What all device work has in common.
  template <class Record>
  Record Work(const DeviceRecord& from) const {
    const samples::Stream& stream = program_.streams[from.stream];
    const samples::Context& context = program_.contexts[stream.context];
    Record record = {};
    record.start = At(from.start);
    record.end = At(from.end);
    record.device = static_cast<std::uint32_t>(context.device);
    record.context = static_cast<std::uint32_t>(context.id);
    record.stream = static_cast<std::uint32_t>(stream.id);
    record.correlation = static_cast<std::uint32_t>(from.correlation);
    return record;
  }

  void WritePlaces(SpoolMaker& maker) {
    static const std::string kGpu = "NVIDIA A100-SXM4-40GB";
    maker.Text(TextSpace::kPointer, 0xA100, kGpu);
    for (const samples::Context& context : program_.contexts) {
      if (context.process != process_) continue;
      maker.Records(CuptiKind::kDevice, std::vector{Device(context.device)});
      CuptiContextRecord record = {};
      record.context = static_cast<std::uint32_t>(context.id);
      record.device = static_cast<std::uint32_t>(context.device);
      record.null_stream = static_cast<std::uint16_t>(program_.streams[context.default_stream].id);
      maker.Records(CuptiKind::kContext, std::vector{record});
    }
    for (const samples::Stream& stream : program_.streams) {
      if (!IsMine(stream.context)) continue;
      CuptiStreamRecord record = {};
      record.context = static_cast<std::uint32_t>(program_.contexts[stream.context].id);
      record.stream = static_cast<std::uint32_t>(stream.id);
      record.priority = static_cast<std::uint32_t>(stream.priority);
      record.flag = stream.is_default ? 3 : stream.blocking ? 1 : 2;
      maker.Records(CuptiKind::kStream, std::vector{record});
    }
    for (const samples::Thread& thread : program_.threads) {
      if (thread.process != process_) continue;
      maker.Text(TextSpace::kThread,
                 std::uint64_t{20} << 32 | static_cast<std::uint32_t>(thread.tid), thread.name);
    }
  }

  // As sample_traces/nsys_description.cc describes it.
  static CuptiDeviceRecord Device(int id) {
    CuptiDeviceRecord record = {};
    record.memory_bandwidth = 1'555'200'000;
    record.memory_bytes = 42'405'855'232;
    record.l2_bytes = 41'943'040;
    record.threads_per_warp = 32;
    record.core_clock = 1'410'000;
    record.copy_engines = 3;
    record.multiprocessors = 108;
    record.max_warps_per_sm = 64;
    record.max_blocks_per_sm = 32;
    record.max_shared_per_sm = 167'936;
    record.max_registers_per_sm = 65'536;
    record.max_registers_per_block = 65'536;
    record.max_shared_per_block = 49'152;
    record.max_threads_per_block = 1'024;
    record.compute_major = 8;
    record.id = static_cast<std::uint32_t>(id);
    const std::uint8_t uuid[16] = {
        0x5a, 0x3c, 0x1e, 0x00, 0x7d, 0x21, 0x4b, 0x0e,
        0x9f, 0x10, 0,    0,    0,    0,    0,    static_cast<std::uint8_t>(id)};
    std::copy(std::begin(uuid), std::end(uuid), record.uuid);
    record.name = 0xA100;
    return record;
  }

  void WriteCalls(SpoolMaker& maker) {
    std::map<std::string, std::uint32_t> cbids;
    std::vector<CuptiApiRecord> of_layer[2];
    for (const CallRecord& call : run_.calls) {
      if (!IsMyThread(call.thread)) continue;
      const bool driver = !call.name.starts_with("cuda");
      const auto [it, is_new] = cbids.try_emplace(std::string(call.name), cbids.size() + 1);
      if (is_new) maker.CallName(driver, it->second, call.name);
      of_layer[driver].push_back({0, it->second, At(call.start), At(call.end), 0, Tid(call.thread),
                                  static_cast<std::uint32_t>(call.correlation), 0});
    }
    maker.Records(CuptiKind::kRuntime, of_layer[0]);
    maker.Records(CuptiKind::kDriver, of_layer[1]);
  }

  void WriteKernels(SpoolMaker& maker) {
    for (std::size_t k = 0; k < program_.kernels.size(); ++k) {
      const KernelSpec& spec = program_.kernels[k];
      maker.Text(TextSpace::kPointer, 0x10000 + k, spec.mangled);
    }
    std::vector<CuptiKernelRecord> records;
    for (const KernelRecord& kernel : run_.kernels) {
      if (!IsMyStream(kernel.stream)) continue;
      const KernelSpec& spec = program_.kernels[kernel.kernel];
      auto record = Work<CuptiKernelRecord>(kernel);
      record.registers = static_cast<std::uint16_t>(spec.registers);
      record.grid_x = spec.grid[0];
      record.grid_y = spec.grid[1];
      record.grid_z = spec.grid[2];
      record.block_x = spec.block[0];
      record.block_y = spec.block[1];
      record.block_z = spec.block[2];
      record.static_shared = spec.static_shared;
      record.dynamic_shared = spec.dynamic_shared;
      const int shared = spec.static_shared + spec.dynamic_shared;
      record.executed_shared = shared > 48 * 1024 ? 135'168 : shared > 16 * 1024 ? 65'536 : 32'768;
      record.name = 0x10000 + static_cast<std::uint64_t>(kernel.kernel);
      record.graph_node = kernel.graph_node < 0 ? 0 : static_cast<std::uint64_t>(kernel.graph_node);
      record.graph = kernel.graph < 0 ? 0 : static_cast<std::uint32_t>(kernel.graph);
      records.push_back(record);
    }
    maker.Records(CuptiKind::kConcurrentKernel, records);
  }

  // CUPTI counts memory kinds from "unknown".
  static std::uint8_t Kind(samples::MemoryKind kind) {
    return static_cast<std::uint8_t>(static_cast<int>(kind) + 1);
  }

  void WriteCopies(SpoolMaker& maker) {
    using samples::CopyKind;
    for (const CopyRecord& copy : run_.copies) {
      if (!IsMyStream(copy.stream)) continue;
      const CopySpec& spec = copy.copy;
      const bool from_host =
          spec.kind == CopyKind::kHostToDevice || spec.kind == CopyKind::kHostToHost;
      const bool to_host =
          spec.kind == CopyKind::kDeviceToHost || spec.kind == CopyKind::kHostToHost;
      const std::uint8_t source = Kind(from_host ? spec.host : samples::MemoryKind::kDevice);
      const std::uint8_t target = Kind(to_host ? spec.host : samples::MemoryKind::kDevice);
      const std::uint64_t node =
          copy.graph_node < 0 ? 0 : static_cast<std::uint64_t>(copy.graph_node);
      auto fill = [&](auto record) {
        record.copy_kind = static_cast<std::uint8_t>(spec.kind);
        record.source_kind = source;
        record.target_kind = target;
        record.bytes = static_cast<std::uint64_t>(spec.bytes);
        record.graph_node = node;
        return record;
      };
      if (spec.kind == CopyKind::kPeer) {
        auto record = fill(Work<CuptiPeerCopyRecord>(copy));
        record.source_device = record.device;
        record.target_device = static_cast<std::uint32_t>(program_.contexts[spec.peer].device);
        maker.Records(CuptiKind::kMemcpyPeer, std::vector{record});
      } else {
        auto record = fill(Work<CuptiMemcpyRecord>(copy));
        record.copy_count = 1;
        maker.Records(CuptiKind::kMemcpy, std::vector{record});
      }
    }
    for (const MemsetRecord& memset : run_.memsets) {
      if (!IsMyStream(memset.stream)) continue;
      auto record = Work<CuptiMemsetRecord>(memset);
      record.bytes = static_cast<std::uint64_t>(memset.bytes);
      record.memory_kind = Kind(samples::MemoryKind::kDevice);
      record.graph_node = memset.graph_node < 0 ? 0 : static_cast<std::uint64_t>(memset.graph_node);
      maker.Records(CuptiKind::kMemset, std::vector{record});
    }
  }

  void WriteWaits(SpoolMaker& maker) {
    for (const SyncRecord& sync : run_.syncs) {
      if (!IsMine(sync.context)) continue;
      CuptiSyncRecord record = {};
      record.start = At(sync.start);
      record.end = At(sync.end);
      record.correlation = static_cast<std::uint32_t>(sync.correlation);
      record.context = static_cast<std::uint32_t>(program_.contexts[sync.context].id);
      record.stream = sync.stream < 0
                          ? kCuptiNone
                          : static_cast<std::uint32_t>(program_.streams[sync.stream].id);
      record.event =
          sync.event < 0 ? kCuptiNone : static_cast<std::uint32_t>(program_.events[sync.event].id);
      record.event_sync = static_cast<std::uint64_t>(sync.event_sync_id);
      maker.Records(CuptiKind::kSynchronization, std::vector{record});
    }
    for (const EventRecord& event : run_.events) {
      if (!IsMyStream(event.stream)) continue;
      const samples::Stream& stream = program_.streams[event.stream];
      CuptiEventRecord record = {};
      record.correlation = static_cast<std::uint32_t>(event.correlation);
      record.context = static_cast<std::uint32_t>(program_.contexts[stream.context].id);
      record.stream = static_cast<std::uint32_t>(stream.id);
      record.event = static_cast<std::uint32_t>(program_.events[event.event].id);
      record.event_sync = static_cast<std::uint64_t>(event.event_sync_id);
      maker.Records(CuptiKind::kCudaEvent, std::vector{record});
    }
  }

  void WriteRest(SpoolMaker& maker) {
    for (const GraphSpanRecord& span : run_.graph_spans) {
      if (!IsMyStream(span.stream)) continue;
      auto record = Work<CuptiGraphRecord>(span);
      record.graph = static_cast<std::uint32_t>(span.graph);
      maker.Records(CuptiKind::kGraphTrace, std::vector{record});
    }
    for (const OverheadRecord& overhead : run_.overheads) {
      if (!IsMyThread(overhead.thread)) continue;
      CuptiOverheadRecord record = {};
      record.overhead_kind = 5 << 16;
      record.object_kind = static_cast<std::uint32_t>(CuptiObject::kThread);
      record.object[1] = Tid(overhead.thread);
      record.start = At(overhead.start);
      record.end = At(overhead.end);
      record.correlation = static_cast<std::uint32_t>(overhead.correlation);
      maker.Records(CuptiKind::kOverhead, std::vector{record});
    }
    for (const MemoryRecord& memory : run_.memory) {
      if (!IsMine(memory.context)) continue;
      CuptiMemoryRecord record = {};
      record.operation = memory.release ? 2 : 1;
      record.memory_kind = Kind(samples::MemoryKind::kDevice);
      record.correlation = static_cast<std::uint32_t>(memory.correlation);
      record.address = memory.address;
      record.bytes = static_cast<std::uint64_t>(memory.bytes);
      record.time = At(memory.start);
      record.device = static_cast<std::uint32_t>(program_.contexts[memory.context].device);
      maker.Records(CuptiKind::kMemory, std::vector{record});
    }
  }

  // The events of each thread, in the order in which it would have made the calls.
  void WriteHostEvents(SpoolMaker& maker) {
    std::map<std::uint32_t, std::vector<MadeEvent>> threads;
    const auto& domains = program_.processes[process_].domains;
    auto& first = threads[static_cast<std::uint32_t>(program_.processes[process_].pid)];
    for (std::size_t d = 0; d < domains.size(); ++d) {
      first.push_back(
          {HostOp::kDomain, At(900'000), static_cast<std::uint32_t>(d + 1), 0, 0, domains[d]});
    }
    AddRanges(threads);
    for (const GraphNodeRecord& node : run_.graph_nodes) {
      if (!IsMyThread(node.thread)) continue;
      const auto original = node.original < 0 ? 0 : static_cast<std::uint64_t>(node.original);
      threads[Tid(node.thread)].push_back({HostOp::kGraphNode, At(node.start), 0,
                                           static_cast<std::uint64_t>(node.node), original, ""});
    }
    for (const GraphRecord& graph : run_.graphs) {
      if (!IsMyThread(graph.thread)) continue;
      const bool exec = graph.exec >= 0;
      threads[Tid(graph.thread)].push_back({exec ? HostOp::kGraphExec : HostOp::kGraph,
                                            At(graph.start), 0,
                                            static_cast<std::uint64_t>(graph.graph),
                                            exec ? static_cast<std::uint64_t>(graph.exec) : 0, ""});
    }
    for (auto& [thread, events] : threads) {
      std::stable_sort(events.begin(), events.end(),
                       [](const MadeEvent& a, const MadeEvent& b) { return a.time < b.time; });
      maker.Events(thread, events);
    }
  }

  void AddRanges(std::map<std::uint32_t, std::vector<MadeEvent>>& threads) {
    std::map<std::string, std::uint64_t> strings;
    // Pushes and pops of one thread and domain nest: each pop comes after those inside it.
    std::map<std::pair<int, int>, std::vector<const NvtxRecord*>> nested;
    for (const NvtxRecord& range : run_.nvtx) {
      if (!IsMyThread(range.thread)) continue;
      std::vector<MadeEvent>& events = threads[Tid(range.thread)];
      const auto domain = static_cast<std::uint32_t>(range.domain);
      MadeEvent event = {HostOp::kMark, At(range.start), domain, 0, 0, range.text};
      event.color = range.color;
      if (range.type == 39) {
        events.push_back({HostOp::kThread, At(range.start), 0, Tid(range.thread), 0, range.text});
      } else if (range.type == 60) {
        event.op = HostOp::kStart;
        event.id = static_cast<std::uint64_t>(range.range);
        events.push_back(event);
        if (range.end >= 0) events.push_back({HostOp::kEnd, At(range.end), domain, event.id});
      } else if (range.type == 34) {
        events.push_back(event);
      } else {
        nested[{range.thread, range.domain}].push_back(&range);
      }
    }
    for (auto& [place, ranges] : nested) AddNested(ranges, strings, threads[Tid(place.first)]);
  }

  static void AddNested(std::vector<const NvtxRecord*>& ranges,
                        std::map<std::string, std::uint64_t>& strings,
                        std::vector<MadeEvent>& events) {
    auto end_of = [](const NvtxRecord* range) { return range->end < 0 ? INT64_MAX : range->end; };
    std::stable_sort(ranges.begin(), ranges.end(), [&](const NvtxRecord* a, const NvtxRecord* b) {
      return std::pair(a->start, -end_of(a)) < std::pair(b->start, -end_of(b));
    });
    std::vector<const NvtxRecord*> open;
    auto pop = [&] {
      const auto domain = static_cast<std::uint32_t>(open.back()->domain);
      if (open.back()->end >= 0) events.push_back({HostOp::kPop, At(open.back()->end), domain});
      open.pop_back();
    };
    for (const NvtxRecord* range : ranges) {
      while (!open.empty() && end_of(open.back()) <= range->start) pop();
      const auto domain = static_cast<std::uint32_t>(range->domain);
      MadeEvent push = {HostOp::kPush, At(range->start), domain, 0, 0, range->text};
      push.color = range->color;
      if (range->registered) {
        const auto [it, is_new] = strings.try_emplace(range->text, strings.size() + 1);
        if (is_new)
          events.push_back({HostOp::kString, At(range->start), domain, it->second, 0, range->text});
        push.registered = it->second;
        push.text.clear();
      }
      events.push_back(push);
      open.push_back(range);
    }
    while (!open.empty()) pop();
  }

  const Program& program_;
  const MemoryRecording& run_;
  int process_ = 0;
};

// What the two sources cannot have in common: how the trace was made, the rows of NVIDIA's tables,
// what only nsys knows of a GPU, and which executable graph a span was (CUPTI does not say).
// Whether a line is a thread of which nothing else was recorded: nsys lists the names of all.
bool IsSilentThread(const std::string& line, const std::string& all) {
  if (!line.starts_with("track ")) return false;
  const std::string label = line.substr(6, line.find(' ', 6) - 6);
  if (label.find(".T") == label.npos) return false;
  const std::string named = " " + label;
  const std::size_t here = all.find(named);
  return all.find(named, here + 1) == all.npos;
}

std::string Comparable(const Trace& trace) {
  const std::string dump = xsp::test::Dump(trace);
  std::istringstream all(dump);
  const std::regex left_out(" (source_row|chip|bus|graph_exec)=(\"[^\"]*\"|\\S+)");
  std::string line, text;
  while (std::getline(all, line)) {
    const bool about_itself = line.starts_with("info ") || line.starts_with("rows ") ||
                              line.starts_with("odd ") || line.starts_with("warning ") ||
                              line.starts_with("unused ");
    const bool of_nsys = line.starts_with("overhead ") && line.find("from_cupti=0") != line.npos;
    if (about_itself || of_nsys || IsSilentThread(line, dump)) continue;
    text += std::regex_replace(line, left_out, "") + "\n";
  }
  return text;
}

void CheckTwins(Scenario scenario) {
  scenario.options.os_runtime = false;
  scenario.options.scheduling = false;
  scenario.options.payload_blobs = false;
  scenario.options.memory_usage = true;
  // CUPTI has a symbol for every kernel, and so have nsys' exports of real programs.
  for (std::size_t k = 0; k < scenario.program.kernels.size(); ++k) {
    KernelSpec& spec = scenario.program.kernels[k];
    if (spec.mangled.empty()) spec.mangled = "_Z" + std::to_string(k);
  }
  const TemporaryFolder folder;
  const std::string export_file = (folder.path() / "twin.sqlite").string();
  WriteTrace(export_file, scenario.program, scenario.machine, scenario.options);
  MemoryRecording run;
  run.summary = Run(scenario.program, scenario.machine, run);
  const std::filesystem::path spools = folder.path() / "spools";
  SpoolTwin(spools, scenario.program, run);

  std::map<std::string, KernelName> names;
  for (const KernelSpec& spec : scenario.program.kernels) {
    names[spec.mangled] = {spec.demangled, spec.short_name};
  }
  DecodeOptions options;
  options.namer = [&](std::string_view symbol) { return names.at(std::string(symbol)); };
  const Trace live = DecodeOperators(DecodeSpools(SpoolsIn(spools), options).trace);
  const Trace nsys = ImportFile(export_file, {});
  REQUIRE(live.OfKind(EventKind::kApi).size() > 10);
  const std::string a = Comparable(live), b = Comparable(nsys);
  if (a != b) {
    const auto [at_a, at_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    auto line_at = [](const std::string& text, std::string::const_iterator at) {
      const auto place = static_cast<std::size_t>(at - text.begin());
      const std::size_t begin = text.rfind('\n', place == 0 ? 0 : place - 1) + 1;
      return text.substr(begin, text.find('\n', place) - begin);
    };
    INFO("live: " << line_at(a, at_a) << "\nnsys: " << line_at(b, at_b));
    CHECK(a.size() == b.size());
    FAIL("the traces differ");
  }
}

TEST_CASE("a spool and an nsys export of the same run give the same rows") {
  ScenarioOptions options;
  options.steps = 3;
  options.warmup = 1;
  for (const char* name :
       {"train", "infer", "multi", "streams", "copies", "alloc", "graphs", "hpc"}) {
    SECTION(name) { CheckTwins(MakeScenario(name, options)); }
  }
  SECTION("graphs as a whole") {
    options.graph_nodes = false;
    CheckTwins(MakeScenario("graphs", options));
  }
}

}  // namespace
}  // namespace xsp::live
