#include "sample_traces/kineto_writer.h"

#include <charconv>
#include <cinttypes>
#include <filesystem>
#include <optional>
#include <stdexcept>

namespace xsp::samples {
namespace {

constexpr int64_t kBaseNs = 1'775'078'550'000'000'000;  // baseTimeNanoseconds
constexpr int32_t kPushPop = 59;
constexpr int32_t kStartEnd = 60;

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string Number(std::string_view key, int64_t value) {
  return "\"" + std::string(key) + "\": " + std::to_string(value);
}

// "aten::mm, seq = 5, op_id = 7" as the framework itself records it.
struct OperatorText {
  std::string_view name;
  std::optional<int64_t> sequence;
  std::optional<int64_t> id;
};

std::optional<int64_t> CutNumber(std::string_view& text, std::string_view key) {
  const size_t at = text.rfind(key);
  if (at == text.npos) return std::nullopt;
  int64_t value = 0;
  std::from_chars(text.data() + at + key.size(), text.data() + text.size(), value);
  text = text.substr(0, at);
  return value;
}

OperatorText Split(std::string_view text) {
  OperatorText split;
  split.id = CutNumber(text, ", op_id = ");
  split.sequence = CutNumber(text, ", seq = ");
  split.name = text;
  return split;
}

std::string_view CopyName(const CopySpec& copy) {
  const bool pinned = copy.host == MemoryKind::kPinned;
  switch (copy.kind) {
    case CopyKind::kHostToDevice:
      return pinned ? "Memcpy HtoD (Pinned -> Device)" : "Memcpy HtoD (Pageable -> Device)";
    case CopyKind::kDeviceToHost:
      return pinned ? "Memcpy DtoH (Device -> Pinned)" : "Memcpy DtoH (Device -> Pageable)";
    case CopyKind::kDeviceToDevice:
      return "Memcpy DtoD (Device -> Device)";
    case CopyKind::kHostToHost:
      return "Memcpy HtoH (Pageable -> Pageable)";
    case CopyKind::kPeer:
      break;
  }
  return "Memcpy PtoP (Device -> Device)";
}

// The runtime's names have no version in these files.
std::string_view BareName(std::string_view name) {
  const size_t version = name.rfind("_v");
  return version == name.npos ? name : name.substr(0, version);
}

}  // namespace

KinetoWriter::KinetoWriter(const std::string& path, const Program& program,
                           const KinetoOptions& options)
    : program_(program), options_(options), path_(path), part_path_(path + ".part") {
  file_ = std::fopen(part_path_.c_str(), "wb");
  if (file_ == nullptr) throw std::runtime_error(part_path_ + ": cannot be written");
  WriteHead();
}

KinetoWriter::~KinetoWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  std::filesystem::remove(part_path_, ignored);
}

void KinetoWriter::WriteHead() {
  std::string text = "\n  {\n    \"schemaVersion\": 1,\n    \"deviceProperties\": [";
  for (int32_t i = 0; i < program_.DeviceCount(); ++i) {
    text += i == 0 ? "\n" : ",\n";
    text += "    {" + Number("id", i) +
            ", \"name\": \"NVIDIA A100-SXM4-40GB\", \"totalGlobalMem\": 42297524224,\n"
            "      \"computeMajor\": 8, \"computeMinor\": 0, \"maxThreadsPerBlock\": 1024,\n"
            "      \"maxThreadsPerMultiprocessor\": 2048, \"regsPerBlock\": 65536, \"warpSize\": "
            "32,\n      \"sharedMemPerBlock\": 49152, \"numSms\": 108}";
  }
  text += "\n    ],\n    \"cuda_driver_version\": 12080,\n";
  if (program_.processes.size() > 1) {
    text += "    \"distributedInfo\": {\"backend\": \"nccl\", " + Number("rank", options_.process) +
            ", " + Number("world_size", static_cast<int64_t>(program_.processes.size())) + "},\n";
  }
  text += "  \"displayTimeUnit\": \"ms\",\n  " + Number("baseTimeNanoseconds", kBaseNs) +
          ",\n  \"traceEvents\": [\n";
  std::fputs(text.c_str(), file_);
}

std::string KinetoWriter::Time(int64_t time) const {
  time += options_.clock_ns;
  char text[32];
  std::snprintf(text, sizeof text, "%" PRId64 ".%03" PRId64, time / 1000, time % 1000);
  return text;
}

