#include "live/decode/clock_map.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace xsp::live {
namespace {

// Readings that agree to within this, beyond their own uncertainty, show one and the same distance.
constexpr std::int64_t kNoise = 5'000;

// No clock shows a later time (the year is 2043): of what is not beyond, all sums fit.
constexpr std::uint64_t kLatest = std::uint64_t{1} << 61;

// A spool may hold anything.
bool IsReading(const ClockReading& reading) {
  return reading.before <= reading.after && reading.after <= kLatest && reading.cupti <= kLatest &&
         reading.realtime <= kLatest;
}

}  // namespace

ClockMap::ClockMap(const std::vector<ClockReading>& readings) {
  std::vector<Point> points;
  for (const ClockReading& reading : readings) {
    if (!IsReading(reading)) continue;
    // Without a reading of CUPTI's own, its usual clock stands in for it.
    const bool has_cupti = reading.cupti != 0;
    const auto cupti = static_cast<std::int64_t>(has_cupti ? reading.cupti : reading.realtime);
    const auto took = static_cast<std::int64_t>(reading.after - reading.before);
    const std::int64_t middle = static_cast<std::int64_t>(reading.before) + took / 2;
    points.push_back({cupti, middle - cupti, has_cupti ? took / 2 : std::int64_t{1} << 40});
  }
  if (points.empty()) return;
  const Point best = *std::min_element(
      points.begin(), points.end(), [](auto& a, auto& b) { return a.uncertainty < b.uncertainty; });
  distance_ = best.distance;
  for (const Point& point : points) {
    const std::int64_t off = std::abs(point.distance - best.distance);
    if (off > point.uncertainty + best.uncertainty + kNoise) shift_ = std::max(shift_, off);
  }
  if (shift_ == 0) return;
  std::stable_sort(points.begin(), points.end(),
                   [](const Point& a, const Point& b) { return a.cupti < b.cupti; });
  points_ = std::move(points);
}

TimeNs ClockMap::HostTime(std::uint64_t host) {
  return static_cast<TimeNs>(std::min(host, kLatest));
}

TimeNs ClockMap::ToHost(std::uint64_t cupti) const {
  const TimeNs time = HostTime(cupti);
  if (points_.empty()) return time + distance_;
  auto after = std::upper_bound(points_.begin(), points_.end(), time,
                                [](std::int64_t t, const Point& point) { return t < point.cupti; });
  if (after == points_.begin()) return time + points_.front().distance;
  if (after == points_.end()) return time + points_.back().distance;
  const Point& a = *(after - 1);
  const Point& b = *after;
  const double share = static_cast<double>(time - a.cupti) / static_cast<double>(b.cupti - a.cupti);
  return time + a.distance + std::llround(share * static_cast<double>(b.distance - a.distance));
}

}  // namespace xsp::live
