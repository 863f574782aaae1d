#include "live/decode/places.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "base/utf8.h"

namespace xsp::live {
namespace {

// 5a3c1e00-7d21-4b0e-9f10-000000000001; empty if the record has none.
std::string UuidText(const std::uint8_t (&uuid)[16]) {
  if (std::all_of(std::begin(uuid), std::end(uuid), [](std::uint8_t b) { return b == 0; })) {
    return {};
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[uuid[i] >> 4];
    text += kDigits[uuid[i] & 15];
  }
  return text;
}

class PlaceDescriber {
 public:
  PlaceDescriber(const std::vector<std::pair<ProcessId, const SpoolFacts*>>& processes,
                 TraceBuilder& builder)
      : builder_(builder) {
    for (const auto& [process, facts] : processes) facts_[process] = facts;
  }

  void Run() {
    for (const auto& [process, facts] : facts_) {
      for (const auto& [id, device] : facts->devices) AddGpu(process, device);
      for (const auto& [id, context] : facts->contexts) AddContext(process, context);
      for (const auto& [key, name] : facts->categories) {
        const DomainId domain = builder_.InternDomain(process, key.first);
        if (auto it = facts->domains.find(key.first); it != facts->domains.end()) {
          builder_.domain(domain).name = Intern(it->second);
        }
        builder_.AddCategory({domain, key.second, Intern(name)});
      }
    }
    for (std::size_t i = 0; i < builder_.track_count(); ++i) Describe(builder_.track(TrackId(i)));
  }

 private:
  StringId Intern(const std::string& text) {
    return text.empty() ? StringId() : builder_.Intern(ToUtf8(text));
  }

  void AddGpu(ProcessId process, const SpoolFacts::DeviceFacts& device) {
    const CuptiDeviceRecord& record = device.record;
    const std::string uuid = UuidText(record.uuid);
    // Without a UUID the number is all there is to tell GPUs apart.
    const std::string key = uuid.empty() ? "number " + std::to_string(record.id) : uuid;
    const auto [it, is_new] = gpus_.try_emplace(key, GpuId(gpus_.size()));
    gpu_of_device_[{process, record.id}] = it->second;
    if (!is_new) return;
    constexpr std::uint64_t kKilo = 1000;
    Gpu gpu;
    gpu.source_id = it->second.value;
    gpu.cuda_ordinal = record.id;
    gpu.name = Intern(device.name);
    gpu.uuid = Intern(uuid);
    gpu.sm_count = record.multiprocessors;
    gpu.memory_bytes = record.memory_bytes;
    gpu.memory_bandwidth = record.memory_bandwidth * kKilo;
    gpu.l2_bytes = record.l2_bytes;
    gpu.clock_hz = record.core_clock * kKilo;
    gpu.compute_major = record.compute_major;
    gpu.compute_minor = record.compute_minor;
    gpu.threads_per_warp = record.threads_per_warp;
    gpu.max_warps_per_sm = record.max_warps_per_sm;
    gpu.max_blocks_per_sm = record.max_blocks_per_sm;
    gpu.max_threads_per_block = record.max_threads_per_block;
    gpu.max_registers_per_block = record.max_registers_per_block;
    gpu.max_registers_per_sm = record.max_registers_per_sm;
    gpu.max_shared_per_block = record.max_shared_per_block;
    gpu.max_shared_per_sm = record.max_shared_per_sm;
    gpu.async_engines = record.copy_engines;
    builder_.AddGpu(gpu);
  }

  void AddContext(ProcessId process, const CuptiContextRecord& record) {
    Context context;
    context.process = process;
    context.id = record.context;
    context.device = record.device;
    context.null_stream = record.null_stream;
    context.is_green = record.is_green != 0 ? 1 : 0;
    if (record.is_green != 0) context.parent = record.parent;
    builder_.AddContext(context);
  }

  void Describe(Track& track) {
    auto it = facts_.find(track.process);
    if (it == facts_.end()) return;
    const SpoolFacts& facts = *it->second;
    if (track.kind == TrackKind::kThread) DescribeThread(facts, track);
    if (track.kind == TrackKind::kStream) DescribeStream(facts, track);
    auto gpu = gpu_of_device_.find({track.process, track.device});
    if (gpu != gpu_of_device_.end()) track.gpu = gpu->second;
  }

  // A name that the program gave through NVTX goes before that of the system.
  void DescribeThread(const SpoolFacts& facts, Track& track) {
    if (auto it = facts.threads.find(track.thread); it != facts.threads.end()) {
      track.name = Intern(it->second.name);
      track.priority = it->second.priority;
    }
    if (auto it = facts.nvtx_threads.find(track.thread); it != facts.nvtx_threads.end()) {
      track.name = Intern(it->second);
    }
  }

  static void DescribeStream(const SpoolFacts& facts, Track& track) {
    if (auto it = facts.streams.find({track.context, track.stream}); it != facts.streams.end()) {
      track.priority = static_cast<std::int32_t>(it->second.priority);
      const std::uint32_t flag = it->second.flag;
      if (flag <= static_cast<std::uint32_t>(StreamFlag::kNull)) {
        track.flag = static_cast<StreamFlag>(flag);
      }
    }
    auto context = facts.contexts.find(track.context);
    if (context != facts.contexts.end() && context->second.null_stream == track.stream) {
      track.flag = StreamFlag::kNull;
    }
  }

  TraceBuilder& builder_;
  std::map<ProcessId, const SpoolFacts*> facts_;
  std::map<std::string, GpuId> gpus_;
  std::map<std::pair<ProcessId, std::uint32_t>, GpuId> gpu_of_device_;
};

}  // namespace

void DescribePlaces(const std::vector<std::pair<ProcessId, const SpoolFacts*>>& processes,
                    TraceBuilder& builder) {
  PlaceDescriber(processes, builder).Run();
}

}  // namespace xsp::live
