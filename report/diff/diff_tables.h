#pragma once

#include <string>
#include <utility>

#include "diff/comparison.h"
#include "diff/matching/grouped.h"
#include "diff/matching/grouped_changes.h"
#include "report/diff/diff_report.h"
#include "report/tables/table.h"

namespace xsp {

// Every contribution, for scripts: where, kind, delta_ns, the times on the path and the summed
// device times. At most kMostContributions rows; what is beyond is one row, "[other]", so that the
// rows sum to the change.
inline constexpr std::size_t kMostContributions = 5000;
Table ContributionTable(const Comparison& comparison);

// Everything that was added, removed, renamed, ...; for scripts, at most kMostContributions.
Table ChangeTable(const Comparison& comparison);

std::string_view NameOf(LimitUnit unit);  // "share", "ns", "bytes", "count".

// For scripts: one row per gate, and one per place that does not simply hold.
Table GateTable(const Comparison& comparison);
Table GatePlaceTable(const Comparison& comparison);
// For people: a row per gate; of one on places, all places that fail (unless they are too many) and
// some of the others; with a `top` of 0, all.
Table ShownGates(const Comparison& comparison, std::size_t top);

// Matched kernels that take longer or shorter by themselves; people see the first `top`.
Table KernelTimeTable(const Comparison& comparison, std::size_t top);

// What people are shown first: the groups that make up the change, everything else, the residual
// and the total. They add up.
struct ShownRow {
  enum class Kind : std::uint8_t { kGroup, kRest, kResidual, kTotal } kind = Kind::kGroup;
  const ContributionGroup* group = nullptr;  // kGroup only.
  DurationNs base = 0;
  DurationNs now = 0;
  DurationNs delta = 0;
};
std::vector<ShownRow> ShownRows(const Comparison& comparison,
                                const std::vector<ContributionGroup>& groups, std::size_t top);
// "forward/layer 3 / softmax": where a row is, and what.
std::string RowName(const Comparison& comparison, const ShownRow& row);

Table ShownTable(const Comparison& comparison, const std::vector<ShownRow>& rows);

// Where a change is, for people: in the base and in the new runs; empty where it is not, or where
// both are the same.
std::pair<std::string, std::string> ChangeNames(const Comparison& comparison,
                                                const ChangeGroup& group);

// The changes for people, in groups, the first `top`.
Table ShownChanges(const Comparison& comparison, std::size_t top);

}  // namespace xsp
