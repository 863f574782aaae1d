#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "importers/nsys/catalog.h"
#include "importers/nsys/chains.h"
#include "importers/nsys/row.h"
#include "importers/nsys/strings.h"
#include "importers/nsys/tables/entities.h"
#include "importers/nsys/tables/nvtx_rows.h"
#include "importers/operators/nvtx_payload.h"
#include "importers/sqlite/db.h"
#include "model/building/trace_builder.h"

namespace xsp {

// What the readers of one import share. Everything but `builder`, `chains` and `nvtx` is only read
// while they run; those three take care of themselves.
struct NsysShared {
  const SqliteAccess& access;
  const NsysCatalog& catalog;
  const NsysEntities& entities;
  const NsysStringIndex& string_index;
  const NvtxPayloads& payloads;
  TraceBuilder& builder;
  NsysChains chains = {};
  NsysNvtxRows nvtx = {};
};

// What one thread needs to read rows: its own connection, and what it knows already of strings,
// processes, tracks and domains, so that the builder's lock is taken once for each and not once a
// row.
class NsysContext {
 public:
  explicit NsysContext(NsysShared& shared);

  NsysShared& shared() { return shared_; }
  TraceBuilder& builder() { return shared_.builder; }
  const SqliteDb& db() const { return db_; }
  NsysStrings& strings() { return strings_; }

  ProcessId Process(std::uint64_t process_key);

  // The process key in a column of global process ids; for NULL the unknown process, 0, noted.
  std::uint64_t ProcessKeyOf(const NsysRow& row, int column) const;

  // The thread in a column of global thread ids; for NULL the unknown process as a whole, noted.
  TrackId Thread(const NsysRow& row, int column);
  TrackId ThreadTrack(std::uint64_t global_tid);

  TrackId WholeProcess(std::uint64_t process_key);

  // A track of the device side. Green contexts make no difference to it: nsys gives the id of the
  // context that was split, and stream ids are unique inside that one.
  TrackId OnDevice(TrackKind kind, std::uint64_t process_key, std::uint32_t device,
                   std::uint32_t context = kMissing<std::uint32_t>,
                   std::uint32_t stream = kMissing<std::uint32_t>);

  // Counters sampled on a GPU: they belong to no process.
  TrackId Metrics(std::uint32_t gpu);

  // The device of a context, which some tables do not say rightly; `fallback` if nothing knows.
  std::uint32_t DeviceOfContext(std::uint64_t process_key, std::uint32_t context,
                                std::uint32_t fallback);

  DomainId Domain(std::uint64_t process_key, std::uint64_t number);

 private:
  using DeviceKey =
      std::tuple<TrackKind, std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  struct DeviceKeyHash {
    std::size_t operator()(const DeviceKey& key) const noexcept;
  };

  // (process key, context).
  using ContextKey = std::pair<std::uint64_t, std::uint32_t>;

  // Reads on through the work until it names the device of a context; nothing if it never does.
  std::optional<std::uint32_t> FindDeviceInWork(const ContextKey& wanted);
  bool OpenNextWork();

  NsysShared& shared_;
  SqliteDb db_;
  NsysStrings strings_;
  std::unordered_map<std::uint64_t, ProcessId> processes_;
  std::unordered_map<std::uint64_t, TrackId> threads_;
  std::unordered_map<DeviceKey, TrackId, DeviceKeyHash> device_tracks_;
  std::map<ContextKey, std::uint32_t> device_of_context_;
  // What the work read so far says; each table of it is read once, as far as it is asked for.
  std::map<ContextKey, std::uint32_t> device_in_work_;
  std::optional<TableRows> work_;
  std::size_t next_work_ = 0;  // The table to open behind `work_`.
  std::map<std::pair<std::uint64_t, std::uint64_t>, DomainId> domains_;
  // The last answers: neighbouring rows mostly ask the same.
  std::pair<std::uint64_t, TrackId> last_thread_ = {};
  std::pair<DeviceKey, TrackId> last_device_ = {};
  std::pair<std::pair<std::uint64_t, std::uint64_t>, DomainId> last_domain_ = {};
};

}  // namespace xsp
