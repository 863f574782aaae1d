#include "report/graph/interference_report.h"

#include <algorithm>
#include <string>

#include "graph/interference/interference.h"
#include "model/names/kernel_names.h"
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

}  // namespace

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
