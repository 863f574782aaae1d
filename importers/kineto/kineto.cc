#include "importers/kineto/kineto.h"

#include <algorithm>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "importers/byte_source.h"
#include "importers/kineto/builder.h"
#include "importers/kineto/reader.h"
#include "model/building/kernel_operators.h"

namespace xsp {
namespace {

namespace fs = std::filesystem;

// Whether the first bytes name what the profiler writes.
bool NamesKinetoKeys(std::string_view bytes) {
  for (std::string_view key : {"\"schemaVersion\"", "\"traceEvents\"", "\"deviceProperties\"",
                               "\"displayTimeUnit\"", "\"ph\""}) {
    if (bytes.find(key) != std::string_view::npos) return true;
  }
  return false;
}

// Whether the outermost object, of which `bytes` were read, has a list of events. Files may begin
// with whatever a program gave the profiler as metadata, of any size: none of it is kept.
bool HasEvents(ByteSource& source, std::string bytes) {
  KinetoTopLevel top;
  for (std::size_t got = bytes.size(); got > 0 && !top.has_ended();) {
    top.Feed(std::string_view(bytes).substr(0, got));
    if (top.at_events()) return true;
    bytes.resize(std::size_t{1} << 16);
    got = source.Read(bytes.data(), bytes.size());
  }
  return false;
}

// What of the file is in the trace, and what is not.
struct Contents {
  std::uint64_t events = 0;
  bool has_shapes = false;
  bool has_syncs = false;
  bool has_waits = false;  // Calls that wait.
  bool has_memory = false;
  bool has_python = false;
  bool has_device_work = false;
  std::map<std::string, std::uint64_t> unused;
  std::optional<DurationNs> session;
};

Contents Survey(const KinetoFile& file, const TraceBuilder& builder) {
  Contents found;
  for (const KinetoRows& rows : file.pieces) {
    found.events += rows.events;
    for (SignatureId signature : rows.operators.signature) found.has_shapes |= signature.valid();
    for (DomainId domain : rows.ranges.details.domain) {
      found.has_python |= domain.value == static_cast<std::uint32_t>(KinetoDomain::kPython);
    }
    found.has_syncs |= !rows.syncs.events.begin.empty();
    found.has_memory |= !rows.memory.events.begin.empty();
    found.has_device_work |= !rows.kernels.events.begin.empty() ||
                             !rows.copies.events.begin.empty() ||
                             !rows.memsets.events.begin.empty();
    for (StringId name : rows.calls.events.name) {
      found.has_waits |= builder.text(name).find("Synchronize") != std::string_view::npos;
    }
    for (const auto& [table, count] : rows.unused) found.unused[table] += count;
    if (rows.session > found.session) found.session = rows.session;
  }
  return found;
}

void FillInfo(const fs::path& file, const KinetoFile& read, const KinetoFacts& facts,
              const Contents& contents, TraceInfo& info) {
  std::error_code error;
  info.format = kKinetoFormat;
  info.source_name = ToUtf8(file.filename().string());
  info.source_bytes = fs::file_size(file, error);
  info.schema_version = facts.schema_version;
  info.cuda_version = facts.cuda_version;
  info.session_ns = contents.session;
  // Kineto itself leaves out calls that it deems uninteresting: cudaGetDevice, cudaEventCreate, ...
  info.api_calls_incomplete = contents.has_device_work;
  info.partial = !read.damage.empty();
  info.partial_reason = read.damage;
  for (const auto& [table, count] : contents.unused) info.unused_tables.push_back(table);
  auto missing = [&](bool is_missing, const char* what, const char* flag) {
    if (is_missing) info.missing.push_back({what, flag});
  };
  missing(!contents.has_device_work, "GPU work",
          "torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])");
  missing(!contents.has_shapes, "shapes and types of operators' inputs",
          "torch.profiler.profile(record_shapes=True)");
  missing(!contents.has_python, "Python functions and modules",
          "torch.profiler.profile(with_stack=True)");
  missing(contents.has_waits && !contents.has_syncs, "what CUDA synchronisation waits for",
          "torch.profiler.profile(experimental_config="
          "_ExperimentalConfig(enable_cuda_sync_events=True))");
  missing(!contents.has_memory, "memory allocations",
          "torch.profiler.profile(profile_memory=True)");
  missing(contents.has_device_work, "what the host does between operators and CUDA calls",
          "nsys profile --trace=cuda,nvtx,osrt");
}

// No model is nested so deeply; a file that claims it would make paths that grow with its square.
constexpr std::size_t kLongestPath = 4096;

struct OpenModule {
  TimeNs end = 0;
  StringId path;
};

// Gives operators the path of the innermost module that is open around them on their thread,
// "Net_0/Sequential_1/Linear_3", and modules their own. Operators that name a module themselves
// keep it.
Trace FillModules(Trace trace) {
  const Operators& found = trace.operators();
  const bool has_modules =
      std::find(found.role.begin(), found.role.end(), OperatorRole::kModule) != found.role.end();
  if (!has_modules) return trace;
  TraceTables t = std::move(trace).Release();
  Operators& operators = t.operators;
  // In order of time; of those that begin together, the one around the other first.
  std::vector<std::uint32_t> order(operators.event.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  auto end_of = [&](std::uint32_t row) { return t.events.end[operators.event[row].value]; };
  auto begin_of = [&](std::uint32_t row) { return t.events.begin[operators.event[row].value]; };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(begin_of(a), -end_of(a)) < std::pair(begin_of(b), -end_of(b));
  });
  std::vector<std::vector<OpenModule>> open(t.tracks.size());
  for (std::uint32_t row : order) {
    auto& modules = open[t.events.track[operators.event[row].value].value];
    while (!modules.empty() && modules.back().end <= begin_of(row)) modules.pop_back();
    const auto holder = std::find_if(modules.rbegin(), modules.rend(),
                                     [&](const OpenModule& m) { return m.end >= end_of(row); });
    const StringId around = holder == modules.rend() ? StringId() : holder->path;
    if (operators.role[row] != OperatorRole::kModule) {
      if (!operators.module[row].valid()) operators.module[row] = around;
      continue;
    }
    if (operators.module[row].valid()) {
      modules.push_back({end_of(row), operators.module[row]});
      continue;
    }
    std::string path(t.strings.Get(around));
    if (!path.empty()) path += '/';
    path += t.strings[operators.name[row]];
    operators.module[row] = path.size() > kLongestPath ? around : t.strings.Intern(path);
    modules.push_back({end_of(row), operators.module[row]});
  }
  return Trace(std::move(t));
}

// Kernels of graphs that name their module: the trace has other numbers for them than the file.
Trace NameKernels(Trace trace, const std::vector<KinetoRows::KernelModule>& modules) {
  if (modules.empty()) return trace;
  std::map<std::pair<TimeNs, std::uint32_t>, const std::string*> by_place;
  for (const KinetoRows::KernelModule& named : modules) {
    by_place.emplace(std::pair(named.begin, named.correlation), &named.module);
  }
  std::vector<KernelOperator> named;
  for (EventId kernel : trace.OfKind(EventKind::kKernel)) {
    const auto it = by_place.find({trace.begin(kernel), trace.events().correlation[kernel.value]});
    if (it != by_place.end()) named.push_back({.kernel = kernel, .module = *it->second});
  }
  return WithKernelOperators(std::move(trace), named);
}

}  // namespace

