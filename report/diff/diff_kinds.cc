#include "report/diff/diff_kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "model/names/communication.h"
#include "report/diff/diff_words.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// Device work of one sort: how often in a unit, and for how long in all.
struct Work {
  double count = 0;
  double ns = 0;
};

template <class F>
Work WorkOf(const Side& side, F is_wanted) {
  Work work;
  for (std::uint32_t i = 0; i < side.places().size(); ++i) {
    const RunPlace& place = side.places()[i];
    if (!place.IsDeviceWork() || !is_wanted(place)) continue;
    work.count += side.MeanCount(i);
    work.ns += side.MeanDeviceTime(i);
  }
  return work;
}

// "1,221 → 18 kernels"; one number where nothing changed.
std::string Counts(double base, double now, const std::string& things) {
  const std::int64_t before = std::llround(base);
  const std::int64_t after = std::llround(now);
  const std::string first = before == after ? "" : FormatCount(before) + " → ";
  return first + FormatCount(after) + " " + things;
}

template <class F>
std::string WorkWords(const Comparison& c, const std::string& things, F is_wanted) {
  const Work base = WorkOf(*c.base, is_wanted);
  const Work now = WorkOf(*c.now, is_wanted);
  return Counts(base.count, now.count, things) + ", summed " +
         FormatDuration(std::llround(base.ns)) + " → " + FormatDuration(std::llround(now.ns));
}

bool IsCollective(const RunPlace& place) {
  return place.is_kernel && IsCommunication(place.kernel_class);
}

std::string MoreOf(const Comparison& c, CostKind kind) {
  switch (kind) {
    case CostKind::kDevice:
      return WorkWords(c, "kernels",
                       [](const RunPlace& p) { return p.is_kernel && !IsCollective(p); });
    case CostKind::kCommunication:
      return WorkWords(c, "collectives", IsCollective);
    case CostKind::kCopy:
      return WorkWords(c, "copies", [](const RunPlace& p) {
        return !p.is_kernel && p.name.find("memcpy") != p.name.npos;
      });
    case CostKind::kLaunch:
      return Counts(c.base->Launches().Mean(), c.now->Launches().Mean(), "launches");
    case CostKind::kSync:
      return Counts(c.base->Syncs().Mean(), c.now->Syncs().Mean(), "calls that wait");
    default:
      return "";
  }
}

}  // namespace

std::vector<KindRow> KindRows(const Comparison& c) {
  std::array<KindRow, kCostKindCount> kinds;
  for (const Contribution& row : c.contributions) {
    KindRow& kind = kinds[static_cast<std::size_t>(row.kind)];
    kind.base += row.base;
    kind.now += row.now;
    kind.delta += row.delta;
  }
  std::vector<KindRow> rows;
  DurationNs largest = 0;
  for (std::size_t k = 0; k < kCostKindCount; ++k) {
    const auto kind = static_cast<CostKind>(k);
    if (kind == CostKind::kResidual || (kinds[k].base == 0 && kinds[k].now == 0)) continue;
    kinds[k].name = KindWords(kind);
    kinds[k].more = MoreOf(c, kind);
    largest = std::max(largest, std::abs(kinds[k].delta));
    rows.push_back(kinds[k]);
  }
  for (KindRow& row : rows) row.is_large = row.delta != 0 && 10 * std::abs(row.delta) >= largest;
  std::stable_sort(rows.begin(), rows.end(), [](const KindRow& a, const KindRow& b) {
    return std::abs(a.delta) > std::abs(b.delta);
  });
  KindRow& residual = kinds[static_cast<std::size_t>(CostKind::kResidual)];
  residual.name = KindWords(CostKind::kResidual);
  rows.push_back(residual);
  rows.push_back(
      {UnitWords(c), c.base_ns(), c.now_ns(), c.now_ns() - c.base_ns(), true, "adds up"});
  return rows;
}

Table KindTable(const Comparison& c) {
  Table table("What the " + UnitWords(c) + " went to, on the critical path",
              {{"what", "kind", ColumnKind::kText, kAlways},
               {"base", "base_ns", ColumnKind::kDuration, 4},
               {"new", "new_ns", ColumnKind::kDuration, 4},
               {"Δ", "delta_ns", ColumnKind::kDuration, kAlways},
               {"", "bar", ColumnKind::kBar, 1},
               {"", "more", ColumnKind::kText, 5}});
  const std::vector<KindRow> rows = KindRows(c);
  DurationNs largest = 1;
  for (std::size_t i = 0; i + 2 < rows.size(); ++i) {
    largest = std::max(largest, std::abs(rows[i].delta));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_kind = i + 2 < rows.size();
    const double bar = static_cast<double>(std::abs(rows[i].delta)) / static_cast<double>(largest);
    table.AddRow({rows[i].name, rows[i].base, rows[i].now, rows[i].delta, is_kind ? bar : 0.0,
                  rows[i].more});
  }
  table.ShareTimeUnit();
  return table;
}

}  // namespace xsp
