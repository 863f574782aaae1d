// What an export says about the session, the machine and the profiler.
#include "sample_traces/nsys_writer.h"
#include "sample_traces/nsys_writer_tables.h"

namespace xsp::samples {
namespace {

constexpr int64_t kGlobalVm = int64_t{1} << 48;
constexpr int64_t kSessionStartCounterNs = 931'572'954'000;
constexpr int64_t kNcclSchema = 16'777'220;

std::string DeviceUuid(int32_t device) {
  std::string uuid = "5a3c1e00-7d21-4b0e-9f10-00000000000";
  return uuid + static_cast<char>('0' + device % 10);
}

void AppendNumber(std::string& bytes, uint64_t value) {
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

}  // namespace

// A header of four numbers (domain, schema, size, offset), then the payload itself.
std::string NsysWriter::Payload(const NvtxRecord& record) const {
  const int64_t numbers = record.payload == kNcclCollective ? 2 : 3;
  std::string bytes;
  for (int64_t number :
       {int64_t{record.domain}, kNcclSchema + record.payload, 8 * numbers, int64_t{32}}) {
    AppendNumber(bytes, static_cast<uint64_t>(number));
  }
  for (int64_t i = 0; i < numbers; ++i) {
    AppendNumber(bytes, static_cast<uint64_t>(record.numbers[static_cast<size_t>(i)]));
  }
  return bytes;
}

void NsysWriter::WriteEnums() {
  for (const EnumTable& table : EnumTables(*options_.schema)) {
    file_.Execute("CREATE TABLE " + table.name +
                  " (\n    id INTEGER NOT NULL PRIMARY KEY,\n    name TEXT,\n    label TEXT\n)");
    for (const EnumValue& value : table.values) {
      file_.Execute("INSERT INTO " + table.name + " VALUES (" + std::to_string(value.id) + ",'" +
                    value.name + "','" + value.label + "')");
    }
  }
  Table unwind(file_, *options_.schema, "UnwindMethodType", {"number", "name"});
  const char* const methods[] = {"Unknown",         "FramePointer",   "UnwindTable",
                                 "LR_FramePointer", "LR_UnwindTable", "KernelContext",
                                 "DWARF_EH",        "DWARF_DF",       "LBR"};
  for (int64_t i = 0; i < 9; ++i) unwind.Insert(i, methods[i]);
}

void NsysWriter::WriteExportFacts() {
  const SchemaVersion& schema = *options_.schema;
  Table before(file_, schema, "EXPORT_META_DATA", {"name", "value"});
  Table after(file_, schema, "META_DATA_EXPORT", {"name", "value"});
  Table& table = before.exists() ? before : after;
  const std::string major = std::to_string(schema.number / 1'000'000);
  table.Insert("EXPORT_PRODUCT_NAME", "NVIDIA Nsight Systems");
  table.Insert("EXPORT_PRODUCT_VERSION", schema.product);
  table.Insert("EXPORT_PRODUCT_DATE", schema.product.substr(0, 6));
  table.Insert("EXPORT_SCHEMA_VERSION", schema.text);
  table.Insert("EXPORT_SCHEMA_VERSION_MAJOR", major);
  table.Insert("EXPORT_SCHEMA_VERSION_MINOR", std::to_string(schema.number / 1'000 % 1'000));
  table.Insert("EXPORT_SCHEMA_VERSION_MICRO", std::to_string(schema.number % 1'000));
  table.Insert("EXPORT_PLATFORM", "linux-desktop");
  table.Insert("EXPORT_ARCH", "x64");
  table.Insert("EXPORT_TIME_UTC", "2026-01-01T08:05:00");
  table.Insert("EXPORT_HOST", options_.host_name);
  table.Insert("EXPORT_USER", "sample-user");
  table.Insert("EXPORT_PARAM_LAZY", "true");
  table.Insert("EXPORT_PARAM_TIME_NORMALIZE", "false");
  table.Insert("EXPORT_PARAM_TIME_SHIFT", "0");
  table.Insert("EXPORT_CONFIG_TIME_SHIFT", "0");
  if (schema.number >= 3'025'000) {
    table.Insert("EXPORT_PARAM_INCLUDE_JSON", "false");
    table.Insert("EXPORT_PARAM_INCLUDE_BLOBS", options_.payload_blobs ? "true" : "false");
  }

  Table capture(file_, schema, "META_DATA_CAPTURE", {"name", "value"});
  capture.Insert("DEVICE_ID", "Local (CLI)");
  capture.Insert("CAPTURE_EVENT_TYPE", "NvtxEvents");
  capture.Insert("CAPTURE_EVENT_TYPE", "Cuda");
  if (options_.os_runtime) capture.Insert("CAPTURE_EVENT_TYPE", "OsRuntime");
  capture.Insert("PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE",
                 options_.graph_nodes ? "Node" : "Graph");
  capture.Insert("PROCESS_0:COMMAND", program_.processes[0].name);
  // Real exports carry the environment of the profiled program; readers must leave it alone.
  capture.Insert("PROCESS_0:ENVIRONMENT_VARIABLE", "SAMPLE_TOKEN=not-for-readers");
}

void NsysWriter::WriteDomains() {
  Table schemas(file_, *options_.schema, "NVTX_PAYLOAD_SCHEMAS",
                {"domainId", "schemaId", "type", "numEntries", "payloadSize"});
  Table entries(file_, *options_.schema, "NVTX_PAYLOAD_SCHEMA_ENTRIES",
                {"domainId", "schemaId", "idx", "type", "name", "offset"});
  for (size_t i = 0; i < program_.processes.size(); ++i) {
    const auto process = static_cast<int32_t>(i);
    const auto& domains = program_.processes[i].domains;
    for (size_t d = 0; d < domains.size(); ++d) {
      const auto domain = static_cast<int64_t>(d) + 1;
      tables_->nvtx.Insert(900'000 + 1'000 * process, std::nullopt, 75, std::nullopt, std::nullopt,
                           domains[d], GlobalPid(process) | program_.processes[i].pid, std::nullopt,
                           domain, std::nullopt);
      if (domains[d] != "NCCL") continue;
      for (int32_t kind = 0; kind < program_.processes[i].nccl_payloads; ++kind) {
        const int64_t schema = kNcclSchema + kind;
        const bool is_made = kind == kNcclCommunicator;
        const int32_t numbers = kind == kNcclCollective ? 2 : 3;
        schemas.Insert(domain, schema, 1, numbers, 8 * numbers);
        entries.Insert(domain, schema, 0, 18, "NCCL communicator ID", std::nullopt);
        entries.Insert(domain, schema, 1, is_made ? 18 : 22,
                       is_made ? "No. of ranks" : "Message size [bytes]", 8);
        if (numbers == 3) {
          entries.Insert(domain, schema, 2, 18, is_made ? "Rank" : "Peer rank", 16);
        }
      }
    }
  }
}

void NsysWriter::WriteProcesses(const RunSummary& summary) {
  Table processes(file_, *options_.schema, "PROCESSES", {"globalPid", "pid", "name"});
  processes.Insert(kGlobalVm | (int64_t{4'190} << 24), 4'190, "nsys");
  for (size_t i = 0; i < program_.processes.size(); ++i) {
    processes.Insert(GlobalPid(static_cast<int32_t>(i)), program_.processes[i].pid,
                     program_.processes[i].name);
  }
  Table threads(file_, *options_.schema, "ThreadNames", {"nameId", "priority", "globalTid"});
  for (size_t i = 0; i < program_.threads.size(); ++i) {
    threads.Insert(StringId(program_.threads[i].name), 20, GlobalTid(static_cast<int32_t>(i)));
  }
  Table streams(file_, *options_.schema, "ProcessStreams",
                {"globalPid", "filenameId", "contentId"});
  streams.Insert(GlobalPid(0), StringId("stdout.log"),
                 StringId("ran for " + std::to_string(summary.end_ns / 1'000'000) + " ms\n"));
  if (options_.mpi_rank >= 0) {
    Table ranks(file_, *options_.schema, "MPI_RANKS", {"globalTid", "rank"});
    ranks.Insert(GlobalTid(0), options_.mpi_rank);
  }
  // One string with the whole environment, as real exports have: no event names it.
  StringId(std::string_view("HOME=/home/sample\0SAMPLE_TOKEN=not-for-readers", 46));
}

void NsysWriter::WriteDevices() {
  const SchemaVersion& schema = *options_.schema;
  Table gpus(file_, schema, "TARGET_INFO_GPU",
             {"id", "busLocation", "uuid", "cuDevice", "ctxswDevPath", "ctrlDevPath"});
  gpus.Constant("vmId", kGlobalVm).Constant("name", "NVIDIA A100-SXM4-40GB");
  gpus.Constant("isDiscrete", 1).Constant("l2CacheSize", 41'943'040);
  gpus.Constant("totalMemory", 42'405'855'232).Constant("memoryBandwidth", 1'555'200'000'000);
  gpus.Constant("clockRate", 1'410'000'000).Constant("smCount", 108).Constant("pwGpuId", 0);
  gpus.Constant("luid", 0).Constant("chipName", "GA100").Constant("revision", 161);
  gpus.Constant("nodeMask", 0).Constant("constantMemory", 65'536).Constant("maxIPC", 4);
  gpus.Constant("maxRegistersPerBlock", 65'536).Constant("maxShmemPerBlock", 49'152);
  gpus.Constant("maxShmemPerBlockOptin", 166'912).Constant("maxShmemPerSm", 167'936);
  gpus.Constant("maxRegistersPerSm", 65'536).Constant("threadsPerWarp", 32);
  gpus.Constant("asyncEngines", 3).Constant("maxWarpsPerSm", 64).Constant("maxBlocksPerSm", 32);
  gpus.Constant("maxThreadsPerBlock", 1'024).Constant("maxBlockDimX", 1'024);
  gpus.Constant("maxBlockDimY", 1'024).Constant("maxBlockDimZ", 64);
  gpus.Constant("maxGridDimX", 2'147'483'647).Constant("maxGridDimY", 65'535);
  gpus.Constant("maxGridDimZ", 65'535).Constant("computeMajor", 8).Constant("computeMinor", 0);
  gpus.Constant("smMajor", 8).Constant("smMinor", 0);
  for (int32_t device = 0; device < program_.DeviceCount(); ++device) {
    gpus.Insert(device, "0000:0" + std::to_string(device + 1) + ":00.0", DeviceUuid(device), device,
                "", "");
  }

  Table devices(file_, schema, "TARGET_INFO_CUDA_DEVICE",
                {"gpuId", "cudaId", "pid", "uuid", "numMultiprocessors"});
  Table null_streams(file_, schema, "TARGET_INFO_CUDA_NULL_STREAM",
                     {"streamId", "hwId", "vmId", "processId", "deviceId", "contextId"});
  Table contexts(file_, schema, "TARGET_INFO_CUDA_CONTEXT_INFO",
                 {"nullStreamId", "hwId", "vmId", "processId", "deviceId", "contextId"});
  contexts.Constant("isGreenContext", 0);
  for (const Context& context : program_.contexts) {
    const int32_t pid = program_.processes[context.process].pid;
    const int32_t null_stream = program_.streams[context.default_stream].id;
    devices.Insert(context.device, context.device, pid, DeviceUuid(context.device), 108);
    null_streams.Insert(null_stream, 0, 1, pid, context.device, context.id);
    contexts.Insert(null_stream, 0, 1, pid, context.device, context.id);
  }

  Table streams(file_, schema, "TARGET_INFO_CUDA_STREAM",
                {"streamId", "processId", "contextId", "priority", "flag"});
  streams.Constant("hwId", 0).Constant("vmId", 1);
  for (const Stream& stream : program_.streams) {
    const Context& context = program_.contexts[stream.context];
    // A negative priority shows as its unsigned 32-bit image.
    streams.Insert(stream.id, program_.processes[context.process].pid, context.id,
                   static_cast<int64_t>(static_cast<uint32_t>(stream.priority)),
                   stream.is_default ? 3
                   : stream.blocking ? 1
                                     : 2);
  }
}

void NsysWriter::WriteProfilerFacts(const RunSummary& summary) {
  const SchemaVersion& schema = *options_.schema;
  Table overhead(file_, schema, "PROFILER_OVERHEAD",
                 {"start", "end", "globalTid", "nameId", "returnValue", "overheadType"});
  const int64_t tid = GlobalTid(0);
  overhead.Insert(1'200'000, 3'900'000, tid, StringId("CUDA profiling initialization"), 0, 1);
  overhead.Insert(summary.end_ns + 150'000, summary.end_ns + 1'650'000, tid,
                  StringId("CUDA profiling data flush overhead"), 0, 3);
  Table diagnostics(file_, schema, "DIAGNOSTIC_EVENT",
                    {"timestamp", "timestampType", "source", "severity", "text", "globalPid"});
  diagnostics.Insert(0, 1, 2, 1, "Profiling has started.", std::nullopt);
  diagnostics.Insert(1'100'000, 1, 1, 1, "Common injection library initialized successfully.",
                     GlobalPid(0));
  diagnostics.Insert(summary.end_ns + 2'000'000, 1, 2, 1, "Profiling has stopped.", std::nullopt);
}

void NsysWriter::WriteSystem(const RunSummary& summary) {
  const SchemaVersion& schema = *options_.schema;
  const int64_t duration = summary.end_ns + 2'500'000;
  Table start(file_, schema, "TARGET_INFO_SESSION_START_TIME",
              {"utcEpochNs", "utcTime", "localTime", "systemClockNs"});
  start.Insert(options_.session_start_utc_ns, "2026-01-01T08:00:00", "2026-01-01T09:00:00",
               kSessionStartCounterNs);
  Table details(file_, schema, "ANALYSIS_DETAILS",
                {"globalVid", "duration", "startTime", "stopTime"});
  details.Insert(kGlobalVm, duration, kSessionStartCounterNs, kSessionStartCounterNs + duration);
  Table env(file_, schema, "TARGET_INFO_SYSTEM_ENV",
            {"globalVid", "devStateName", "name", "nameEnum", "value"});
  struct Property {
    const char* name;
    int32_t number;
    const char* value;
  };
  const Property properties[] = {{"CpuCores", 1, "16"},
                                 {"CpuSpeedMhz", 2, "3200"},
                                 {"CpuArchitecture", 3, "x86_64"},
                                 {"CpuDescription", 13, "Sample CPU @ 3.20GHz"},
                                 {"NvDriverVersion", 205, "580.95.05"},
                                 {"HardwarePlatform", 600, "x86_64"},
                                 {"OsDescription", 605, "Debian GNU/Linux 12 (bookworm)"},
                                 {"DeviceEnvironment", 610, "SAMPLE_TOKEN=not-for-readers"},
                                 {"CudaDriverVersion", 611, "13000"},
                                 {"Hostname", 619, options_.host_name.c_str()},
                                 {"HasNvtxEvents", 809, "1"},
                                 {"HasCudaEvents", 812, "1"},
                                 {"GpuInfo", 897, "{}"}};
  for (const Property& property : properties) {
    env.Insert(kGlobalVm, "Local (CLI)", property.name, property.number, property.value);
  }
}

}  // namespace xsp::samples
