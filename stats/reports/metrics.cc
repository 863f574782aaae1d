#include <algorithm>
#include <map>
#include <utility>

#include "base/quantile.h"
#include "stats/reports/reports.h"

namespace xsp {

StatsTable MetricSum(const ReportInput& in) {
  StatsTable table("metrics", "Sampled hardware counters",
                   {{"DevId", StatsKind::kId},
                    {"Samples", StatsKind::kInteger},
                    {"Avg", StatsKind::kReal},
                    {"Med", StatsKind::kReal},
                    {"Min", StatsKind::kReal},
                    {"Max", StatsKind::kReal},
                    {"Metric", StatsKind::kText}});
  std::map<std::pair<std::uint32_t, StringId>, std::vector<double>> values;
  in.events.ForEach(EventKind::kGpuMetric, [&](EventId e) {
    const std::uint32_t device = in.trace.track(in.trace.track_of(e)).device;
    const std::uint32_t row = in.trace.Row(e, EventKind::kGpuMetric);
    values[{device, in.trace.name_of(e)}].push_back(
        static_cast<double>(in.trace.gpu_metrics().value[row]));
  });
  for (auto& [key, list] : values) {
    double sum = 0;
    for (double value : list) sum += value;
    const auto [least, most] = std::minmax_element(list.begin(), list.end());
    const double low = *least, high = *most;
    table.AddRow(key.first, static_cast<std::int64_t>(list.size()),
                 sum / static_cast<double>(list.size()), UpperMedian(list), low, high,
                 in.trace.strings().Get(key.second));
  }
  return table;
}

}  // namespace xsp
