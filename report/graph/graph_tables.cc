#include "report/graph/graph_tables.h"

#include <algorithm>
#include <string>
#include <utility>

#include "graph/interference/interference.h"
#include "graph/task_graph.h"
#include "model/names/kernel_names.h"
#include "report/tables/table.h"
#include "report/tables/units.h"

namespace xsp {
namespace {

using Dimension = std::vector<std::uint32_t>;

// "16x8x1"; empty where the trace does not say.
std::string Dimensions(const Dimension& x, const Dimension& y, const Dimension& z,
                       std::size_t row) {
  if (x[row] == kMissing<std::uint32_t>) return "";
  return std::to_string(x[row]) + "x" + std::to_string(y[row]) + "x" + std::to_string(z[row]);
}

std::string GridOf(const Trace& trace, EventId kernel) {
  const Kernels& k = trace.kernels();
  return Dimensions(k.grid_x, k.grid_y, k.grid_z, trace.Row(kernel, EventKind::kKernel));
}

std::string BlockOf(const Trace& trace, EventId kernel) {
  const Kernels& k = trace.kernels();
  return Dimensions(k.block_x, k.block_y, k.block_z, trace.Row(kernel, EventKind::kKernel));
}

std::vector<Slowdown> MostFirst(std::vector<Slowdown> slowdowns) {
  std::stable_sort(slowdowns.begin(), slowdowns.end(), [](const Slowdown& a, const Slowdown& b) {
    auto cost = [](const LearnedFactor& of) { return (of.factor - 1) * static_cast<float>(of.n); };
    return cost(a.beside_collective) + cost(a.beside_kernel) >
           cost(b.beside_collective) + cost(b.beside_kernel);
  });
  return slowdowns;
}

bool IsLearned(const LearnedFactor& of) { return of.factor > 1; }

Cell FactorOf(const LearnedFactor& of) {
  return IsLearned(of) ? Cell(static_cast<double>(of.factor)) : Cell();
}

// "4.45 x (21)".
std::string FactorWords(const LearnedFactor& of) {
  if (!IsLearned(of)) return "";
  return FormatNumber(of.factor, 2) + " x (" + FormatCount(of.n) + ")";
}

std::vector<IdleGap> UnexplainedGaps(const IdleReport& idle) {
  std::vector<IdleGap> gaps;
  for (const IdleGap& gap : idle.gaps) {
    if (gap.unexplained > 0) gaps.push_back(gap);
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const IdleGap& a, const IdleGap& b) {
    return a.unexplained > b.unexplained;
  });
  return gaps;
}

}  // namespace

Table RulesTable(const GraphAssessment& a) {
  Table table("Edges", {{"rule", "rule", ColumnKind::kText, kAlways},
                        {"edges", "edges", ColumnKind::kInt},
                        {"violated", "violated", ColumnKind::kInt},
                        {"halved, rule frozen", "halved_share", ColumnKind::kShare}});
  for (const RuleRow& row : kRuleTable) {
    const std::uint32_t edges = a.verification.edges[IndexOf(row.rule)];
    if (edges == 0) continue;
    Cell frozen;
    for (const auto& [of, share] : a.halving.frozen) {
      if (of == row.rule) frozen = Cell(share);
    }
    table.AddRow({row.name, edges, a.verification.violated[IndexOf(row.rule)], frozen});
  }
  table.AddNote(
      "Frozen: waits of the rule are kept as host work while kernels take half as long. Where");
  table.AddNote("that is more than " + FormatPercent(a.halving.gpu_span_share) +
                ", forecasts from this trace need the rule.");
  return table;
}

Table ConstantsTable(const TaskGraph& graph, bool with_queue_depth) {
  constexpr Readers kScripts = Readers::kScripts, kPeople = Readers::kPeople;
  Table table("Constants", {{"constant", "constant", ColumnKind::kText, kAlways},
                            {"value", "value_ns", ColumnKind::kDuration, kAlways},
                            {"n", "n", ColumnKind::kInt},
                            {"p10", "p10_ns", ColumnKind::kDuration},
                            {"p90", "p90_ns", ColumnKind::kDuration},
                            {"", "", ColumnKind::kText, 5, 0, kPeople},
                            {"", "default", ColumnKind::kText, 0, 0, kScripts}});
  for (const Constant& constant : graph.constants.all()) {
    const bool is_depth = constant.name == "queue_depth";  // No time: people read it in the note.
    if (constant.name == "none" || (is_depth && !with_queue_depth)) continue;
    const bool has_samples = constant.n > 0;
    table.AddRow({constant.name, constant.value, constant.n,
                  has_samples ? Cell(constant.p10) : Cell(),
                  has_samples ? Cell(constant.p90) : Cell(), constant.is_default ? "default" : "",
                  constant.is_default});
  }
  table.AddNote("The launch queue holds " + FormatCount(graph.queue_depth) +
                " commands. default: fewer than " + std::to_string(kMinSamples) +
                " samples in this trace.");
  return table;
}

Table StepErrorsTable(const ReplayError& replay) {
  Table table("Steps", {{"step", "step", ColumnKind::kId},
                        {"cold", "cold", ColumnKind::kText},
                        {"measured", "measured_ns", ColumnKind::kDuration},
                        {"simulated", "simulated_ns", ColumnKind::kDuration},
                        {"error", "error", ColumnKind::kShare}});
  for (const StepError& step : replay.step_errors) {
    table.AddRow(
        {step.step + 1, step.role == StepRole::kCold, step.measured, step.simulated, step.error});
  }
  return table;
}

