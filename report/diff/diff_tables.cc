#include "report/diff/diff_tables.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/names/kernel_names.h"
#include "report/diff/diff_words.h"
#include "report/tables/json.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

// Smaller shares of the change, or of the unit, are not rows of their own.
constexpr double kLeastOfChange = 0.02;
constexpr double kLeastOfUnit = 0.0005;
// Places of a gate: all that fail and so many others, as long as people may read them.
constexpr std::size_t kShownOfOthers = 3;
constexpr std::size_t kMostShownPlaces = 60;

Cell DeviceTime(const Side& side, std::uint32_t place) {
  if (place == RunPlace::kNone) return Cell(0);
  return Cell(std::llround(side.MeanDeviceTime(place)));
}

std::string PathOrUnit(const Comparison& c, std::uint32_t pair) {
  const std::string path = c.Path(pair);
  return path.empty() ? "[" + std::string(c.is_step ? "step" : "span") + "]" : path;
}

Cell NameOrNothing(const Side& side, std::uint32_t place) {
  return place == RunPlace::kNone ? Cell() : Cell(side.Path(place));
}

Cell CountOrNothing(const Side& side, std::uint32_t place) {
  return place == RunPlace::kNone ? Cell() : Cell(side.MeanCount(place));
}

void AddContribution(const Comparison& c, const Contribution& row, Table& table) {
  const bool has_place = row.pair != Contribution::kNoPair;
  const PlacePair pair = has_place ? c.matching.pairs[row.pair] : PlacePair{};
  const bool on_device = has_place && c.Place(row.pair).IsDeviceWork();
  table.AddRow({has_place ? Cell(PathOrUnit(c, row.pair)) : Cell("[simulation error]"),
                NameOf(row.kind), row.delta, row.base, row.now,
                on_device ? DeviceTime(*c.base, pair.base) : Cell(),
                on_device ? DeviceTime(*c.now, pair.now) : Cell()});
}

// The change's name for people: kernels by their short names.
std::string ShownName(const Side& side, std::uint32_t place) {
  const RunPlace& of = side.places()[place];
  if (!of.is_kernel) return side.Path(place);
  const std::string parent = side.Path(of.parent);
  return (parent.empty() ? "" : parent + "/") + ShortKernelName(of.name);
}

Json AcceptedJson(const std::optional<AcceptedChange>& accepted) {
  if (!accepted) return nullptr;
  return {{"what", JsonText(accepted->what)}, {"change", accepted->change},
          {"unit", NameOf(accepted->unit)},   {"reason", JsonText(accepted->reason)},
          {"recorded", accepted->recorded},   {"until", JsonOrNull(accepted->until)}};
}

// JSON has no infinity.
Cell Finite(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Cell(*value) : Cell();
}

// Scripts know four states: what was accepted holds, what was not judged has no data, and both say
// so beside.
std::string_view ScriptState(GateState state) {
  if (state == GateState::kAccepted) return NameOf(GateState::kHolds);
  return NameOf(state == GateState::kNotJudged ? GateState::kNoData : state);
}

Json FiniteJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json PlacesJson(const GateResult& gate) {
  Json places = Json::array();
  for (const GatePlace& place : gate.places) {
    places.push_back({{"where", JsonText(place.where)},
                      {"new", place.now.empty() ? Json(nullptr) : JsonText(place.now)},
                      {"state", ScriptState(place.state)},
                      {"value", FiniteJson(place.value)},
                      {"low", FiniteJson(place.low)},
                      {"accepted", AcceptedJson(place.accepted)}});
  }
  return places;
}

Cell Holds(const GateResult& gate) {
  if (gate.holds()) return true;
  return gate.state == GateResult::State::kFails ? Cell(false) : Cell();
}

}  // namespace

std::string_view NameOf(LimitUnit unit) {
  switch (unit) {
    case LimitUnit::kShare:
      return "share";
    case LimitUnit::kNanoseconds:
      return "ns";
    case LimitUnit::kBytes:
      return "bytes";
    case LimitUnit::kCount:
      break;
  }
  return "count";
}

