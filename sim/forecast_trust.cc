#include "sim/forecast_trust.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace xsp {
namespace {

// What the path is doubted for, whether it was that of before or is that of after.
void AddPath(const PathDoubts& after, Trust& trust) {
  const std::pair<Doubt, DurationNs> parts[] = {
      {Doubt::kLongCalls, after.long_calls},     {Doubt::kWaits, after.waits},
      {Doubt::kPolling, after.polling},          {Doubt::kSilence, after.silence},
      {Doubt::kUnseenRanks, after.unseen_ranks},
  };
  for (const auto& [doubt, part] : parts) {
    const double share = after.ShareOf(part);
    trust.Set(doubt, std::max(trust.Of(doubt), share));
    if (share >= RowOf(doubt).low) trust.fair_at_most[static_cast<std::size_t>(doubt)] = false;
  }
}

}  // namespace

Trust TrustOfForecast(const Trust& of_graph, const PathDoubts& after, const TwoReadings& readings,
                      DurationNs other_company, DurationNs forecast) {
  Trust trust = of_graph;
  const auto share = [&](DurationNs part) {
    return static_cast<double>(part) / static_cast<double>(std::max<DurationNs>(1, forecast));
  };
  AddPath(after, trust);
  trust.lagging_thread = readings.lagging_thread;
  trust.Set(Doubt::kExposed, share(readings.exposed));
  trust.Set(Doubt::kGone, share(readings.gone));
  trust.Set(Doubt::kLagging, share(readings.lagging - forecast));
  trust.Set(Doubt::kMissesBeats,
            MissesBeats(readings, forecast) ? share(forecast - readings.beat) : 0);
  trust.Set(Doubt::kTimedWaits, share(readings.timed));
  trust.Set(Doubt::kOtherCompany, share(std::abs(other_company)));
  trust.Set(Doubt::kRanksApart,
            readings.rank_apart > 0 ? share(forecast - readings.rank_apart) : 0);
  trust.Set(Doubt::kOrder, readings.unordered > 0 ? share(forecast - readings.unordered) : 0);
  trust.Conclude();
  return trust;
}

void DoubtWideRange(LikelyRange range, DurationNs forecast, Trust& trust) {
  if (forecast <= 0) return;
  const auto width = static_cast<double>(range.slow - range.fast);
  trust.Set(Doubt::kWideRange, width / 2 / static_cast<double>(forecast));
  trust.Conclude();
}

}  // namespace xsp
