#include "report/interference_report.h"

#include <algorithm>
#include <string>

#include "graph/interference.h"
#include "hierarchy/kernel_names.h"
#include "report/units.h"

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

// "4.45 x (21)".
std::string FactorWords(const LearnedFactor& of) {
  if (!IsLearned(of)) return "";
  return FormatNumber(of.factor, 2) + " x (" + FormatCount(of.n) + ")";
}

}  // namespace

Json InterferenceJson(const TaskGraph& graph) {
  const CompanyTime company = MeasuredCompany(graph);
  const Trace& trace = *graph.trace;
  Json kernels = Json::array();
  for (const Slowdown& slowdown : MostFirst(graph.slowdowns)) {
    auto factor = [](const LearnedFactor& of) {
      return IsLearned(of) ? Json(of.factor) : Json(nullptr);
    };
    kernels.push_back({{"kernel", JsonText(trace.name(slowdown.example))},
                       {"grid", GridOf(trace, slowdown.example)},
                       {"block", BlockOf(trace, slowdown.example)},
                       {"beside_collective", factor(slowdown.beside_collective)},
                       {"beside_collective_n", slowdown.beside_collective.n},
                       {"beside_kernel", factor(slowdown.beside_kernel)},
                       {"beside_kernel_n", slowdown.beside_kernel.n},
                       {"alone_n", slowdown.alone}});
  }
  return {{"company_ns", company.total}, {"learned_ns", company.learned}, {"kernels", kernels}};
}

Table InterferenceTable(const TaskGraph& graph, std::size_t top) {
  Table table("Kernels that take longer beside others",
              {{"kernel", "kernel", ColumnKind::kName},
               {"grid", "grid", ColumnKind::kText, 3},
               {"block", "block", ColumnKind::kText, 4},
               {"beside a collective", "beside_collective", ColumnKind::kText, kAlways},
               {"beside a kernel", "beside_kernel", ColumnKind::kText},
               {"alone", "alone_n", ColumnKind::kInt, kAlways}});
  const KernelLabels names(*graph.trace, NameForm::kShort);
  const std::vector<Slowdown> slowdowns = MostFirst(graph.slowdowns);
  for (std::size_t i = 0; i < slowdowns.size() && (top == 0 || i < top); ++i) {
    const Slowdown& of = slowdowns[i];
    table.AddRow({names.Of(of.example), GridOf(*graph.trace, of.example),
                  BlockOf(*graph.trace, of.example), FactorWords(of.beside_collective),
                  FactorWords(of.beside_kernel), of.alone});
  }
  if (top != 0 && slowdowns.size() > top) {
    table.AddNote("and " + FormatCount(static_cast<std::int64_t>(slowdowns.size() - top)) +
                  " more: --top 0");
  }
  const CompanyTime company = MeasuredCompany(graph);
  table.AddNote("Median beside / median alone, and of how many. Known for " +
                FormatPercent(ShareOf(company.learned, company.total)) + " of the " +
                FormatDuration(company.total) + " that kernels");
  table.AddNote(
      "ran beside others; what is not known stays as it was. Off: --without interference");
  return table;
}

}  // namespace xsp