std::pair<std::string, std::string> ChangeNames(const Comparison& c, const ChangeGroup& group) {
  if (group.change.kind == ChangeKind::kRemoved) return {group.where, ""};
  if (group.change.kind == ChangeKind::kAdded) return {"", group.where};
  const PlacePair& pair = c.matching.pairs[group.change.pair];
  return {ShownName(*c.base, pair.base),
          pair.how == MatchKind::kExact ? "" : ShownName(*c.now, pair.now)};
}

Table ContributionTable(const Comparison& c) {
  Table table("", {{"where", "where", ColumnKind::kName},
                   {"kind", "kind", ColumnKind::kText},
                   {"Δ", "delta_ns", ColumnKind::kDuration},
                   {"base", "base_ns", ColumnKind::kDuration},
                   {"new", "new_ns", ColumnKind::kDuration},
                   {"base, summed", "base_device_sum_ns", ColumnKind::kDuration},
                   {"new, summed", "new_device_sum_ns", ColumnKind::kDuration}});
  const std::vector<Contribution>& rows = c.contributions;
  const std::size_t shown =
      rows.size() <= kMostContributions ? rows.size() - 1 : kMostContributions - 2;
  for (std::size_t i = 0; i < shown; ++i) AddContribution(c, rows[i], table);
  Contribution rest;
  for (std::size_t i = shown; i + 1 < rows.size(); ++i) {
    rest.base += rows[i].base;
    rest.now += rows[i].now;
    rest.delta += rows[i].delta;
  }
  if (shown + 1 < rows.size()) {
    table.AddRow({"[other]", "other", rest.delta, rest.base, rest.now, Cell(), Cell()});
  }
  AddContribution(c, rows.back(), table);  // The residual.
  return table;
}

Table ChangeTable(const Comparison& c) {
  Table table("", {{"what", "change", ColumnKind::kText},
                   {"base", "base", ColumnKind::kName},
                   {"new", "new", ColumnKind::kName},
                   {"details", "details", ColumnKind::kText},
                   {"base, summed", "base_device_sum_ns", ColumnKind::kDuration},
                   {"new, summed", "new_device_sum_ns", ColumnKind::kDuration},
                   {"base, in a unit", "base_count", ColumnKind::kFloat},
                   {"new, in a unit", "new_count", ColumnKind::kFloat}});
  const std::size_t shown = std::min(c.changes.size(), kMostContributions);
  for (std::size_t i = 0; i < shown; ++i) {
    const Change& change = c.changes[i];
    const PlacePair& pair = c.matching.pairs[change.pair];
    table.AddRow({NameOf(change.kind), NameOrNothing(*c.base, pair.base),
                  NameOrNothing(*c.now, pair.now), ChangeDetails(c, change),
                  DeviceTime(*c.base, pair.base), DeviceTime(*c.now, pair.now),
                  CountOrNothing(*c.base, pair.base), CountOrNothing(*c.now, pair.now)});
  }
  return table;
}

Table GateTable(const Comparison& c) {
  Table table("", {{"", "expression", ColumnKind::kName},
                   {"", "value", ColumnKind::kFloat},
                   {"", "holds", ColumnKind::kText},
                   {"", "state", ColumnKind::kText},
                   {"", "limit", ColumnKind::kFloat},
                   {"", "unit", ColumnKind::kText},
                   {"", "low", ColumnKind::kFloat},
                   {"", "where", ColumnKind::kName},
                   {"", "why", ColumnKind::kText},
                   {"", "accepted", ColumnKind::kText, 0, 0, Readers::kJson},
                   {"", "places", ColumnKind::kText, 0, 0, Readers::kJson}});
  for (const GateResult& gate : c.gates) {
    table.AddRow({gate.gate.text, Finite(gate.value), Holds(gate), ScriptState(gate.state),
                  gate.gate.limit, NameOf(gate.gate.unit), Finite(gate.low),
                  gate.where.empty() ? Cell() : Cell(gate.where),
                  gate.why.empty() ? Cell() : Cell(gate.why), JsonCell(AcceptedJson(gate.accepted)),
                  JsonCell(PlacesJson(gate))});
  }
  return table;
}