std::string KinetoWriter::Times(int64_t start, int64_t end) const {
  const int64_t length = end - start;
  char text[32];
  std::snprintf(text, sizeof text, "%" PRId64 ".%03" PRId64, length / 1000, length % 1000);
  return "\"ts\": " + Time(start) + ", \"dur\": " + text;
}

void KinetoWriter::Write(const std::string& head, const std::string& args) {
  std::fputs(is_first_ ? "  {\n    " : ",\n  {\n    ", file_);
  is_first_ = false;
  std::fputs(head.c_str(), file_);
  if (!args.empty()) {
    std::fputs(",\n    \"args\": {\n      ", file_);
    std::fputs(args.c_str(), file_);
    std::fputs("\n    }", file_);
  }
  std::fputs("\n  }", file_);
}

void KinetoWriter::WriteFlow(char phase, std::string_view category, int64_t id, int64_t pid,
                             int64_t tid, int64_t time) {
  Write("\"ph\": \"" + std::string(1, phase) + "\", " + Number("id", id) + ", " +
            Number("pid", pid) + ", " + Number("tid", tid) + ", \"ts\": " + Time(time) +
            ",\n    \"cat\": \"" + std::string(category) + "\", \"name\": \"" +
            std::string(category) + "\"" + (phase == 'f' ? ", \"bp\": \"e\"" : ""),
        "");
}

const Context& KinetoWriter::ContextOf(int32_t stream) const {
  return program_.contexts[program_.streams[stream].context];
}

void KinetoWriter::Add(const CallRecord& record) {
  const Thread& thread = program_.threads[record.thread];
  if (!IsOurs(thread.process)) return;
  const bool is_runtime = record.name.starts_with("cuda");
  const int64_t pid = program_.processes[thread.process].pid;
  Write("\"ph\": \"X\", \"cat\": \"" + std::string(is_runtime ? "cuda_runtime" : "cuda_driver") +
            "\", \"name\": " + Quoted(BareName(record.name)) + ", " + Number("pid", pid) + ", " +
            Number("tid", thread.tid) + ",\n    " + Times(record.start, record.end),
        "\"cbid\": 211, " + Number("correlation", record.correlation));
  WriteFlow('s', "ac2g", record.correlation, pid, thread.tid, record.start);
}

void KinetoWriter::WriteDeviceWork(const DeviceRecord& record, std::string_view category,
                                   std::string_view name, const std::string& args) {
  const Context& context = ContextOf(record.stream);
  if (!IsOurs(context.process)) return;
  const int64_t stream = program_.streams[record.stream].id;
  Write("\"ph\": \"X\", \"cat\": \"" + std::string(category) + "\", \"name\": " + Quoted(name) +
            ", " + Number("pid", context.device) + ", " + Number("tid", stream) + ",\n    " +
            Times(record.start, record.end),
        Number("device", context.device) + ", " + Number("context", context.id) + ",\n      " +
            Number("stream", stream) + ", " + Number("correlation", record.correlation) +
            (record.graph_node >= 0 ? ", " + Number("graph node id", record.graph_node) : "") +
            ",\n      " + args);
  WriteFlow('f', "ac2g", record.correlation, context.device, stream, record.start);
}

void KinetoWriter::Add(const KernelRecord& record) {
  const KernelSpec& spec = program_.kernels[record.kernel];
  auto triple = [](const std::array<int32_t, 3>& size) {
    return "[" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
           std::to_string(size[2]) + "]";
  };
  WriteDeviceWork(record, "kernel", spec.demangled,
                  Number("registers per thread", spec.registers) + ",\n      " +
                      Number("shared memory", spec.static_shared + spec.dynamic_shared) +
                      ",\n      \"grid\": " + triple(spec.grid) + ",\n      \"block\": " +
                      triple(spec.block) + ",\n      \"est. achieved occupancy %\": 50");
}

void KinetoWriter::Add(const CopyRecord& record) {
  WriteDeviceWork(record, "gpu_memcpy", CopyName(record.copy), Number("bytes", record.copy.bytes));
}

void KinetoWriter::Add(const MemsetRecord& record) {
  WriteDeviceWork(record, "gpu_memset", "Memset (Device)", Number("bytes", record.bytes));
}

void KinetoWriter::Add(const EventRecord& record) {
  recorded_[record.event_sync_id] = {record.correlation, record.stream};
}

