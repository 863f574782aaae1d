#include "graph/readings/device_work.h"

#include <algorithm>
#include <array>
#include <map>

#include "graph/device_map.h"
#include "hierarchy/hierarchy.h"
#include "model/names/communication.h"

namespace xsp {
namespace {

std::string_view DirectionOf(CopyKind kind) {
  constexpr std::array<std::string_view, 14> kDirections = {
      "",     "HtoD", "DtoH", "HtoD", "DtoH", "DtoD", "DtoD",
      "DtoD", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"};  // Arrays are device memory.
  const auto index = static_cast<std::size_t>(kind);
  return index < kDirections.size() ? kDirections[index] : "";
}

// Whether the host's side can be reached by the copy engine is what decides its speed.
std::string_view HostMemoryOf(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kPageable:
      return " pageable";
    case MemoryKind::kPinned:
      return " pinned";
    case MemoryKind::kManaged:
    case MemoryKind::kManagedStatic:
      return " managed";
    default:
      return "";
  }
}

// What a row is about: its kind, and words that tell rows of a kind apart. These live for ever, so
// that adding to a row makes no text.
struct RowKey {
  WorkKind kind;
  std::string_view what = {};    // A class of kernels, a direction.
  std::string_view memory = {};  // The host's side of a copy.

  auto operator<=>(const RowKey&) const = default;
};

RowKey KeyOfCopy(const Copies& copies, std::uint32_t row) {
  RowKey key{WorkKind::kCopies, DirectionOf(copies.copy_kind[row])};
  if (key.what == "HtoD") key.memory = HostMemoryOf(copies.source_kind[row]);
  if (key.what == "DtoH") key.memory = HostMemoryOf(copies.target_kind[row]);
  return key;
}

std::string WordsOf(const RowKey& key) {
  constexpr std::array<std::string_view, 9> kWords = {"kernels",
                                                      "collectives: transfer",
                                                      "collectives: waiting for ranks",
                                                      "collectives",
                                                      "copies",
                                                      "migrations",
                                                      "memsets",
                                                      "graph launches",
                                                      "launched elsewhere"};
  std::string words(kWords[static_cast<std::size_t>(key.kind)]);
  if (!key.what.empty()) words += ": " + std::string(key.what) + std::string(key.memory);
  return words;
}

// Rows of all devices while they are summed.
class Sums {
 public:
  explicit Sums(const TaskGraph& graph)
      : graph_(graph), trace_(*graph.trace), devices_(graph), rows_(devices_.size()) {
    transfer_.assign(trace_.DeviceWork().size(), -1);
    for (TaskId op : graph.ops()) {
      if (graph.HasPeers(op)) transfer_[graph.event[op].value] = graph.own[op];
    }
  }

  void Add(const WorkPiece& piece) {
    if (piece.elsewhere) return AddTo(piece, {WorkKind::kElsewhere}, piece.ns, 0);
    const EventKind kind = trace_.KindOf(piece.event);
    const std::uint32_t row = trace_.Row(piece.event, kind);
    switch (kind) {
      case EventKind::kKernel:
        return AddKernel(piece);
      case EventKind::kMemcpy:
        return AddTo(piece, KeyOfCopy(trace_.copies(), row), piece.ns, trace_.copies().bytes[row]);
      case EventKind::kMigration:
        return AddTo(piece, {WorkKind::kMigrations, DirectionOf(trace_.copies().copy_kind[row])},
                     piece.ns, trace_.copies().bytes[row]);
      case EventKind::kMemset:
        return AddTo(piece, {WorkKind::kMemsets}, piece.ns, trace_.memsets().bytes[row]);
      default:
        return AddTo(piece, {WorkKind::kGraphs}, piece.ns, 0);
    }
  }