Table GatePlaceTable(const Comparison& c) {
  Table table("", {{"", "expression", ColumnKind::kName},
                   {"", "where", ColumnKind::kName},
                   {"", "new", ColumnKind::kName},
                   {"", "state", ColumnKind::kText},
                   {"", "value", ColumnKind::kFloat},
                   {"", "low", ColumnKind::kFloat}});
  for (const GateResult& gate : c.gates) {
    for (const GatePlace& place : gate.places) {
      table.AddRow({gate.gate.text, place.where, place.now.empty() ? Cell() : Cell(place.now),
                    ScriptState(place.state), Finite(place.value), Finite(place.low)});
    }
  }
  return table;
}

Table ShownGates(const Comparison& c, std::size_t top) {
  Table table("Limits", {{"limit", "", ColumnKind::kName, kAlways},
                         {"", "", ColumnKind::kText, kAlways},
                         {"change", "", ColumnKind::kText, 5},
                         {"where", "", ColumnKind::kName, 5},
                         {"", "", ColumnKind::kText, 5}});
  // Why limits are not judged: sentences, longer than a column, and often one for many of them.
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const GateResult& gate : c.gates) {
    const std::string limit = LimitLine(gate.gate);
    if (gate.places.empty()) {
      table.AddRow({limit, NameOf(gate.state), ValueWords(gate), gate.where,
                    gate.why.empty() ? RemarkOf(gate) : ""});
      const auto told = std::find_if(reasons.begin(), reasons.end(),
                                     [&](const auto& reason) { return reason.first == gate.why; });
      if (told != reasons.end()) {
        told->second += ", " + limit;
      } else if (!gate.why.empty()) {
        reasons.emplace_back(gate.why, limit);
      }
    }
    const std::size_t failing = gate.CountPlaces(GateState::kFails);
    const std::size_t shown =
        top == 0 ? gate.places.size() : std::min(failing + kShownOfOthers, kMostShownPlaces);
    for (std::size_t i = 0; i < std::min(shown, gate.places.size()); ++i) {
      const GatePlace& place = gate.places[i];
      table.AddRow({i == 0 ? limit : "", NameOf(place.state), ValueWords(gate.gate, place.value),
                    place.Name(), place.why.empty() ? RemarkOf(place) : place.why});
    }
    if (shown < gate.places.size()) {
      table.AddNote("and " + FormatCount(static_cast<std::int64_t>(gate.places.size() - shown)) +
                    " more places of " + gate.gate.subject + ": --top 0");
    }
  }
  for (const auto& [why, limits] : reasons) table.AddNote(limits + ": " + why);
  return table;
}

Table KernelTimeTable(const Comparison& c, std::size_t top) {
  constexpr Readers kPeople = Readers::kPeople, kScripts = Readers::kScripts;
  Table table("Kernels whose own time changed, on the critical path or not",
              {{"kernel", "", ColumnKind::kName, kAlways, 0, kPeople},
               {"", "base", ColumnKind::kName, 0, 0, kScripts},
               {"", "new", ColumnKind::kName, 0, 0, kScripts},
               {"launches", "base_count", ColumnKind::kFloat, 3, 0},
               {"now", "new_count", ColumnKind::kFloat, 3, 0},
               {"base", "base_mean_ns", ColumnKind::kDuration, kAlways},
               {"new", "new_mean_ns", ColumnKind::kDuration, kAlways},
               {"", "ratio", ColumnKind::kFloat, 0, 0, kScripts},
               {"change", "", ColumnKind::kText, kAlways, 0, kPeople},
               {"in all", "cost_ns", ColumnKind::kDuration, 4},
               {"", "certain", ColumnKind::kText, 0, 0, kScripts},
               {"", "", ColumnKind::kText, 4, 0, kPeople}});
  for (const KernelTime& row : c.kernel_times) {
    const std::string before = ShortKernelName(row.base), after = ShortKernelName(row.now);
    table.AddRow({before == after ? before : before + " → " + after, row.base, row.now,
                  row.base_count, row.now_count, std::llround(row.base_ns),
                  std::llround(row.now_ns), row.now_ns / row.base_ns, GrowthWords(row.growth()),
                  std::llround(row.cost()), row.certain ? Cell(*row.certain) : Cell(),
                  row.certain ? "" : "one value a side"});
  }
  table.ShowFirst(top);
  table.ShareTimeUnit();
  return table;
}