void KinetoWriter::Add(const SyncRecord& record) {
  const Context& context = program_.contexts[record.context];
  if (!IsOurs(context.process) || !options_.syncs) return;
  const bool waits = record.stream >= 0 && record.event >= 0;
  const std::string kind = waits                ? "Stream Wait Event"
                           : record.stream >= 0 ? "Stream Sync"
                           : record.event >= 0  ? "Event Sync"
                                                : "Context Sync";
  const int64_t stream = record.stream >= 0 ? program_.streams[record.stream].id : -1;
  std::string args = "\"cuda_sync_kind\": \"" + kind + "\", ";
  if (record.event >= 0) {
    const auto it = recorded_.find(record.event_sync_id);
    const bool known = it != recorded_.end();
    args += Number("wait_on_stream", known ? program_.streams[it->second.stream].id : -1) + ", " +
            Number("wait_on_cuda_event_record_corr_id", known ? it->second.correlation : -1) +
            ", " + Number("wait_on_cuda_event_id", program_.events[record.event].id) + ", ";
  }
  Write("\"ph\": \"X\", \"cat\": \"cuda_sync\", \"name\": \"" + kind + "\", " +
            Number("pid", context.device) + ", " + Number("tid", stream) + ",\n    " +
            Times(record.start, record.end),
        args + Number("stream", stream) + ", " + Number("correlation", record.correlation) + ", " +
            Number("device", context.device) + ", " + Number("context", context.id));
}

void KinetoWriter::Add(const NvtxRecord& record) {
  if (!IsOurs(program_.threads[record.thread].process) || record.end < 0) return;
  const bool is_range = record.type == kPushPop || record.type == kStartEnd;
  if (is_range && record.domain == 0) WriteOperator(record);
}

void KinetoWriter::WriteOperator(const NvtxRecord& record) {
  const Thread& thread = program_.threads[record.thread];
  const int64_t pid = program_.processes[thread.process].pid;
  const OperatorText text = Split(record.text);
  const bool is_backward = text.name.find("Backward") != text.name.npos;
  std::string args = Number("External id", text.id.value_or(0));
  if (text.sequence) {
    args += ", " + Number("Sequence number", *text.sequence) + ", " +
            Number("Fwd thread id", is_backward ? 1 : 0);
  }
  const std::string category = text.id ? "cpu_op" : "user_annotation";
  Write("\"ph\": \"X\", \"cat\": \"" + category + "\", \"name\": " + Quoted(text.name) + ", " +
            Number("pid", pid) + ", " + Number("tid", thread.tid) + ",\n    " +
            Times(record.start, record.end),
        args);
  if (!text.sequence) return;
  if (!is_backward) {
    forward_[*text.sequence] = {thread.tid, record.start};
  } else if (const auto it = forward_.find(*text.sequence); it != forward_.end()) {
    WriteFlow('s', "fwdbwd", next_flow_, pid, it->second.tid, it->second.start);
    WriteFlow('f', "fwdbwd", next_flow_++, pid, thread.tid, record.start);
  }
}

void KinetoWriter::Finish() {
  const Process& process = program_.processes[options_.process];
  Write("\"name\": \"process_name\", \"ph\": \"M\", \"ts\": 0, " + Number("pid", process.pid) +
            ", \"tid\": 0",
        "\"name\": " + Quoted(process.name));
  for (const Thread& thread : program_.threads) {
    if (!IsOurs(thread.process)) continue;
    Write("\"name\": \"thread_name\", \"ph\": \"M\", \"ts\": 0, " + Number("pid", process.pid) +
              ", " + Number("tid", thread.tid),
          "\"name\": " + Quoted("thread " + std::to_string(thread.tid) + " (" + thread.name + ")"));
  }
  if (options_.close_list)
    std::fputs("\n  ],\n  \"traceName\": \"sample.pt.trace.json\"\n}\n", file_);
  const bool failed = std::ferror(file_) != 0;
  if (std::fclose(std::exchange(file_, nullptr)) != 0 || failed) {
    throw std::runtime_error(path_ + ": cannot be written");
  }
  std::filesystem::rename(part_path_, path_);
}

RunSummary WriteKinetoTrace(const std::string& path, const Program& program,
                            const MachineConfig& machine, const KinetoOptions& options) {
  KinetoWriter writer(path, program, options);
  const RunSummary summary = Run(program, machine, writer);
  writer.Finish();
  return summary;
}

}  // namespace xsp::samples
