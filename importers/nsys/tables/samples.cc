#include <map>
#include <string>
#include <utility>

#include "importers/nsys/table.h"

namespace xsp {
namespace {

constexpr std::string_view kSampleColumns[] = {"start",       "globalTid", "cpu",
                                               "threadState", "cpuCycles", "id"};

class SampleReader : public SimpleReader<Samples> {
 public:
  SampleReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kSample, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadInstant(row, 1, &times)) return;
    Keep(times, context_.Thread(row, 2), StringId());
    details_.cpu.push_back(row.Get<std::uint32_t>(3));
    details_.thread_state.push_back(row.Get<std::uint8_t>(4));
    details_.cycles.push_back(row.Get<std::uint64_t>(5, 0));
    const auto chain = row.Get<std::int64_t>(6);  // A sample and its chain share their number.
    details_.chain.push_back(context_.shared().chains.Find(ChainTable::kSampling, chain));
  }
};

constexpr std::string_view kSchedColumns[] = {"start",     "globalTid",   "cpu",
                                              "isSchedIn", "threadState", "threadBlock"};

class SchedReader : public SimpleReader<SchedEvents> {
 public:
  SchedReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kSched, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadInstant(row, 1, &times)) return;
    Keep(times, context_.Thread(row, 2), StringId());
    const bool is_in = row.Get<std::int64_t>(4, 0) != 0;
    details_.cpu.push_back(row.Get<std::uint32_t>(3));
    details_.scheduled_in.push_back(is_in ? 1 : 0);
    details_.thread_state.push_back(row.Get<std::uint8_t>(5));
    // Why a thread is blocked makes sense only when it leaves the CPU.
    details_.block_reason.push_back(is_in ? kMissing<std::uint8_t> : row.Get<std::uint8_t>(6));
  }
};

constexpr std::string_view kMetricColumns[] = {"timestamp", "typeId", "metricId", "value"};

class MetricReader : public SimpleReader<GpuMetrics> {
 public:
  MetricReader(const NsysTableSpec& spec, NsysContext& context, ChunkLog& log, std::size_t rows)
      : SimpleReader(EventKind::kGpuMetric, spec, context, log, rows) {}

  void Add(const NsysRow& row) override {
    NsysTimes times;
    if (!ReadInstant(row, 1, &times)) return;
    const auto type = row.Get<std::int64_t>(2, 0);
    // The low byte of the type is the GPU.
    const auto gpu = static_cast<std::uint32_t>(type & 0xFF);
    auto [track, is_new_gpu] = tracks_.try_emplace(gpu);
    if (is_new_gpu) track->second = context_.Metrics(gpu);
    Keep(times, track->second, NameOf(row, type, row.Get<std::int64_t>(3, 0)));
    details_.value.push_back(row.Get<std::int64_t>(4, 0));
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

}  // namespace

void AddSampleTables(const NsysCatalog& catalog, std::vector<NsysTableSpec>& specs) {
  const NsysTableSpec all[] = {
      {"COMPOSITE_EVENTS", kSampleColumns, MakeReader<SampleReader>},
      {"SCHED_EVENTS", kSchedColumns, MakeReader<SchedReader>},
      {"GPU_METRICS", kMetricColumns, MakeReader<MetricReader>},
  };
  for (const NsysTableSpec& spec : all) {
    if (catalog.Has(spec.table)) specs.push_back(spec);
  }
}

}  // namespace xsp
