#include "report/summary/step_kinds_table.h"

#include <algorithm>

#include "report/tables/json.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

std::optional<double> ShareOrNone(const std::optional<DurationNs>& part,
                                  const std::optional<DurationNs>& whole) {
  if (!part || !whole || *whole <= 0) return std::nullopt;
  return ShareOf(*part, *whole);
}

// What devices mostly wait for in such steps; empty where they hardly do.
std::string MainCause(const StepKindRow& row) {
  constexpr double kWorthAWord = 0.01;
  const auto most = std::max_element(row.causes.begin(), row.causes.end());
  if (!row.typical || ShareOf(*most, *row.typical) < kWorthAWord) return "";
  return std::string(Meaning(static_cast<IdleCause>(most - row.causes.begin())));
}

Json CauseList(const std::array<DurationNs, kIdleCauseCount>& ns) {
  Json causes = Json::array();
  for (std::size_t i = 0; i < ns.size(); ++i) {
    if (ns[i] == 0) continue;
    causes.push_back({{"cause", NameOf(static_cast<IdleCause>(i))}, {"ns", ns[i]}});
  }
  return causes;
}

Json HostList(const StepKindRow& row) {
  Json host = Json::array();
  for (const HostPhase& activity : row.host) {
    host.push_back(
        {{"what", activity.what}, {"ns", activity.ns}, {"exposed_ns", activity.exposed}});
  }
  return host;
}

}  // namespace

Table StepKindsTable(const std::vector<StepKindRow>& rows) {
  // Where too few steps tell them, people see no empty columns.
  const auto readers = [&](std::optional<DurationNs> StepKindRow::*figure) {
    const bool is_told =
        std::any_of(rows.begin(), rows.end(), [&](const StepKindRow& row) { return row.*figure; });
    return is_told ? Readers::kAll : Readers::kScripts;
  };
  const bool has_several =
      std::any_of(rows.begin(), rows.end(), [](const StepKindRow& row) { return row.counted > 1; });
  Table table("Steps by kind",
              {{"kind", "kind", ColumnKind::kText, kAlways},
               {"steps", "count", ColumnKind::kInt, kAlways},
               {"counted", "counted", ColumnKind::kInt, 2, 2, Readers::kScripts},
               {"typical", "typical_ns", ColumnKind::kDuration, kAlways},
               {"p50", "p50_ns", ColumnKind::kDuration, 6, 2,
                has_several ? Readers::kAll : Readers::kScripts},
               {"p95", "p95_ns", ColumnKind::kDuration, 8, 2, readers(&StepKindRow::p95)},
               {"p99", "p99_ns", ColumnKind::kDuration, 8, 2, readers(&StepKindRow::p99)},
               {"requests", "requests", ColumnKind::kInt, 7},
               {"tokens", "tokens", ColumnKind::kInt, 7},
               {"tokens/s", "tokens_per_s", ColumnKind::kFloat, 9, 0},
               {"busy", "busy_share", ColumnKind::kShare, 9, 2, Readers::kPeople},
               {"", "busy_ns", ColumnKind::kDuration, 1, 2, Readers::kScripts},
               {"", "idle_ns", ColumnKind::kDuration, 1, 2, Readers::kScripts},
               {"idle for", "idle_for", ColumnKind::kText, 7, 2, Readers::kPeople},
               {"", "idle_causes", ColumnKind::kText, 1, 2, Readers::kJson},
               {"gap", "gap_ns", ColumnKind::kDuration, 5, 2, Readers::kScripts},
               {"", "gap_causes", ColumnKind::kText, 1, 2, Readers::kJson},
               {"", "host", ColumnKind::kText, 1, 2, Readers::kJson}});
  for (const StepKindRow& row : rows) {
    table.AddRow({row.kind, row.count, row.counted, row.typical, row.p50, row.p95, row.p99,
                  row.requests, row.tokens, row.tokens_per_s, ShareOrNone(row.busy, row.typical),
                  row.busy, row.idle, MainCause(row), JsonCell(CauseList(row.causes)), row.gap,
                  JsonCell(CauseList(row.gap_causes)), JsonCell(HostList(row))});
  }
  if (!rows.empty() && !has_several) table.AddNote("one step of a kind: no p50, p95, p99");
  return table;
}

Table HostTable(const StepKindRow& row) {
  Table table("The host around " + row.kind + " steps",
              {{"a step", "ns", ColumnKind::kDuration, kAlways},
               {"exposed", "exposed_ns", ColumnKind::kDuration, kAlways},
               {"what", "what", ColumnKind::kText, kAlways}});
  for (const HostPhase& activity : row.host) {
    table.AddRow({activity.ns, activity.exposed, activity.what});
  }
  if (row.gap && !row.host.empty()) {
    table.AddNote("from the last kernel of such a step to the next one's first: " +
                  FormatDuration(*row.gap));
  }
  return table;
}

}  // namespace xsp
