#include "importers/nsys/context.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "base/hash.h"
#include "importers/nsys/ids.h"

namespace xsp {

NsysContext::NsysContext(NsysShared& shared)
    : shared_(shared),
      db_(shared.access),
      strings_(db_, shared.string_index, shared.builder, shared.access.salvage) {}

std::size_t NsysContext::DeviceKeyHash::operator()(const DeviceKey& key) const noexcept {
  const auto& [kind, process, device, context, stream] = key;
  std::uint64_t hash = process ^ static_cast<std::uint64_t>(kind);
  for (std::uint64_t part : {device, context, stream}) hash = HashWith(hash, part);
  return static_cast<std::size_t>(hash);
}

ProcessId NsysContext::Process(std::uint64_t process_key) {
  auto [it, added] = processes_.try_emplace(process_key);
  if (added) it->second = builder().InternProcess(process_key, PidOf(process_key));
  return it->second;
}

std::uint64_t NsysContext::ProcessKeyOf(const NsysRow& row, int column) const {
  const auto global = row.Get<std::uint64_t>(column);
  if (global != kMissing<std::uint64_t>) return ProcessKey(global);
  row.Note(ImportReason::kNoProcess, "no process");
  return 0;
}

TrackId NsysContext::Thread(const NsysRow& row, int column) {
  const auto global = row.Get<std::uint64_t>(column);
  if (last_thread_.second.valid() && last_thread_.first == global) return last_thread_.second;
  if (global == kMissing<std::uint64_t>) {
    row.Note(ImportReason::kNoProcess, "no thread");
    return WholeProcess(0);
  }
  last_thread_ = {global, ThreadTrack(global)};
  return last_thread_.second;
}

TrackId NsysContext::ThreadTrack(std::uint64_t global_tid) {
  auto [it, added] = threads_.try_emplace(global_tid);
  if (added) {
    Track key;
    key.kind = TrackKind::kThread;
    key.process = Process(ProcessKey(global_tid));
    key.thread = TidOf(global_tid);
    it->second = builder().InternTrack(key);
  }
  return it->second;
}

TrackId NsysContext::WholeProcess(std::uint64_t process_key) {
  return OnDevice(TrackKind::kProcess, process_key, kMissing<std::uint32_t>);
}

TrackId NsysContext::OnDevice(TrackKind kind, std::uint64_t process_key, std::uint32_t device,
                              std::uint32_t context, std::uint32_t stream) {
  const DeviceKey wanted(kind, process_key, device, context, stream);
  if (last_device_.second.valid() && last_device_.first == wanted) return last_device_.second;
  auto [it, added] = device_tracks_.try_emplace(wanted);
  if (added) {
    Track key;
    key.kind = kind;
    key.process = Process(process_key);
    key.device = device;
    key.context = context;
    key.stream = stream;
    it->second = builder().InternTrack(key);
  }
  last_device_ = *it;
  return it->second;
}

TrackId NsysContext::Metrics(std::uint32_t gpu) {
  Track key;
  key.kind = TrackKind::kMetrics;
  key.device = gpu;
  return builder().InternTrack(key);
}

std::uint32_t NsysContext::DeviceOfContext(std::uint64_t process_key, std::uint32_t context,
                                           std::uint32_t fallback) {
  const ContextKey wanted(process_key, context);
  auto [it, added] = device_of_context_.try_emplace(wanted, fallback);
  if (!added) return it->second;
  const auto& contexts = shared_.entities.contexts;
  if (auto row = contexts.find(wanted); row != contexts.end()) {
    it->second = row->second.device;
  } else {  // No row for this context: its work says where it ran.
    it->second = FindDeviceInWork(wanted).value_or(fallback);
  }
  return it->second;
}

bool NsysContext::OpenNextWork() {
  constexpr std::string_view kWork[] = {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY"};
  constexpr std::string_view kColumns[] = {"globalPid", "contextId", "deviceId"};
  while (next_work_ < std::size(kWork)) {
    const NsysTable* table = shared_.catalog.Find(kWork[next_work_++]);
    if (table == nullptr) continue;
    if (!std::all_of(std::begin(kColumns), std::end(kColumns),
                     [&](std::string_view column) { return table->Has(column); })) {
      continue;
    }
    work_.emplace(db_, *table, kColumns);
    return true;
  }
  return false;
}

std::optional<std::uint32_t> NsysContext::FindDeviceInWork(const ContextKey& wanted) {
  if (auto it = device_in_work_.find(wanted); it != device_in_work_.end()) return it->second;
  while (work_ || OpenNextWork()) {
    try {
      while (work_->Next()) {
        const SqliteStatement& row = work_->row();
        if (row.IsNull(1) || row.IsNull(2)) continue;
        const ContextKey key(static_cast<std::uint64_t>(row.Int(1)),
                             static_cast<std::uint32_t>(row.Int(2)));
        const auto device = static_cast<std::uint32_t>(row.Int(3));
        // The first row of a context counts.
        if (device_in_work_.try_emplace(key, device).second && key == wanted) return device;
      }
    } catch (const SqliteError&) {
      // Damage in that table is found and told when it is read itself.
    }
    work_.reset();
  }
  return std::nullopt;
}

DomainId NsysContext::Domain(std::uint64_t process_key, std::uint64_t number) {
  const std::pair wanted(process_key, number);
  if (last_domain_.second.valid() && last_domain_.first == wanted) return last_domain_.second;
  auto [it, added] = domains_.try_emplace(wanted);
  if (added) it->second = builder().InternDomain(Process(process_key), number);
  last_domain_ = *it;
  return it->second;
}

}  // namespace xsp
