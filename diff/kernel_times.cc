#include "diff/kernel_times.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "diff/statistics/estimate.h"

namespace xsp {
namespace {

// Pairs of places that have the same name in the base, and the same in the new runs.
struct NamedPairs {
  std::vector<PlacePair> pairs;
  double base_count = 0;
  double now_count = 0;
};

// How long one launch at a place takes, sample by sample; where there is none, as long as usual.
Series OwnTime(const Side& side, std::uint32_t place) {
  Series own = side.DeviceTime(place);
  const Series counts = side.Count(place);
  const double usual = side.MeanDeviceTime(place) / side.MeanCount(place);
  for (std::size_t r = 0; r < own.runs.size(); ++r) {
    for (std::size_t i = 0; i < own.runs[r].size(); ++i) {
      double& value = own.runs[r][i];
      value = counts.runs[r][i] > 0 ? value / counts.runs[r][i] : usual;
    }
  }
  return own;
}

// The mean of several places, each as often as it comes in the base.
Series MeanOwnTime(const Comparison& c, const NamedPairs& named, bool in_base) {
  const Side& side = in_base ? *c.base : *c.now;
  Series sum = side.Zeros();
  for (const PlacePair& pair : named.pairs) {
    const double weight = c.base->MeanCount(pair.base) / named.base_count;
    Series own = OwnTime(side, in_base ? pair.base : pair.now);
    for (std::vector<double>& run : own.runs) {
      for (double& value : run) value *= weight;
    }
    sum += own;
  }
  return sum;
}

std::map<std::pair<std::string, std::string>, NamedPairs> PairsByName(const Comparison& c) {
  std::map<std::pair<std::string, std::string>, NamedPairs> by_name;
  for (const PlacePair& pair : c.matching.pairs) {
    if (!pair.IsMatch() || !c.base->places()[pair.base].is_kernel) continue;
    const double before = c.base->MeanCount(pair.base), after = c.now->MeanCount(pair.now);
    if (before <= 0 || after <= 0) continue;
    NamedPairs& named = by_name[{c.base->places()[pair.base].name, c.now->places()[pair.now].name}];
    named.pairs.push_back(pair);
    named.base_count += before;
    named.now_count += after;
  }
  return by_name;
}

}  // namespace

std::vector<KernelTime> FindKernelTimes(const Comparison& c) {
  const double least = kRowShare * std::max(c.accounting.matched_base + c.accounting.removed,
                                            c.accounting.matched_now + c.accounting.added);
  std::vector<KernelTime> rows;
  std::vector<double> p;
  for (const auto& [names, named] : PairsByName(c)) {
    const Series base = MeanOwnTime(c, named, true), now = MeanOwnTime(c, named, false);
    KernelTime row{names.first, names.second, named.base_count, named.now_count,
                   base.Mean(), now.Mean(),   std::nullopt};
    if (std::max(row.base_ns, row.now_ns) * row.base_count < least || base == now) continue;
    const bool can_tell = std::min(base.count(), now.count()) >= 2;
    if (can_tell) row.certain = false;
    rows.push_back(std::move(row));
    p.push_back(can_tell ? QuickP(base, now) : 1);
  }
  const std::vector<bool> significant = AreSignificant(p);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].certain) rows[i].certain = significant[i];
  }
  std::erase_if(rows, [](const KernelTime& row) {
    const double growth = std::abs(row.growth());
    return row.certain ? !*row.certain || growth < kLeastEffect : growth < kLeastOwnChange;
  });
  std::stable_sort(rows.begin(), rows.end(), [](const KernelTime& a, const KernelTime& b) {
    return std::abs(a.cost()) > std::abs(b.cost());
  });
  return rows;
}

}  // namespace xsp
