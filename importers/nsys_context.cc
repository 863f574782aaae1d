#include "importers/nsys_context.h"

#include <string>

#include "importers/nsys_ids.h"

namespace xsp {

NsysContext::NsysContext(NsysShared& shared)
    : shared_(shared),
      db_(shared.access),
      strings_(db_, shared.string_index, shared.builder, shared.access.salvage) {}

std::size_t NsysContext::DeviceKeyHash::operator()(const DeviceKey& key) const noexcept {
  const auto& [kind, process, device, context, stream] = key;
  std::uint64_t hash = process ^ static_cast<std::uint64_t>(kind);
  for (std::uint64_t part : {device, context, stream}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
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
  auto [it, added] = threads_.try_emplace(global);
  if (added) {
    Track key;
    key.kind = TrackKind::kThread;
    key.process = Process(ProcessKey(global));
    key.thread = TidOf(global);
    it->second = builder().InternTrack(key);
  }
  last_thread_ = *it;
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
  auto [it, added] = device_of_context_.try_emplace({process_key, context}, fallback);
  if (added) it->second = FindDeviceOfContext(process_key, context, fallback);
  return it->second;
}

std::uint32_t NsysContext::FindDeviceOfContext(std::uint64_t process_key, std::uint32_t context,
                                               std::uint32_t fallback) const {
  const auto& contexts = shared_.entities.contexts;
  if (auto it = contexts.find({process_key, context}); it != contexts.end()) {
    return it->second.device;
  }
  // No row for this context: its work says where it ran.
  for (std::string_view name : {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY"}) {
    const NsysTable* table = shared_.catalog.Find(name);
    if (table == nullptr || !table->Has("deviceId") || !table->Has("contextId") ||
        !table->Has("globalPid")) {
      continue;
    }
    try {
      SqliteStatement find = db_.Prepare("SELECT deviceId FROM " + Quoted(name) +
                                         " WHERE contextId = ?1 AND globalPid = ?2 LIMIT 1");
      find.Bind(1, context);
      find.Bind(2, static_cast<std::int64_t>(process_key));
      if (find.Step()) return static_cast<std::uint32_t>(find.Int(0));
    } catch (const SqliteError&) {
      // Damage in that table is found and told when it is read itself.
    }
  }
  return fallback;
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
