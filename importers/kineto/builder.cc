#include "importers/kineto/builder.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

#include "importers/kineto/loose.h"
#include "importers/nsys/ids.h"

namespace xsp {
namespace {

// Calls f(part, kind, table) for all parts of a piece.
template <class F>
void ForEachPart(KinetoRows& rows, F f) {
  f(rows.kernels, EventKind::kKernel, "kernel");
  f(rows.copies, EventKind::kMemcpy, "gpu_memcpy");
  f(rows.memsets, EventKind::kMemset, "gpu_memset");
  f(rows.calls, EventKind::kApi, "cuda_runtime");
  f(rows.syncs, EventKind::kSync, "cuda_sync");
  f(rows.records, EventKind::kEventRecord, "cuda_sync records");
  f(rows.ranges, EventKind::kNvtxPushPop, "cpu_op");
  f(rows.marks, EventKind::kNvtxMark, "cpu_instant_event");
  f(rows.memory, EventKind::kMemory, "[memory]");
  f(rows.overheads, EventKind::kOverhead, "overhead");
}

// A record that several waits name is one record.
void DropRepeatedRecords(KinetoRows& rows, std::set<std::uint32_t>& seen) {
  const std::vector<std::uint32_t>& ids = rows.records.events.correlation;
  std::vector<std::uint32_t> first;
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    if (seen.insert(ids[i]).second) first.push_back(i);
  }
  if (first.size() == ids.size()) return;
  PermuteRows(rows.records.events, first);
  PermuteRows(rows.records.details, first);
}

void Rename(TrackId& id, const std::vector<TrackId>& tracks) {
  if (id.valid()) id = tracks[id.value];
}

template <class Table>
void RenameTracks(Table& table, const std::vector<TrackId>& tracks) {
  ForEachColumn<Table>([&](const Column&, auto member) {
    auto& values = table.*member;
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(values)>::value_type,
                                 TrackId>) {
      for (TrackId& id : values) Rename(id, tracks);
    }
  });
}

}  // namespace

KinetoBuilder::KinetoBuilder(KinetoFile& file, const KinetoFacts& facts, TraceBuilder& builder)
    : file_(file), facts_(facts), builder_(builder) {}

void KinetoBuilder::Build() {
  LinkLooseRows(file_.pieces);
  FindOwner();
  FindOrigin();
  AddGpus();
  for (KinetoRows& rows : file_.pieces) {
    std::vector<TrackId>& ids = tracks_.emplace_back();
    for (const KinetoTrack& track : rows.tracks) ids.push_back(Resolve(track));
  }
  AddContexts();
  SetNames();
  LinkForwardThreads();
  std::set<std::uint32_t> records;
  std::uint32_t first_row = 0;
  for (std::size_t i = 0; i < file_.pieces.size(); ++i) {
    KinetoRows& rows = file_.pieces[i];
    DropRepeatedRecords(rows, records);
    const std::size_t found = rows.records.events.begin.size();
    if (found > 0) rows.log.AddKept("cuda_sync records", found);
    for (std::uint32_t& row : rows.ranges.details.source_row) row += first_row;
    for (std::uint32_t& row : rows.marks.details.source_row) row += first_row;
    for (EventId& event : rows.operators.event) event.value += first_row;
    for (EventId& event : rows.collectives.event) event.value += first_row;
    first_row += rows.events;
    AddPiece(rows, i);
    for (KinetoRows::KernelModule& named : rows.kernel_modules) {
      named.begin -= origin_;
      kernel_modules_.push_back(std::move(named));
    }
    rows = KinetoRows();
  }
}

// The process with most CUDA calls; without any, the one with most ranges.
void KinetoBuilder::FindOwner() {
  std::map<std::int64_t, std::pair<std::uint64_t, std::uint64_t>> uses;
  for (const KinetoRows& rows : file_.pieces) {
    auto count = [&](const Events& events, bool are_calls) {
      for (TrackId track : events.track) {
        auto& [calls, ranges] = uses[rows.tracks[track.value].process];
        ++(are_calls ? calls : ranges);
      }
    };
    count(rows.calls.events, true);
    count(rows.ranges.events, false);
  }
  std::pair<std::uint64_t, std::uint64_t> most = {0, 0};
  for (const auto& [process, counts] : uses) {
    if (process < 0 || counts <= most) continue;
    most = counts;
    owner_ = process;
  }
}

