#include "hierarchy/ranks/make_rank_tables.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "hierarchy/ranks/compute_gaps.h"
#include "hierarchy/ranks/disjoint_ranges.h"
#include "hierarchy/ranks/rank_collectives.h"
#include "hierarchy/ranks/rank_facts.h"
#include "hierarchy/ranks/rank_segments.h"
#include "hierarchy/ranks/rank_work.h"

namespace xsp {
namespace {

std::string_view RoleWord(StepRole role) {
  switch (role) {
    case StepRole::kCounted:
      return "counted";
    case StepRole::kCold:
      return "cold";
    case StepRole::kOutlier:
      return "outlier";
    case StepRole::kLeftOut:
      break;
  }
  return "left_out";
}

std::vector<RankStep> StepRows(const Steps& steps) {
  std::vector<RankStep> rows;
  for (const Step& step : steps.steps) {
    RankStep& row = rows.emplace_back();
    row.step = static_cast<std::int64_t>(rows.size());
    row.name = step.name;
    row.kind = step.kind();
    row.role = RoleWord(step.role);
    row.begin_ns = step.time.begin;
    row.end_ns = step.time.end;
  }
  return rows;
}

// When a process computed, communicated and did anything else, and why it did not compute.
struct Activities {
  DisjointRanges communication;
  DisjointRanges exposed;
  DisjointRanges others;  // All but communication.
  std::vector<ComputeGap> gaps;
};

Activities ActivitiesOf(const Trace& trace, const RankEvents& events, TimeRange over) {
  std::vector<TimeRange> communication, others;
  for (const RankWork& one : events.work) {
    const bool communicates = one.activity == Activity::kCommunication;
    (communicates ? communication : others).push_back(one.time);
  }
  Activities all;
  all.communication = DisjointRanges(std::move(communication));
  all.others = DisjointRanges(std::move(others));
  all.exposed = all.communication.Without(all.others);
  all.gaps = FindComputeGaps(trace, events, over);
  return all;
}

// What the time of steps went to. Steps come in order of time, as gaps do.
class BudgetRows {
 public:
  BudgetRows(const Activities& all, const std::vector<RankWork>& work) : all_(all), work_(work) {}

  void Add(std::int64_t step, TimeRange time) {
    std::array<DurationNs, 4> causes{};
    DurationNs by_copies = 0, by_communication = 0, absent = 0;
    while (first_ < all_.gaps.size() && all_.gaps[first_].time.end <= time.begin) ++first_;
    for (std::size_t i = first_; i < all_.gaps.size() && all_.gaps[i].time.begin < time.end; ++i) {
      const ComputeGap& gap = all_.gaps[i];
      const DurationNs ns = gap.time.Clip(time).Length();
      causes[static_cast<std::size_t>(gap.cause)] += ns;
      absent += ns;
      if (gap.cause != GapCause::kBlocking) continue;
      const bool communicates = work_[gap.held_by].activity == Activity::kCommunication;
      (communicates ? by_communication : by_copies) += ns;
    }
    AddRow(step, "compute", "", std::max<DurationNs>(0, time.Length()) - absent);
    for (std::size_t cause = 0; cause < causes.size(); ++cause) {
      AddRow(step, NameOf(static_cast<GapCause>(cause)), "", causes[cause]);
    }
    AddRow(step, "blocking_communication", "blocking", by_communication);
    AddRow(step, "blocking_copy", "blocking", by_copies);
    AddRow(step, "communication", "beside", all_.communication.Within(time));
    AddRow(step, "communication_exposed", "communication", all_.exposed.Within(time));
  }

  std::vector<RankBudget> Take() { return std::move(rows_); }

 private:
  void AddRow(std::int64_t step, std::string_view cause, std::string_view part_of, DurationNs ns) {
    rows_.push_back({step, std::string(cause), std::string(part_of), ns});
  }

  const Activities& all_;
  const std::vector<RankWork>& work_;
  std::size_t first_ = 0;  // The first gap that the next step may have a part in.
  std::vector<RankBudget> rows_;
};

// From the first device work or step to the last.
TimeRange WholeTime(const RankTables& tables) {
  TimeRange time = {tables.facts.begin_ns, tables.facts.end_ns};
  if (tables.steps.empty()) return time;
  time.begin = std::min(time.begin, tables.steps.front().begin_ns);
  time.end = std::max(time.end, tables.steps.back().end_ns);
  return time;
}

// What all ranks of a trace share.
struct Shared {
  const Hierarchy& hierarchy;
  const JobFacts& job;
  RankIdentities identities;
  KernelCollectives collectives;
  std::vector<RankStep> steps;
};

RankTables TablesOf(Shared& shared, ProcessId process, const RankEvents& events) {
  const Hierarchy& hierarchy = shared.hierarchy;
  RankTables tables;
  tables.process = process.value;
  tables.facts =
      FactsOf(hierarchy, process, events.work, shared.identities.Of(process), shared.job);
  tables.steps = shared.steps;
  const Activities all = ActivitiesOf(hierarchy.trace(), events, WholeTime(tables));
  RankCollectives collectives =
      FindCollectives(hierarchy, process, events, shared.collectives, all.others, all.gaps);
  tables.segments = FindSegments(hierarchy, events.work, all.gaps, collectives);
  tables.collectives = std::move(collectives.rows);
  BudgetRows budget(all, events.work);
  for (const RankStep& step : tables.steps) budget.Add(step.step, {step.begin_ns, step.end_ns});
  const bool has_work = tables.facts.end_ns > tables.facts.begin_ns;
  if (tables.steps.empty() && has_work) {
    budget.Add(0, {tables.facts.begin_ns, tables.facts.end_ns});
  }
  tables.budget = budget.Take();
  tables.facts.fingerprint = FingerprintOf(hierarchy, events.work, tables.collectives);
  return tables;
}

}  // namespace

std::vector<RankTables> MakeRankTables(const Hierarchy& hierarchy, const JobFacts& job) {
  constexpr std::size_t kMostRanks = 1024;
  constexpr std::size_t kMostSteps = std::size_t{1} << 22;  // Of all ranks.
  const std::vector<RankEvents> events = EventsByProcess(hierarchy);
  std::vector<ProcessId> processes;
  for (std::size_t p = 0; p < events.size(); ++p) {
    if (!events[p].work.empty() || !events[p].mpi.empty()) processes.emplace_back(p);
  }
  const std::size_t steps = hierarchy.steps().size();
  if (processes.size() > kMostRanks || processes.size() * steps > kMostSteps) return {};
  Shared shared{hierarchy, job, RankIdentities(hierarchy.trace(), job),
                KernelCollectives(hierarchy), StepRows(hierarchy.steps())};
  std::vector<RankTables> ranks;
  for (ProcessId process : processes) {
    ranks.push_back(TablesOf(shared, process, events[process.value]));
  }
  return ranks;
}

}  // namespace xsp
