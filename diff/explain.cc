#include "diff/explain.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "diff/statistics/estimate.h"

namespace xsp {
namespace {

constexpr double kCountDifference = 0.5;  // Means per unit that differ by less are equal counts.

double MeanPath(const Side& side, std::uint32_t place, CostKind kind) {
  return place == RunPlace::kNone ? 0 : side.MeanPathTime(place, kind);
}

Series PathSeries(const Side& side, std::uint32_t place, CostKind kind) {
  return place == RunPlace::kNone ? side.Zeros() : side.PathTime(place, kind);
}

DurationNs Rounded(double ns) { return static_cast<DurationNs>(std::llround(ns)); }

std::vector<Contribution> PathRows(const Comparison& c) {
  std::vector<Contribution> rows;
  for (std::uint32_t i = 0; i < c.matching.pairs.size(); ++i) {
    const PlacePair& pair = c.matching.pairs[i];
    for (std::size_t k = 0; k < kCostKindCount; ++k) {
      const auto kind = static_cast<CostKind>(k);
      const double base = MeanPath(*c.base, pair.base, kind);
      const double now = MeanPath(*c.now, pair.now, kind);
      if (base == 0 && now == 0) continue;
      rows.push_back({i, kind, Rounded(base), Rounded(now), Rounded(now - base), false});
    }
  }
  return rows;
}

// Rows large enough to matter are tested, and all tests are corrected for each other.
void TestRows(const Comparison& c, std::vector<Contribution>& rows) {
  const double least = kRowShare * std::max(c.unit.base, c.unit.now);
  std::vector<double> p;
  std::vector<Contribution*> tested;
  for (Contribution& row : rows) {
    if (static_cast<double>(std::max(std::abs(row.base), std::abs(row.now))) < least) continue;
    const PlacePair& pair = c.matching.pairs[row.pair];
    p.push_back(
        QuickP(PathSeries(*c.base, pair.base, row.kind), PathSeries(*c.now, pair.now, row.kind)));
    tested.push_back(&row);
  }
  const std::vector<bool> significant = AreSignificant(p);
  for (std::size_t i = 0; i < tested.size(); ++i) tested[i]->significant = significant[i];
}

// With too few values for tests: what exceeds the noise that is assumed for the unit.
void TestRowsByEstimate(const Comparison& c, std::vector<Contribution>& rows) {
  const double least = c.unit.floor * c.unit.base;
  for (Contribution& row : rows) {
    row.significant = static_cast<double>(std::abs(row.delta)) > least;
  }
}

double DeviceTime(const Comparison& c, const PlacePair& pair) {
  const double base = pair.base == RunPlace::kNone ? 0 : c.base->MeanDeviceTime(pair.base);
  const double now = pair.now == RunPlace::kNone ? 0 : c.now->MeanDeviceTime(pair.now);
  return std::max(base, now);
}

void AddChanges(const Comparison& c, std::uint32_t i, std::vector<Change>& changes) {
  const PlacePair& pair = c.matching.pairs[i];
  switch (pair.how) {
    case MatchKind::kAdded:
      changes.push_back({ChangeKind::kAdded, i});
      return;
    case MatchKind::kRemoved:
      changes.push_back({ChangeKind::kRemoved, i});
      return;
    case MatchKind::kRenamed:
      changes.push_back({ChangeKind::kRenamed, i});
      break;
    case MatchKind::kReplaced:
      changes.push_back({ChangeKind::kReplaced, i});
      break;
    case MatchKind::kMoved:
      changes.push_back({ChangeKind::kMoved, i});
      break;
    case MatchKind::kExact:
      break;
  }
  const RunPlace& base = c.base->places()[pair.base];
  const RunPlace& now = c.now->places()[pair.now];
  if (std::abs(c.base->MeanCount(pair.base) - c.now->MeanCount(pair.now)) >= kCountDifference) {
    changes.push_back({ChangeKind::kCount, i});
  }
  if (!base.IsDeviceWork()) return;
  if (base.shape.known() && now.shape.known() && base.shape != now.shape) {
    changes.push_back({ChangeKind::kShape, i});
  }
  if (base.precision != now.precision && base.precision != Precision::kUnknown &&
      now.precision != Precision::kUnknown) {
    changes.push_back({ChangeKind::kPrecision, i});
  }
}

}  // namespace

std::vector<Contribution> Explain(const Comparison& c) {
  std::vector<Contribution> rows = PathRows(c);
  if (c.unit.interval) {
    TestRows(c, rows);
  } else {
    TestRowsByEstimate(c, rows);
  }
  Contribution residual;
  residual.base = Rounded(c.base->Residual().Mean());
  residual.now = Rounded(c.now->Residual().Mean());
  // With what rounding the other rows to whole nanoseconds has left over.
  residual.delta = c.now_ns() - c.base_ns();
  for (const Contribution& row : rows) residual.delta -= row.delta;
  std::stable_sort(rows.begin(), rows.end(), [](const Contribution& a, const Contribution& b) {
    return std::abs(a.delta) > std::abs(b.delta);
  });
  rows.push_back(residual);
  return rows;
}

std::vector<Change> FindChanges(const Comparison& c) {
  std::vector<Change> changes;
  for (std::uint32_t i = 1; i < c.matching.pairs.size(); ++i) AddChanges(c, i, changes);
  std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) {
    return DeviceTime(c, c.matching.pairs[a.pair]) > DeviceTime(c, c.matching.pairs[b.pair]);
  });
  return changes;
}

KernelCounts CountKernels(const Comparison& c) {
  KernelCounts counts;
  for (std::uint32_t i = 0; i < c.matching.pairs.size(); ++i) {
    if (!c.Place(i).is_kernel) continue;
    const PlacePair& pair = c.matching.pairs[i];
    counts.added += pair.how == MatchKind::kAdded;
    counts.removed += pair.how == MatchKind::kRemoved;
    counts.matched += pair.IsMatch();
    counts.moved += pair.how == MatchKind::kMoved;
    counts.renamed += pair.how == MatchKind::kRenamed || pair.how == MatchKind::kReplaced;
  }
  return counts;
}

Accounting AccountFor(const Comparison& c) {
  Accounting sums;
  for (std::uint32_t i = 0; i < c.matching.pairs.size(); ++i) {
    if (!c.Place(i).IsDeviceWork()) continue;
    const PlacePair& pair = c.matching.pairs[i];
    const double base = pair.base == RunPlace::kNone ? 0 : c.base->MeanDeviceTime(pair.base);
    const double now = pair.now == RunPlace::kNone ? 0 : c.now->MeanDeviceTime(pair.now);
    (pair.IsMatch() ? sums.matched_base : sums.removed) += base;
    (pair.IsMatch() ? sums.matched_now : sums.added) += now;
  }
  return sums;
}

}  // namespace xsp