std::vector<ShownRow> ShownRows(const Comparison& c, const std::vector<ContributionGroup>& groups,
                                std::size_t top) {
  const double least =
      std::max(kLeastOfChange * static_cast<double>(std::abs(c.now_ns() - c.base_ns())),
               kLeastOfUnit * std::max(c.unit.base, c.unit.now));
  std::vector<ShownRow> rows;
  const Contribution& residual = c.contributions.back();
  ShownRow rest{ShownRow::Kind::kRest, nullptr, c.base_ns() - residual.base,
                c.now_ns() - residual.now, c.now_ns() - c.base_ns() - residual.delta};
  for (const ContributionGroup& group : groups) {
    const bool is_small = static_cast<double>(std::abs(group.delta)) < least;
    if (top > 0 && (is_small || rows.size() == top)) break;
    rows.push_back({ShownRow::Kind::kGroup, &group, group.base, group.now, group.delta});
    rest.base -= group.base;
    rest.now -= group.now;
    rest.delta -= group.delta;
  }
  if (rows.size() < groups.size()) rows.push_back(rest);
  rows.push_back({ShownRow::Kind::kResidual, nullptr, residual.base, residual.now, residual.delta});
  rows.push_back(
      {ShownRow::Kind::kTotal, nullptr, c.base_ns(), c.now_ns(), c.now_ns() - c.base_ns()});
  return rows;
}

std::string RowName(const Comparison& c, const ShownRow& row) {
  switch (row.kind) {
    case ShownRow::Kind::kRest:
      return "everything else";
    case ShownRow::Kind::kResidual:
      return KindWords(CostKind::kResidual);
    case ShownRow::Kind::kTotal:
      return UnitWords(c);
    case ShownRow::Kind::kGroup:
      break;
  }
  std::string name = row.group->where;
  if (name.empty() && row.group->what.empty()) return "outside of all ranges";
  // Where nobody named ranges, classes of kernels stand in for them.
  if (!row.group->what.empty() && !name.ends_with(row.group->what)) {
    name += (name.empty() ? "" : " / ") + row.group->what;
  }
  return name;
}

Table ShownTable(const Comparison& c, const std::vector<ShownRow>& rows) {
  Table table("Where the change comes from, on the critical path",
              {{"where", "where", ColumnKind::kName, kAlways},
               {"what", "kind", ColumnKind::kText, 6},
               {"base", "base_ns", ColumnKind::kDuration, 4},
               {"new", "new_ns", ColumnKind::kDuration, 4},
               {"Δ", "delta_ns", ColumnKind::kDuration, kAlways},
               {"", "bar", ColumnKind::kBar, 1},
               {"why", "why", ColumnKind::kName, 7}});
  DurationNs largest = 1;
  for (const ShownRow& row : rows) {
    if (row.kind == ShownRow::Kind::kGroup) largest = std::max(largest, std::abs(row.delta));
  }
  for (const ShownRow& row : rows) {
    const bool is_group = row.kind == ShownRow::Kind::kGroup;
    const double bar = static_cast<double>(std::abs(row.delta)) / static_cast<double>(largest);
    table.AddRow({RowName(c, row), is_group ? KindWords(row.group->kind) : std::string(), row.base,
                  row.now, row.delta, is_group ? std::min(1.0, bar) : 0.0,
                  is_group ? WhyOf(c, *row.group).Plain() : std::string()});
  }
  table.ShareTimeUnit();
  return table;
}

Table ShownChanges(const Comparison& c, std::size_t top) {
  Table table("What is not as it was", {{"", "change", ColumnKind::kText, kAlways},
                                        {"base", "base", ColumnKind::kName, kAlways},
                                        {"new", "new", ColumnKind::kName, 6},
                                        {"", "details", ColumnKind::kText, 5},
                                        {"base, summed", "base_ns", ColumnKind::kDuration, 3},
                                        {"new, summed", "new_ns", ColumnKind::kDuration, 3}});
  const std::vector<ChangeGroup> groups = GroupChanges(c);
  for (const ChangeGroup& group : groups) {
    const auto [base, now] = ChangeNames(c, group);
    table.AddRow({NameOf(group.change.kind), base.empty() ? Cell() : Cell(base),
                  now.empty() ? Cell() : Cell(now), ChangeGroupDetails(c, group),
                  std::llround(group.base_device), std::llround(group.now_device)});
  }
  table.ShowFirst(top);
  table.ShareTimeUnit();
  return table;
}

}  // namespace xsp