Table UnexplainedTable(const IdleReport& idle, std::shared_ptr<const TaskWords> words,
                       std::size_t top) {
  constexpr Readers kScripts = Readers::kScripts, kPeople = Readers::kPeople;
  Table table("Idle time that is not explained",
              {{"unexplained", "unexplained_ns", ColumnKind::kDuration, kAlways},
               {"of a gap of", "ns", ColumnKind::kDuration, 3},
               {"", "begin_ns", ColumnKind::kDuration, 0, 0, kScripts},
               {"", "end_ns", ColumnKind::kDuration, 0, 0, kScripts},
               {"", "device", ColumnKind::kInt, 0, 0, kScripts},
               {"task", "task", ColumnKind::kId, kAlways},
               {"that began late or early", "", ColumnKind::kName, 5, 0, kPeople},
               {"", "name", ColumnKind::kName, 0, 0, kScripts},
               {"row", "row", ColumnKind::kName, 4}});
  std::vector<IdleGap> gaps = UnexplainedGaps(idle);
  const std::size_t count = gaps.size();
  table.SetRows(count, [numbers = idle.numbers(), words = std::move(words),
                        gaps = std::move(gaps)](std::size_t i) {
    const IdleGap& gap = gaps[i];
    return std::vector<Cell>{gap.unexplained,
                             gap.time.Length(),
                             gap.time.begin,
                             gap.time.end,
                             numbers[gap.device],
                             gap.next.value,
                             words->NameAndPlace(gap.next),
                             words->Described(gap.next),
                             words->Row(gap.next)};
  });
  table.ShowFirst(top);
  if (count > 0)
    table.AddNote("xsp graph TRACE --explain TASK tells why a task began when it did.");
  return table;
}

Table ViolationsTable(std::vector<Violation> violations, std::shared_ptr<const TaskWords> words,
                      std::size_t top) {
  constexpr Readers kScripts = Readers::kScripts, kPeople = Readers::kPeople;
  Table table("Violated edges", {{"too early by", "early_ns", ColumnKind::kDuration, kAlways},
                                 {"rule", "rule", ColumnKind::kText, kAlways},
                                 {"task", "task", ColumnKind::kId, kAlways},
                                 {"that should have waited", "", ColumnKind::kName, 5, 0, kPeople},
                                 {"", "name", ColumnKind::kName, 0, 0, kScripts},
                                 {"row", "row", ColumnKind::kName, 4},
                                 {"for", "source", ColumnKind::kId, 3},
                                 {"which is", "", ColumnKind::kName, 3, 0, kPeople},
                                 {"", "source_name", ColumnKind::kName, 0, 0, kScripts},
                                 {"", "source_row", ColumnKind::kName, 0, 0, kScripts}});
  const std::size_t count = violations.size();
  table.SetRows(count, [words = std::move(words), list = std::move(violations)](std::size_t i) {
    const Violation& violation = list[i];
    return std::vector<Cell>{violation.by,
                             NameOf(violation.rule),
                             violation.task.value,
                             words->NameAndPlace(violation.task),
                             words->Described(violation.task),
                             words->Row(violation.task),
                             violation.source.value,
                             words->NameAndPlace(violation.source),
                             words->Described(violation.source),
                             words->Row(violation.source)};
  });
  table.ShowFirst(top);
  return table;
}

Table InterferenceTable(const TaskGraph& graph, std::size_t top) {
  constexpr Readers kPeople = Readers::kPeople, kScripts = Readers::kScripts;
  Table table("Kernels that take longer beside others",
              {{"kernel", "kernel", ColumnKind::kName},
               {"grid", "grid", ColumnKind::kText, 3},
               {"block", "block", ColumnKind::kText, 4},
               {"beside a collective", "", ColumnKind::kText, kAlways, 0, kPeople},
               {"", "beside_collective", ColumnKind::kFloat, 0, 4, kScripts},
               {"", "beside_collective_n", ColumnKind::kInt, 0, 0, kScripts},
               {"beside a kernel", "", ColumnKind::kText, 5, 0, kPeople},
               {"", "beside_kernel", ColumnKind::kFloat, 0, 4, kScripts},
               {"", "beside_kernel_n", ColumnKind::kInt, 0, 0, kScripts},
               {"alone", "alone_n", ColumnKind::kInt, kAlways}});
  if (graph.slowdowns.empty()) return table;
  const KernelLabels names(*graph.trace, NameForm::kShort);
  for (const Slowdown& of : MostFirst(graph.slowdowns)) {
    table.AddRow(
        {names.Of(of.example), GridOf(*graph.trace, of.example), BlockOf(*graph.trace, of.example),
         FactorWords(of.beside_collective), FactorOf(of.beside_collective), of.beside_collective.n,
         FactorWords(of.beside_kernel), FactorOf(of.beside_kernel), of.beside_kernel.n, of.alone});
  }
  table.ShowFirst(top);
  const CompanyTime company = MeasuredCompany(graph);
  table.AddNote("Median beside / median alone, and of how many. Known for " +
                FormatPercent(ShareOf(company.learned, company.total)) + " of the " +
                FormatDuration(company.total) + " that kernels");
  table.AddNote(
      "ran beside others; what is not known stays as it was. Off: --without interference");
  return table;
}

}  // namespace xsp
