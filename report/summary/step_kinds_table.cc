#include "report/summary/step_kinds_table.h"

#include <algorithm>

#include "base/text.h"
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
std::string MainCause(const std::array<DurationNs, kIdleCauseCount>& causes, DurationNs of) {
  constexpr double kWorthAWord = 0.01;
  const auto most = std::max_element(causes.begin(), causes.end());
  if (of <= 0 || ShareOf(*most, of) < kWorthAWord) return "";
  return std::string(Meaning(static_cast<IdleCause>(most - causes.begin())));
}

Json CauseList(const std::array<DurationNs, kIdleCauseCount>& ns) {
  Json causes = Json::array();
  for (std::size_t i = 0; i < ns.size(); ++i) {
    if (ns[i] == 0) continue;
    causes.push_back({{"cause", NameOf(static_cast<IdleCause>(i))}, {"ns", ns[i]}});
  }
  return causes;
}

// ", as vLLM tells": whose texts these are.
std::string WhoTells(const std::vector<StepKindRow>& rows) {
  std::vector<std::string> names;
  for (const StepKindRow& row : rows) {
    if (row.framework.empty()) continue;
    if (std::find(names.begin(), names.end(), row.framework) == names.end()) {
      names.push_back(row.framework);
    }
  }
  return names.empty() ? "" : ", by the texts of " + Joined(names, " and ");
}

// What such steps do not tell, and what would.
std::string NoteOn(const std::vector<StepKindRow>& rows, bool has_several) {
  std::vector<std::string> notes;
  if (!rows.empty() && !has_several) notes.emplace_back("one step of a kind: no p50, p95, p99");
  const bool lacks_layers = std::any_of(rows.begin(), rows.end(),
                                        [](const StepKindRow& row) { return row.lacks_layers; });
  if (lacks_layers) {
    notes.emplace_back("kernels of CUDA graphs have no layers: xsp import --graph-names FILE");
  }
  return Joined(notes, "; ");
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
  Table table("Steps by kind" + WhoTells(rows),
              {{"kind", "kind", ColumnKind::kText, kAlways},
               {"", "framework", ColumnKind::kText, 1, 2, Readers::kScripts},
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
    table.AddRow({row.kind, row.framework, row.count, row.counted, row.typical, row.p50, row.p95,
                  row.p99, row.requests, row.tokens, row.tokens_per_s,
                  ShareOrNone(row.busy, row.typical), row.busy, row.idle,
                  MainCause(row.causes, row.typical.value_or(0)), JsonCell(CauseList(row.causes)),
                  row.gap, JsonCell(CauseList(row.gap_causes)), JsonCell(HostList(row))});
  }
  const std::string note = NoteOn(rows, has_several);
  if (!note.empty()) table.AddNote(note);
  return table;
}

std::string OneStepWords(const StepKindRow& row) {
  std::string words = FormatDuration(row.typical.value_or(0)) + " a step";
  if (!row.framework.empty()) words = "By the texts of " + row.framework + ": " + words;
  if (row.tokens_per_s) words += " = " + FormatLargeNumber(*row.tokens_per_s, 0) + " tokens/s";
  const std::string note = NoteOn({row}, false);
  return words + (note.empty() ? "" : "; " + note) + ".";
}

std::string HostWords(const StepKindRow& row) {
  constexpr double kWorthAWord = 0.01;
  std::vector<std::string> exposed, hidden;
  for (const HostPhase& phase : row.host) {
    const bool shows = ShareOf(phase.exposed, row.typical.value_or(1)) >= kWorthAWord;
    (shows ? exposed : hidden)
        .push_back(phase.what + " " + FormatDuration(shows ? phase.exposed : phase.ns));
  }
  std::string words = "The host around a " + row.kind + " step";
  words += exposed.empty() ? " hides behind the GPU: " + Joined(hidden, ", ")
                           : ", while its GPU is idle: " + Joined(exposed, ", ");
  if (row.processes > 1) words += " (mean of " + std::to_string(row.processes) + " processes)";
  if (row.gap) {
    words += "; from its last kernel to the next step's first " + FormatDuration(*row.gap);
    const std::string cause = MainCause(row.gap_causes, *row.gap);
    if (!cause.empty()) words += ", mostly since " + cause;
  }
  return words + ".";
}

}  // namespace xsp