  std::vector<DeviceWork> Finish(const Unit& unit) {
    std::vector<DeviceWork> result;
    const std::vector<std::string> names = DeviceNames();
    for (std::uint32_t device = 0; device < rows_.size(); ++device) {
      result.push_back({devices_.number(device), names[device], {}});
      std::vector<WorkRow>& rows = result.back().rows;
      for (auto& [key, row] : rows_[device]) {
        row.kind = key.kind;
        row.what = WordsOf(key);
        rows.push_back(std::move(row));
      }
      std::stable_sort(rows.begin(), rows.end(),
                       [](const WorkRow& a, const WorkRow& b) { return a.ns > b.ns; });
      UnitMeans means = UnitMeans::OfCounted(unit);
      for (WorkRow& row : rows) {
        row.ns = means.Next(row.ns);
        row.count = means.Count(row.count);
        row.bytes =
            static_cast<std::uint64_t>(unit.MeanOfCounted(static_cast<DurationNs>(row.bytes)));
      }
    }
    return result;
  }

 private:
  void AddTo(const WorkPiece& piece, const RowKey& key, DurationNs ns, std::uint64_t bytes) {
    WorkRow& row = rows_[devices_.OfTrack(trace_.track_of(piece.event))][key];
    row.ns += ns;
    if (!piece.begins) return;
    ++row.count;
    row.bytes += bytes;
  }

  void AddKernel(const WorkPiece& piece) {
    const KernelClass of = graph_.hierarchy->kinds().Of(trace_, piece.event).kernel_class;
    const DurationNs transfer = transfer_[piece.event.value];
    if (!IsCommunication(of) && transfer < 0) {
      return AddTo(piece, {WorkKind::kKernels, NameOf(of)}, piece.ns, 0);
    }
    if (transfer < 0) return AddTo(piece, {WorkKind::kCollectives}, piece.ns, 0);
    // Whoever comes first waits; the transfer is the end of a collective.
    const DurationNs moved = std::min(transfer, piece.ns);
    AddTo(piece, {WorkKind::kTransfer}, moved, 0);
    if (moved < piece.ns) AddTo(piece, {WorkKind::kWaiting}, piece.ns - moved, 0);
  }

  std::vector<std::string> DeviceNames() const {
    std::vector<std::string> names(devices_.size());
    for (std::size_t i = 0; i < trace_.tracks().size(); ++i) {
      const std::uint32_t device = devices_.OfTrack(TrackId(i));
      const GpuId gpu = trace_.tracks()[i].gpu;
      if (device == DeviceMap::kNone || !gpu.valid()) continue;
      names[device] = trace_.strings().Get(trace_.gpus()[gpu.value].name);
    }
    return names;
  }

  const TaskGraph& graph_;
  const Trace& trace_;
  const DeviceMap devices_;
  std::vector<std::map<RowKey, WorkRow>> rows_;
  std::vector<DurationNs> transfer_;  // By event; negative for what is no matched collective.
};

}  // namespace

DurationNs DeviceWork::Sum() const {
  DurationNs sum = 0;
  for (const WorkRow& row : rows) sum += row.ns;
  return sum;
}

std::vector<WorkPiece> WorkIn(const Trace& trace, const std::vector<TimeRange>& times,
                              const EventMask* launched) {
  std::vector<WorkPiece> pieces;
  for (EventId event : trace.DeviceWork()) {
    const TimeRange work = {trace.begin(event), trace.end(event)};
    auto time = std::partition_point(times.begin(), times.end(), [&](const TimeRange& window) {
      return window.end <= work.begin;
    });
    if (time == times.end()) continue;
    WorkPiece piece{event, 0, time->Contains(work.begin), false};
    for (; time != times.end() && time->begin < work.end; ++time) {
      piece.ns += std::max<DurationNs>(0, work.Clip(*time).Length());
    }
    if (!piece.begins && piece.ns == 0) continue;
    piece.elsewhere = launched != nullptr && (*launched)[event.value] == 0;
    pieces.push_back(piece);
  }
  return pieces;
}

std::vector<DeviceWork> SumWork(const TaskGraph& graph, const std::vector<WorkPiece>& pieces,
                                const Unit& unit) {
  Sums sums(graph);
  for (const WorkPiece& piece : pieces) sums.Add(piece);
  return sums.Finish(unit);
}

}  // namespace xsp
