#include "report/forecasts/forecast_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "report/graph/trust_words.h"
#include "report/tables/step_set_json.h"
#include "report/tables/units.h"
#include "sim/diagnosis/diagnosis.h"
#include "sim/whatifs/all.h"

namespace xsp {
namespace {

// What a unit waits for, by resource.
std::array<DurationNs, kResourceCount> Sums(const std::vector<Limit>& limits) {
  std::array<DurationNs, kResourceCount> sums{};
  for (const Limit& limit : limits)
    sums[static_cast<std::size_t>(ResourceOf(limit.kind))] += limit.ns;
  return sums;
}

// Of what recurs: the rest is the same before and after.
Resource MostOf(const std::vector<Limit>& limits) {
  auto sums = Sums(limits);
  sums[static_cast<std::size_t>(Resource::kOneTime)] = 0;
  return static_cast<Resource>(std::max_element(sums.begin(), sums.end()) - sums.begin());
}

DurationNs Total(const std::vector<Limit>& limits) {
  DurationNs total = 0;
  for (const Limit& limit : limits) total += limit.ns;
  return total;
}

std::int64_t CountOf(const PlannedChange& change) {
  return std::int64_t{change.changed} + change.inserted + change.removed;
}

// "+310 kernels", "327 faster": how many operations come, go or change.
std::string CountWords(const PlannedChange& change) {
  std::string text;
  auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (change.changed > 0) add(FormatCount(change.changed));
  if (change.inserted > 0) add("+" + FormatCount(change.inserted));
  if (change.removed > 0) add("−" + FormatCount(change.removed));
  return text.empty() ? "0" : text;
}

}  // namespace

std::string TitleOf(const Forecast& forecast) {
  std::string text;
  for (const std::string& option : forecast.whatifs) text += (text.empty() ? "" : " ") + option;
  return text;
}

std::string SpeedupWords(double speedup) {
  constexpr double kSame = 0.005;
  if (std::abs(speedup - 1) < kSame) return "no change";
  if (speedup > 1) return FormatNumber(speedup, 2) + "× faster";
  return FormatNumber(1 / speedup, 2) + "× slower";
}

std::string SignedPercent(double share) {
  const std::string text = FormatPercent(std::abs(share));
  return (share < 0 ? "−" : "+") + text;
}

std::string LimitWords(const std::vector<Limit>& limits) {
  return std::string(WordsOf(MostOf(limits)));
}

Table ChangesTable(const Forecast& forecast) {
  Table table("What changes",
              {{"what", "what", ColumnKind::kText, kAlways},
               {"count", "counts", ColumnKind::kText, 8, 2, Readers::kPeople},
               {"count", "count", ColumnKind::kInt, 0, 2, Readers::kScripts},
               {"inserted", "inserted", ColumnKind::kInt, 0, 2, Readers::kScripts},
               {"removed", "removed", ColumnKind::kInt, 0, 2, Readers::kScripts},
               {"now", "before_ns", ColumnKind::kDuration, kAlways},
               {"after", "after_ns", ColumnKind::kDuration, kAlways},
               {"host now", "host_before_ns", ColumnKind::kDuration, 6},
               {"host after", "host_after_ns", ColumnKind::kDuration, 6},
               {"which work", "selector", ColumnKind::kText, 0, 2, Readers::kScripts}});
  table.ShareTimeUnit();
  DurationNs before = 0;
  for (const PlannedChange& change : forecast.changes) {
    before += change.device_before;
    if (CountOf(change) == 0) continue;
    table.AddRow({change.what, CountWords(change), CountOf(change), change.inserted, change.removed,
                  change.device_before, change.device_after, change.host_before, change.host_after,
                  change.selector});
  }
  const DurationNs same = forecast.device_before - before;
  if (forecast.applies && same > 0) {
    table.AddRow({"unchanged device work", "", std::nullopt, std::nullopt, std::nullopt, same, same,
                  std::nullopt, std::nullopt, "the rest"});
  }
  return table;
}

Table WaitsTable(const Forecast& forecast, bool is_step) {
  Table table(is_step ? "A step waits for" : "The GPU span waits for",
              {{"what", "what", ColumnKind::kText, kAlways},
               {"now", "share_before", ColumnKind::kShare, kAlways},
               {"after", "share_after", ColumnKind::kShare, kAlways},
               {"", "bar", ColumnKind::kBar, 1},
               {"now", "before_ns", ColumnKind::kDuration, 5},
               {"after", "after_ns", ColumnKind::kDuration, 5}});
  table.ShareTimeUnit();
  const auto before = Sums(forecast.limits_before);
  const auto after = Sums(forecast.limits_after);
  const DurationNs all_before = Total(forecast.limits_before);
  const DurationNs all_after = Total(forecast.limits_after);
  for (std::size_t i = 0; i < kResourceCount; ++i) {
    if (before[i] == 0 && after[i] == 0) continue;
    table.AddRow({WordsOf(static_cast<Resource>(i)), ShareOf(before[i], all_before),
                  ShareOf(after[i], all_after), ShareOf(after[i], all_after), before[i], after[i]});
  }
  return table;
}

namespace {

// The pieces of the critical path, of one time or several; JSON has them apart.
using Pieces = std::pair<const char*, const std::vector<Limit>*>;

Table LimitsTable(std::initializer_list<Pieces> times) {
  Table table("What the unit waits for, piece by piece",
              {{"", "when", ColumnKind::kText, kAlways, 0, Readers::kAllButJson},
               {"kind", "kind", ColumnKind::kText, kAlways},
               {"what", "name", ColumnKind::kName, kAlways},
               {"time", "ns", ColumnKind::kDuration, kAlways}});
  for (const auto& [when, limits] : times) {
    for (const Limit& limit : *limits) {
      table.AddRow({when, NameOf(limit.kind), limit.name, limit.ns});
    }
  }
  return table;
}

// The what-ifs that are worth asking next, by what the unit waits for afterwards.
std::vector<const WhatIf*> NextWhatIfs(Resource waits) {
  switch (waits) {
    case Resource::kHost:
    case Resource::kLaunches:
      return {&kCudaGraphs, &kNoSync};
    case Resource::kGpu:
      return {&kAmp, &kFusedOptimizer};
    case Resource::kCommunication:
      return {&kNetwork, &kBuckets};
    case Resource::kInput:
      return {&kLoader};
    default:
      return {};
  }
}

std::string NextWords(const Forecast& forecast) {
  auto asked = [&](std::string_view name) {
    return std::any_of(forecast.whatifs.begin(), forecast.whatifs.end(), [&](const auto& option) {
      return option.substr(2, option.find('=') - 2) == name;
    });
  };
  std::string text;
  for (const WhatIf* whatif : NextWhatIfs(MostOf(forecast.limits_after))) {
    if (!asked(whatif->name)) text += "--" + std::string(whatif->name) + " · ";
  }
  return text + "--timeline out.json";
}

// What a profiler slows down is much of the time, before or after.
bool HostMatters(const Forecast& forecast) {
  constexpr double kPart = 0.25;
  const auto share_of_host = [](const std::vector<Limit>& limits) {
    DurationNs host = 0, all = 0;
    for (const Limit& limit : limits) {
      const Resource of = ResourceOf(limit.kind);
      if (of == Resource::kHost || of == Resource::kLaunches) host += limit.ns;
      all += limit.ns;
    }
    return ShareOf(host, std::max<DurationNs>(1, all));
  };
  return share_of_host(forecast.limits_before) > kPart ||
         share_of_host(forecast.limits_after) > kPart;
}

}  // namespace

std::string BasisWords(std::uint8_t evidence) {
  constexpr std::pair<Evidence, std::string_view> kWords[] = {
      {kStructural, "waits seen in the trace that go away"},
      {kScaling, "measured work at another speed"},
      {kInserted, "a model of new work"}};
  std::string text;
  for (const auto& [bit, words] : kWords) {
    if ((evidence & bit) != 0) text += (text.empty() ? "" : "; ") + std::string(words);
  }
  return text;
}

Table LimitsTable(const Forecast& forecast) {
  return LimitsTable({{"before", &forecast.limits_before}, {"after", &forecast.limits_after}});
}

Table NotesTable(const Workbench& workbench, const Forecast& forecast) {
  Table table("",
              {{"", "what", ColumnKind::kText, kAlways}, {"", "note", ColumnKind::kText, kAlways}});
  table.HideHeader();
  const std::string basis = BasisWords(forecast.evidence);
  if (!basis.empty()) table.AddRow({"rests on", basis});
  if (forecast.memory_bytes) {
    const double bytes = *forecast.memory_bytes;
    table.AddRow({"memory", std::string(bytes < 0 ? "−" : "+") +
                                FormatBytes(static_cast<std::uint64_t>(std::abs(bytes))) +
                                " of device memory at the peak"});
  }
  for (const std::string& text : forecast.assumptions) table.AddRow({"assumes", text});
  for (const std::string& text : forecast.cautions) table.AddRow({"caution", text});
  if (workbench.unit().is_step && workbench.host_factor() == 1 && HostMatters(forecast)) {
    table.AddRow({"caution",
                  "traced under a profiler, which slows the host down; give the real time of a "
                  "step: --step-time=..."});
  } else if (workbench.host_factor() != 1) {
    table.AddRow({"host", "times of the host × " + FormatNumber(workbench.host_factor(), 2) +
                              ", so that a step takes what it takes without a profiler"});
  }
  for (const std::string& text : forecast.surer) table.AddRow({"surer", text});
  table.AddRow(
      {"surer", "xsp validate " + TitleOf(forecast) + " BEFORE AFTER, once there is an after"});
  table.AddRow({"next", NextWords(forecast)});
  return table;
}

Facts ForecastFields(const Forecast& forecast, const Unit& unit) {
  Json whatifs = Json::array(), evidence = Json::array();
  for (const std::string& option : forecast.whatifs) whatifs.push_back(JsonText(option.substr(2)));
  for (const Evidence one : {kStructural, kScaling, kInserted}) {
    if ((forecast.evidence & one) != 0) evidence.push_back(EvidenceWords(one));
  }
  Facts fields;
  fields["whatifs"] = std::move(whatifs);
  AddUnitFields(unit, fields);
  fields["applies"] = forecast.applies;
  fields["reason"] = forecast.reason.empty() ? Json(nullptr) : JsonText(forecast.reason);
  fields["measured_ns"] = forecast.measured;
  fields["replayed_ns"] = forecast.replayed;
  fields["replay_error"] = forecast.ReplayError();
  fields["other_counted_steps_ns"] = forecast.OtherSteps();
  fields["forecast_ns"] = forecast.forecast;
  fields["speedup"] = forecast.Speedup();
  fields["speedup_low"] = forecast.SpeedupLow();
  fields["speedup_high"] = forecast.SpeedupHigh();
  fields["trust"] = TrustJson(forecast.trust);
  fields["bound_ns"] = forecast.bound;
  fields["floor_ns"] = forecast.floor;
  fields["forecast_with_between_ns"] =
      unit.is_step ? Json(forecast.forecast + forecast.between) : Json();
  fields["naive_ns"] = forecast.naive;
  fields["classic_ns"] = JsonOrNull(forecast.classic);
  fields["work_per_unit"] = forecast.work;
  fields["device_sum_before_ns"] = forecast.device_before;
  fields["device_sum_after_ns"] = forecast.device_after;
  fields["memory_bytes"] = JsonOrNull(forecast.memory_bytes);
  fields["changes"] = Json::array();
  fields["evidence"] = std::move(evidence);
  fields["assumptions"] = forecast.assumptions;
  fields["cautions"] = forecast.cautions;
  fields["surer"] = forecast.surer;
  fields["limits"] = {{"before", RowsOf(LimitsTable({{"before", &forecast.limits_before}}))},
                      {"after", RowsOf(LimitsTable({{"after", &forecast.limits_after}}))}};
  return fields;
}

}  // namespace xsp
