#include "importers/nsys/tables/tracks.h"

#include <map>
#include <set>

#include "base/utf8.h"
#include "importers/nsys/ids.h"

namespace xsp {
namespace {

class TrackDescriber {
 public:
  explicit TrackDescriber(NsysContext& context)
      : context_(context), builder_(context.builder()), entities_(context.shared().entities) {}

  void Run() {
    AddGpus();
    CountUsersOfDevices();
    AddSilentThreads();
    for (std::size_t i = 0; i < builder_.track_count(); ++i) Describe(builder_.track(TrackId(i)));
    AddContexts();
  }

 private:
  StringId Intern(const std::optional<std::string>& text) {
    return text && !text->empty() ? builder_.Intern(ToUtf8(*text)) : StringId();
  }

  void AddGpus() {
    for (const NsysEntities::GpuRow& row : entities_.gpus) {
      Gpu gpu = row.gpu;
      gpu.name = Intern(row.name);
      gpu.bus = Intern(row.bus);
      gpu.uuid = Intern(row.uuid);
      gpu.chip = Intern(row.chip);
      builder_.AddGpu(gpu);
      cuda_gpus_ += RunsCuda(gpu) ? 1 : 0;
    }
  }

  void CountUsersOfDevices() {
    for (std::size_t i = 0; i < builder_.track_count(); ++i) {
      const Track& track = builder_.track(TrackId(i));
      if (track.kind != TrackKind::kMetrics && track.device != kMissing<std::uint32_t>) {
        users_of_device_[track.device].insert(track.process);
      }
    }
  }

  // Threads of which nothing was recorded but a name of their own, in processes that use a GPU:
  // that they are there tells that somebody may be waited for. One of each name.
  void AddSilentThreads() {
    constexpr std::size_t kMostNames = 64;
    std::map<std::uint64_t, std::set<std::int64_t>> known;  // Names by process.
    for (std::size_t i = 0; i < builder_.track_count(); ++i) {
      const Track& track = builder_.track(TrackId(i));
      if (track.kind != TrackKind::kStream) continue;
      const Process& process = builder_.process(track.process);
      if (const auto main = entities_.threads.find(process.global_id | process.pid);
          main != entities_.threads.end()) {
        known[process.global_id].insert(main->second.name);
      }
    }
    for (const auto& [global_tid, row] : entities_.threads) {
      const auto of_process = known.find(ProcessKey(global_tid));
      if (of_process == known.end() || of_process->second.size() > kMostNames) continue;
      if (of_process->second.insert(row.name).second) context_.ThreadTrack(global_tid);
    }
  }

  void Describe(Track& track) {
    if (track.kind == TrackKind::kMetrics) {
      track.gpu = GpuWith(&Gpu::source_id, track.device);
      return;
    }
    Process& process = builder_.process(track.process);
    NameProcess(process);
    if (const auto rank = entities_.mpi_ranks.find(process.global_id);
        rank != entities_.mpi_ranks.end()) {
      process.rank = rank->second;
    }
    if (track.kind == TrackKind::kThread) DescribeThread(process, track);
    if (track.device != kMissing<std::uint32_t>) track.gpu = GpuOf(process, track.device);
    if (track.kind == TrackKind::kStream) DescribeStream(process, track);
  }

  // PROCESSES has the name; older exports only that of the main thread, which is the same thing.
  void NameProcess(Process& process) {
    if (process.name.valid()) return;
    if (auto it = entities_.process_names.find(process.global_id);
        it != entities_.process_names.end()) {
      process.name = Intern(it->second);
      return;
    }
    process.name = ThreadName(process.global_id | process.pid);
  }

  // NVTX names are set already and go first.
  void DescribeThread(const Process& process, Track& track) {
    const std::uint64_t global_tid = process.global_id | track.thread;
    if (!track.name.valid()) track.name = ThreadName(global_tid);
    if (auto it = entities_.threads.find(global_tid); it != entities_.threads.end()) {
      track.priority = it->second.priority;
    }
  }

  StringId ThreadName(std::uint64_t global_tid) {
    auto it = entities_.threads.find(global_tid);
    if (it == entities_.threads.end()) return {};
    return context_.strings().ById(it->second.name, log_, 0);
  }

  void DescribeStream(const Process& process, Track& track) {
    const std::tuple key(process.global_id, track.context, track.stream);
    if (auto it = entities_.streams.find(key); it != entities_.streams.end()) {
      track.priority = it->second.priority;
      track.flag = it->second.flag;
    }
    if (auto it = entities_.stream_names.find(key); it != entities_.stream_names.end()) {
      track.name = Intern(it->second);
    }
    auto it = entities_.contexts.find({process.global_id, track.context});
    if (it != entities_.contexts.end() && it->second.null_stream == track.stream) {
      track.flag = StreamFlag::kNull;
    }
  }

  // The ordinal that a process uses for a GPU is its own affair (CUDA_VISIBLE_DEVICES): the export
  // may say which GPU it is; else the system-wide ordinal is the best guess, but not where several
  // processes use the same number on a machine with several GPUs: these may well be different ones.
  GpuId GpuOf(const Process& process, std::uint32_t device) {
    auto it = entities_.gpu_of_device.find({process.pid, device});
    if (it != entities_.gpu_of_device.end()) return GpuWith(&Gpu::source_id, it->second);
    if (cuda_gpus_ > 1 && users_of_device_[device].size() > 1) return {};
    const GpuId by_ordinal = GpuWith(&Gpu::cuda_ordinal, device);
    return by_ordinal.valid() ? by_ordinal : GpuWith(&Gpu::source_id, device);
  }

  // Not every adapter that is listed runs CUDA (Windows lists them all). Exports of 2020 tell
  // nothing about any of them.
  static bool RunsCuda(const Gpu& gpu) { return gpu.sm_count != 0; }

  GpuId GpuWith(std::uint32_t Gpu::*field, std::uint32_t value) const {
    for (std::size_t i = 0; i < entities_.gpus.size(); ++i) {
      const Gpu& gpu = entities_.gpus[i].gpu;
      if (value != kMissing<std::uint32_t> && gpu.*field == value && RunsCuda(gpu)) return GpuId(i);
    }
    return {};
  }

  void AddContexts() {
    for (const auto& [key, row] : entities_.contexts) {
      const ProcessId process = context_.Process(key.first);
      NameProcess(builder_.process(process));
      Context context;
      context.process = process;
      context.id = key.second;
      context.device = row.device;
      context.null_stream = row.null_stream;
      context.parent = row.parent;
      context.is_green = row.is_green ? 1 : 0;
      builder_.AddContext(context);
    }
  }

  NsysContext& context_;
  TraceBuilder& builder_;
  const NsysEntities& entities_;
  std::map<std::uint32_t, std::set<ProcessId>> users_of_device_;
  int cuda_gpus_ = 0;
  ChunkLog log_;  // A thread without a name is no oddity of an event.
};

}  // namespace

void DescribeTracks(NsysContext& context) { TrackDescriber(context).Run(); }

}  // namespace xsp