// The trace's time begins with its first event.
void KinetoBuilder::FindOrigin() {
  std::optional<TimeNs> first;
  for (KinetoRows& rows : file_.pieces) {
    ForEachPart(rows, [&](const auto& part, EventKind kind, const char*) {
      if (kind == EventKind::kEventRecord) return;
      for (TimeNs begin : part.events.begin) first = std::min(first.value_or(begin), begin);
    });
  }
  origin_ = first.value_or(0);
  // A time since 1970, or since the file's own base; what lies before 1973 is neither.
  constexpr std::int64_t kPlausible = 100'000'000'000'000'000;
  const std::int64_t base = facts_.base_ns.value_or(0);
  const bool fits =
      origin_ >= 0 && base >= 0 && base <= std::numeric_limits<std::int64_t>::max() - origin_;
  if (first && fits && base + origin_ >= kPlausible) builder_.info().utc_start_ns = base + origin_;
}

ProcessId KinetoBuilder::Process(std::int64_t number) {
  if (number < 0) number = owner_;
  return builder_.InternProcess(MakeProcessKey(0, 0, static_cast<std::uint64_t>(number)),
                                static_cast<std::uint32_t>(number));
}

TrackId KinetoBuilder::Resolve(const KinetoTrack& track) {
  auto [it, is_new] = track_ids_.try_emplace(track);
  if (!is_new) return it->second;
  auto number = [](std::int64_t value) {
    return value < 0 ? kMissing<std::uint32_t> : static_cast<std::uint32_t>(value);
  };
  Track key;
  key.kind = track.kind;
  key.process = Process(track.process);
  key.thread = number(track.thread);
  key.device = number(track.device);
  key.context = number(track.context);
  key.stream = number(track.stream);
  it->second = builder_.InternTrack(key);
  for (std::uint32_t i = 0; i < facts_.gpus.size(); ++i) {
    const bool is_same = track.device >= 0 && facts_.gpus[i].gpu.source_id == key.device;
    if (is_same) builder_.track(it->second).gpu = GpuId(i);
  }
  return it->second;
}

void KinetoBuilder::AddGpus() {
  for (const KinetoGpu& found : facts_.gpus) {
    Gpu gpu = found.gpu;
    if (!found.name.empty()) gpu.name = builder_.Intern(found.name);
    builder_.AddGpu(gpu);
  }
}

// CUPTI numbers the legacy default stream 7, ROCm 0. PyTorch makes all its other streams with
// cudaStreamNonBlocking.
void KinetoBuilder::AddContexts() {
  constexpr std::int64_t kCudaNullStream = 7;
  constexpr std::int64_t kHipNullStream = 0;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> null_streams;
  for (const auto& [track, id] : track_ids_) {
    if (track.kind != TrackKind::kStream) continue;
    std::int64_t& null_stream =
        null_streams.try_emplace({track.device, track.context}, -1).first->second;
    const bool is_null = track.stream == kCudaNullStream || track.stream == kHipNullStream;
    if (is_null) null_stream = std::max(null_stream, track.stream);
  }
  for (const auto& [key, null_stream] : null_streams) {
    Context context;
    context.process = Process(-1);
    context.id = static_cast<std::uint32_t>(key.second);
    context.device = static_cast<std::uint32_t>(key.first);
    if (null_stream >= 0) context.null_stream = static_cast<std::uint32_t>(null_stream);
    builder_.AddContext(context);
  }
  for (const auto& [track, id] : track_ids_) {
    if (track.kind != TrackKind::kStream) continue;
    const bool is_null = track.stream == null_streams[{track.device, track.context}];
    builder_.track(id).flag = is_null ? StreamFlag::kNull : StreamFlag::kNonBlocking;
  }
}

