// Event rows. What describes the run as a whole: nsys_description.cc.
#include "sample_traces/nsys_writer.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sample_traces/nsys_writer_tables.h"

namespace xsp::samples {
namespace {

constexpr int64_t kNone32 = 0xffffffff;  // "does not apply" in sync rows
constexpr int64_t kVirtualMachine = 1;

std::optional<int64_t> UnlessNegative(int64_t value) {
  return value < 0 ? std::nullopt : std::optional(value);
}

// What the exports of each age say for a kind of synchronisation: the numbering changed twice.
int64_t SyncType(const SyncRecord& record, const SchemaVersion& schema) {
  const int kind = record.stream >= 0 && record.event >= 0 ? 3
                   : record.stream >= 0                    ? 2
                   : record.event >= 0                     ? 1
                                                           : 0;
  constexpr int64_t kUntil2024[] = {1, 2, 3, 3};  // context, event, stream, stream waits
  constexpr int64_t k2024[] = {0, 1, 2, 2};
  constexpr int64_t k2026[] = {4, 1, 3, 2};
  if (schema.number < 3'013'000) return kUntil2024[kind];
  return schema.number < 3'017'000 ? k2024[kind] : k2026[kind];
}

std::string PartPath(const std::string& path) { return path + ".part"; }

std::string RemoveOld(std::string path) {
  std::filesystem::remove(path);
  return path;
}

}  // namespace

NsysWriter::NsysWriter(const std::string& path, const Program& program,
                       const ExportOptions& options)
    : program_(program),
      options_(options),
      path_(path),
      part_path_(RemoveOld(PartPath(path))),
      file_(part_path_),
      kernel_names_(program.kernels.size()),
      text_ids_(program.strings.size(), -1),
      tables_(std::make_unique<Tables>(file_, *options.schema)) {
  StringId("[Unknown]");  // id 0 in every export
  WriteExportFacts();
  WriteDomains();
}

NsysWriter::~NsysWriter() {
  tables_.reset();
  std::error_code ignored;
  if (!finished_) std::filesystem::remove(part_path_, ignored);
}

int64_t NsysWriter::StringId(std::string_view text) {
  const auto [it, is_new] =
      strings_.emplace(std::string(text), static_cast<int64_t>(strings_.size()));
  if (is_new) tables_->strings.Insert(it->second, text);
  return it->second;
}

int64_t NsysWriter::GlobalPid(int32_t process) const {
  return (kVirtualMachine << 48) | (int64_t{program_.processes[process].pid} << 24);
}

int64_t NsysWriter::GlobalTid(int32_t thread) const {
  const Thread& spec = program_.threads[thread];
  return GlobalPid(spec.process) | spec.tid;
}

const Context& NsysWriter::ContextOf(int32_t stream) const {
  return program_.contexts[program_.streams[stream].context];
}

int64_t NsysWriter::StreamPid(int32_t stream) const { return GlobalPid(ContextOf(stream).process); }

const NsysWriter::KernelNames& NsysWriter::NamesOf(int32_t kernel) {
  KernelNames& names = kernel_names_[kernel];
  if (names.demangled < 0) {
    const KernelSpec& spec = program_.kernels[kernel];
    names.demangled = StringId(spec.demangled);
    names.short_name = StringId(spec.short_name);
    if (!spec.mangled.empty()) names.mangled = StringId(spec.mangled);
  }
  return names;
}

void NsysWriter::Add(const CallRecord& record) {
  const int64_t event_class = record.name.starts_with("cuda") ? 0 : 1;
  tables_->calls.Insert(record.start, record.end, event_class, GlobalTid(record.thread),
                        record.correlation, StringId(record.name), record.returned);
}

void NsysWriter::Add(const KernelRecord& record) {
  const KernelSpec& spec = program_.kernels[record.kernel];
  const KernelNames& names = NamesOf(record.kernel);
  const Context& context = ContextOf(record.stream);
  const int64_t shared = spec.static_shared + spec.dynamic_shared;
  tables_->kernels.Insert(
      record.start, record.end, context.device, context.id, program_.streams[record.stream].id,
      record.correlation, StreamPid(record.stream), names.demangled, names.short_name,
      names.mangled, spec.registers, spec.grid[0], spec.grid[1], spec.grid[2], spec.block[0],
      spec.block[1], spec.block[2], spec.static_shared, spec.dynamic_shared, record.grid_id,
      shared > 48 * 1024   ? 135'168
      : shared > 16 * 1024 ? 65'536
                           : 32'768,
      UnlessNegative(record.graph_node), UnlessNegative(record.graph));
}

void NsysWriter::Add(const CopyRecord& record) {
  const Context& context = ContextOf(record.stream);
  const CopySpec& copy = record.copy;
  const auto host = static_cast<int64_t>(copy.host);
  const auto device = static_cast<int64_t>(MemoryKind::kDevice);
  const bool from_host = copy.kind == CopyKind::kHostToDevice || copy.kind == CopyKind::kHostToHost;
  const bool to_host = copy.kind == CopyKind::kDeviceToHost || copy.kind == CopyKind::kHostToHost;
  std::optional<int64_t> ends[4];  // device and context of source and destination: peers only
  if (copy.kind == CopyKind::kPeer) {
    const Context& peer = program_.contexts[copy.peer];
    ends[0] = context.device;
    ends[1] = context.id;
    ends[2] = peer.device;
    ends[3] = peer.id;
  }
  tables_->copies.Insert(record.start, record.end, context.device, context.id,
                         program_.streams[record.stream].id, record.correlation,
                         StreamPid(record.stream), copy.bytes, static_cast<int64_t>(copy.kind),
                         from_host ? host : device, to_host ? host : device, ends[0], ends[1],
                         ends[2], ends[3], UnlessNegative(record.graph_node));
}

void NsysWriter::Add(const MemsetRecord& record) {
  const Context& context = ContextOf(record.stream);
  tables_->memsets.Insert(record.start, record.end, context.device, context.id,
                          program_.streams[record.stream].id, record.correlation,
                          StreamPid(record.stream), record.bytes,
                          UnlessNegative(record.graph_node));
}

void NsysWriter::Add(const GraphSpanRecord& record) {
  const Context& context = ContextOf(record.stream);
  tables_->graph_spans.Insert(record.start, record.end, context.device, context.id,
                              program_.streams[record.stream].id, record.correlation,
                              StreamPid(record.stream), record.graph, record.graph_exec);
}

void NsysWriter::Add(const SyncRecord& record) {
  const Context& context = program_.contexts[record.context];
  tables_->syncs.Insert(
      record.start, record.end, context.id,
      record.stream < 0 ? kNone32 : program_.streams[record.stream].id, record.correlation,
      GlobalPid(context.process), SyncType(record, *options_.schema),
      record.event < 0 ? kNone32 : program_.events[record.event].id, record.event_sync_id);
}

void NsysWriter::Add(const EventRecord& record) {
  const Context& context = ContextOf(record.stream);
  tables_->events.Insert(context.device, context.id, program_.streams[record.stream].id,
                         record.correlation, StreamPid(record.stream),
                         program_.events[record.event].id, record.event_sync_id);
}

void NsysWriter::Add(const NvtxRecord& record) {
  if (!options_.nvtx) return;
  std::optional<std::string_view> text;
  std::optional<int64_t> text_id;
  if (record.registered) {
    text_id = StringId(record.text);
  } else {
    text = record.text;
  }
  std::optional<int64_t> color;
  if (record.color != 0) color = static_cast<int32_t>(record.color);
  std::optional<Blob> blob;
  std::string payload;
  if (record.payload >= 0 && options_.payload_blobs) {
    payload = Payload(record);
    blob = Blob{payload};
  }
  tables_->nvtx.Insert(record.start, UnlessNegative(record.end), record.type,
                       UnlessNegative(record.range), color, text, GlobalTid(record.thread), text_id,
                       record.domain, blob);
}

void NsysWriter::Add(const OsCallRecord& record) {
  if (!options_.os_runtime) return;
  tables_->os_calls.Insert(record.start, record.end, GlobalTid(record.thread),
                           StringId(program_.strings[record.name]));
}

void NsysWriter::Add(const MpiRecord& record) {
  const int64_t tid = GlobalTid(record.thread);
  const int64_t name = StringId(program_.strings[record.name]);
  if (!options_.mpi_tables) {
    const auto& domains = program_.processes[program_.threads[record.thread].process].domains;
    const auto domain = std::find(domains.begin(), domains.end(), "MPI") - domains.begin() + 1;
    tables_->nvtx.Insert(record.start, record.end, 59, std::nullopt, std::nullopt, std::nullopt,
                         tid, name, domain, std::nullopt);
    return;
  }
  switch (record.kind) {
    case MpiCallKind::kPointToPoint:
      tables_->mpi_messages.Insert(record.start, record.end, tid, name, record.tag, record.peer);
      break;
    case MpiCallKind::kCollective:
      tables_->mpi_collectives.Insert(record.start, record.end, tid, name, record.group + 1);
      break;
    case MpiCallKind::kWait:
      tables_->mpi_waits.Insert(record.start, record.end, tid, name);
      break;
  }
}

void NsysWriter::Add(const SchedRecord& record) {
  if (!options_.scheduling) return;
  tables_->sched.Insert(record.start, record.cpu, record.in ? 1 : 0, GlobalTid(record.thread));
}

void NsysWriter::Add(const OverheadRecord& record) {
  if (!tables_->overheads.exists()) return;
  tables_->overheads.Insert(record.start, record.end, GlobalTid(record.thread), record.correlation,
                            StringId("Lazy Function Loading"));
}

void NsysWriter::Add(const GraphNodeRecord& record) {
  const int64_t tid = GlobalTid(record.thread);
  const int64_t name = StringId("CUDA graph node creation");
  const auto original = UnlessNegative(record.original);
  if (tables_->graph_nodes.exists()) {
    tables_->graph_nodes.Insert(record.start, record.start, tid, name, record.node, original);
  } else {
    tables_->graphs.Insert(record.start, record.start, 77, tid, name, std::nullopt, std::nullopt,
                           std::nullopt, record.node, original);
  }
}

void NsysWriter::Add(const GraphRecord& record) {
  if (!tables_->graph_nodes.exists()) return;
  const bool is_exec = record.exec >= 0;
  tables_->graphs.Insert(record.start, record.start, is_exec ? 94 : 95, GlobalTid(record.thread),
                         StringId(is_exec ? "CUDA graph exec creation" : "CUDA graph creation"),
                         record.graph, std::nullopt, UnlessNegative(record.exec), std::nullopt,
                         std::nullopt);
}

void NsysWriter::Add(const MemoryRecord& record) {
  if (!options_.memory_usage) return;
  const Context& context = program_.contexts[record.context];
  tables_->memory.Insert(record.start, GlobalPid(context.process), context.device, context.id,
                         static_cast<int64_t>(record.address), record.bytes, record.release ? 1 : 0,
                         record.correlation);
}

void NsysWriter::Finish(const RunSummary& summary) {
  WriteProcesses(summary);
  WriteDevices();
  WriteProfilerFacts(summary);
  WriteSystem(summary);
  WriteEnums();
  tables_.reset();
  file_.Commit();
  file_.Close();
  std::filesystem::rename(part_path_, path_);
  finished_ = true;
}

RunSummary WriteTrace(const std::string& path, const Program& program, const MachineConfig& machine,
                      const ExportOptions& options) {
  ExportOptions consistent = options;
  consistent.graph_nodes = machine.trace_graph_nodes;
  NsysWriter writer(path, program, consistent);
  const RunSummary summary = Run(program, machine, writer);
  writer.Finish(summary);
  return summary;
}

}  // namespace xsp::samples