bool IsKineto(const FileHead& head) {
  ByteSource source(head.file);
  std::string bytes(FileHead::kBytes, '\0');
  bytes.resize(source.Read(bytes.data(), bytes.size()));
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start == std::string::npos) return false;
  const bool is_object = bytes[start] == '{';
  if (!is_object && bytes[start] != '[') return false;
  return NamesKinetoKeys(bytes) || (is_object && HasEvents(source, std::move(bytes)));
}

Trace ImportKineto(const fs::path& file, const ImportOptions& options) {
  TraceBuilder builder;
  builder.ExpectNoOrder();
  KinetoShared shared{builder};
  KinetoFile read = ReadKinetoFile(file, shared, options);
  const Contents contents = Survey(read, builder);
  if (contents.events == 0) {
    throw Error(file.string() + ": holds no events" +
                    (read.damage.empty() ? "" : " that are whole: " + read.damage),
                "record again with torch.profiler");
  }
  const KinetoFacts facts = ReadKinetoFacts(read.top);
  FillInfo(file, read, facts, contents, builder.info());
  KinetoBuilder kineto(read, facts, builder);
  kineto.Build();
  builder.SetOperands(std::move(shared.signatures).Take());
  return NameKernels(FillModules(std::move(builder).Build()), kineto.TakeKernelModules());
}

}  // namespace xsp
