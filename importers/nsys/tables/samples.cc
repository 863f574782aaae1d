#include <array>
#include <map>
#include <string>
#include <utility>

#include "importers/nsys/table.h"

namespace xsp {
namespace {

class SampleReader : public SimpleReader<Samples, EventKind::kSample> {
 public:
  static constexpr NsysField<Row> kFields[] = {
      {"cpu", IntoField<&Row::cpu>},
      {"threadState", IntoField<&Row::thread_state>},
      {"cpuCycles", IntoField<&Row::cycles>},
  };
  static constexpr auto kColumns = NsysColumns{"start", "globalTid", "id"} + kFields;
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadInstant(row, kColumns["start"], &event)) return;
    event.track = context_.Thread(row, kColumns["globalTid"]);
    Row sample = ReadFields<SampleReader>(row, context_.strings());
    // A sample and its chain share their number.
    const auto chain = row.Get<std::int64_t>(kColumns["id"]);
    sample.chain = context_.shared().chains.Find(ChainTable::kSampling, chain);
    Keep(event, sample);
  }
};

class SchedReader : public SimpleReader<SchedEvents, EventKind::kSched> {
 public:
  static constexpr NsysField<Row> kFields[] = {
      {"cpu", IntoField<&Row::cpu>},
      {"threadState", IntoField<&Row::thread_state>},
  };
  static constexpr auto kColumns =
      NsysColumns{"start", "globalTid", "isSchedIn", "threadBlock"} + kFields;
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadInstant(row, kColumns["start"], &event)) return;
    event.track = context_.Thread(row, kColumns["globalTid"]);
    Row sched = ReadFields<SchedReader>(row, context_.strings());
    if (row.Get<std::int64_t>(kColumns["isSchedIn"], 0) != 0) {
      sched.scheduled_in = 1;
    } else {
      // Why a thread is blocked makes sense only when it leaves the CPU.
      sched.block_reason = row.Get<std::uint8_t>(kColumns["threadBlock"]);
    }
    Keep(event, sched);
  }
};

class MetricReader : public SimpleReader<GpuMetrics, EventKind::kGpuMetric> {
 public:
  static constexpr NsysColumns kColumns = {"timestamp", "typeId", "metricId", "value"};
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadInstant(row, kColumns["timestamp"], &event)) return;
    const auto type = row.Get<std::int64_t>(kColumns["typeId"], 0);
    // The low byte of the type is the GPU.
    const auto gpu = static_cast<std::uint32_t>(type & 0xFF);
    auto [track, is_new_gpu] = tracks_.try_emplace(gpu);
    if (is_new_gpu) track->second = context_.Metrics(gpu);
    event.track = track->second;
    event.name = NameOf(row, type, row.Get<std::int64_t>(kColumns["metricId"], 0));
    Row metric;
    metric.value = row.Get<std::int64_t>(kColumns["value"], 0);
    Keep(event, metric);
  }

 private:
  StringId NameOf(const NsysRow& row, std::int64_t type, std::int64_t metric) {
    const auto& known = context_.shared().entities.metric_names;
    auto it = known.find({type, metric});
    if (it == known.end()) {
      row.Note(ImportReason::kMissingString, "metric " + std::to_string(metric));
    }
    auto [name, is_new] = names_.try_emplace({type, metric});
    if (is_new) {
      name->second = it == known.end()
                         ? context_.builder().Intern("metric_" + std::to_string(metric))
                         : context_.strings().LongText(it->second, row);
    }
    return name->second;
  }

  std::map<std::uint32_t, TrackId> tracks_;
  std::map<std::pair<std::int64_t, std::int64_t>, StringId> names_;
};

// What a network card counted in an interval, at its end. Cards belong to no GPU.
class NetworkReader : public SimpleReader<GpuMetrics, EventKind::kGpuMetric> {
 public:
  static constexpr NsysColumns kColumns = {"end",           "globalId",   "portId",
                                           "metricsListId", "metricsIdx", "value"};
  using SimpleReader::SimpleReader;

  void Add(const NsysRow& row) override {
    Events::Row event;
    if (!ReadInstant(row, kColumns["end"], &event)) return;
    if (!track_.valid()) track_ = context_.Metrics(kMissing<std::uint32_t>);
    event.track = track_;
    event.name = NameOf(row);
    Row metric;
    metric.value = row.Get<std::int64_t>(kColumns["value"], 0);
    Keep(event, metric);
  }

 private:
  using Key = std::array<std::int64_t, 4>;  // List, place in it, card, port.

  StringId NameOf(const NsysRow& row) {
    constexpr std::int64_t kNoPort = -1;
    const Key key = {row.Get<std::int64_t>(kColumns["metricsListId"], 0),
                     row.Get<std::int64_t>(kColumns["metricsIdx"], 0),
                     row.Get<std::int64_t>(kColumns["globalId"], 0),
                     row.Get<std::int64_t>(kColumns["portId"], kNoPort)};
    const NsysEntities& entities = context_.shared().entities;
    const auto known = entities.network_metric_names.find({key[0], key[1]});
    if (known == entities.network_metric_names.end()) {
      row.Note(ImportReason::kMissingString, "network metric " + std::to_string(key[1]));
    }
    auto [name, is_new] = names_.try_emplace(key);
    if (!is_new) return name->second;
    const auto card = entities.nic_names.find(key[2]);
    const std::string words =
        (known == entities.network_metric_names.end() ? "network_metric_" + std::to_string(key[1])
                                                      : known->second) +
        ", " + (card == entities.nic_names.end() ? "NIC" : "NIC " + card->second) +
        (key[3] == kNoPort ? "" : " port " + std::to_string(key[3]));
    return name->second = context_.strings().LongText(words, row);
  }

  TrackId track_;
  std::map<Key, StringId> names_;
};

}  // namespace

void AddSampleTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  AddTables(catalog,
            {ReadBy<SampleReader>("COMPOSITE_EVENTS"), ReadBy<SchedReader>("SCHED_EVENTS"),
             ReadBy<MetricReader>("GPU_METRICS"), ReadBy<NetworkReader>("NET_NIC_METRIC")},
            specs);
}

}  // namespace xsp