void KinetoBuilder::SetNames() {
  for (const KinetoRows& rows : file_.pieces) {
    for (const KinetoRows::Name& name : rows.names) {
      if (name.track.kind == TrackKind::kProcess) {
        const bool is_used = std::any_of(track_ids_.begin(), track_ids_.end(), [&](const auto& t) {
          return t.first.process == name.track.process;
        });
        if (is_used) builder_.process(Process(name.track.process)).name = name.name;
      } else if (const auto it = track_ids_.find(name.track); it != track_ids_.end()) {
        builder_.track(it->second).name = name.name;
      }
    }
  }
  if (facts_.rank) builder_.process(Process(-1)).rank = *facts_.rank;
}

// The framework numbers threads in its own way; arrows from forward to backward operators say which
// thread a number means.
void KinetoBuilder::LinkForwardThreads() {
  std::unordered_map<std::int64_t, TrackId> forward_of_flow;
  std::map<std::pair<TrackId, TimeNs>, TrackId> forward_of_backward;
  for (std::size_t i = 0; i < file_.pieces.size(); ++i) {
    for (const KinetoRows::FlowEnd& end : file_.pieces[i].forward_ends) {
      forward_of_flow[end.id] = tracks_[i][end.track];
    }
  }
  if (forward_of_flow.empty()) return;
  for (std::size_t i = 0; i < file_.pieces.size(); ++i) {
    for (const KinetoRows::FlowEnd& end : file_.pieces[i].backward_ends) {
      const auto it = forward_of_flow.find(end.id);
      if (it == forward_of_flow.end()) continue;
      forward_of_backward[{tracks_[i][end.track], end.time}] = it->second;
    }
  }
  std::map<std::int64_t, TrackId> track_of_number;
  auto for_each = [&](auto f) {
    for (std::size_t i = 0; i < file_.pieces.size(); ++i) {
      KinetoRows& rows = file_.pieces[i];
      std::size_t range = 0;
      for (const auto& [row, number] : rows.forward_threads) {
        // Ranges and operators stand in the order of the file.
        const std::vector<std::uint32_t>& source_rows = rows.ranges.details.source_row;
        while (source_rows[range] < rows.operators.event[row].value) ++range;
        const TrackId track = tracks_[i][rows.ranges.events.track[range].value];
        f(rows.operators.forward_thread[row], number,
          std::pair(track, rows.ranges.events.begin[range]));
      }
    }
  };
  for_each([&](TrackId&, std::int64_t number, const std::pair<TrackId, TimeNs>& place) {
    const auto it = forward_of_backward.find(place);
    if (it != forward_of_backward.end()) track_of_number.try_emplace(number, it->second);
  });
  for_each([&](TrackId& forward, std::int64_t number, const auto&) {
    const auto it = track_of_number.find(number);
    if (it != track_of_number.end()) forward = it->second;
  });
}

void KinetoBuilder::AddPiece(KinetoRows& rows, std::uint64_t order) {
  const std::vector<TrackId>& tracks = tracks_[order];
  auto name_domains = [&](KinetoRows::Part<Nvtx>& part) {
    for (std::size_t i = 0; i < part.details.domain.size(); ++i) {
      DomainId& domain = part.details.domain[i];
      const std::uint32_t number = domain.value;
      domain = builder_.InternDomain(builder_.track(part.events.track[i]).process, number);
      const std::string_view name = kKinetoDomainNames[number];
      if (!name.empty() && !builder_.domain(domain).name.valid()) {
        builder_.domain(domain).name = builder_.Intern(name);
      }
    }
  };
  ForEachPart(rows, [&](auto& part, EventKind kind, const char* table) {
    RenameTracks(part.events, tracks);
    RenameTracks(part.details, tracks);
    for (TimeNs& time : part.events.begin) time -= origin_;
    for (TimeNs& time : part.events.end) time -= origin_;
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(part.details)>, Nvtx>) {
      name_domains(part);
    }
    builder_.Add(kind, order, table, std::move(part.events), std::move(part.details));
  });
  builder_.AddOperators(rows.operators);
  builder_.AddCollectives(rows.collectives);
  builder_.AddLog(rows.log);
}

}  // namespace xsp
