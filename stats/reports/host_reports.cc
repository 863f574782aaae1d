#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "stats/distribution.h"
#include "stats/reports/reports.h"

namespace xsp {
namespace {

std::string_view MpiSource(MpiKind kind) {
  switch (kind) {
    case MpiKind::kPointToPoint:
      return "p2p";
    case MpiKind::kCollective:
      return "collectives";
    case MpiKind::kStartWait:
      return "start_wait";
    case MpiKind::kOther:
      break;
  }
  return "other";
}

// What sort of call this is, by its name: "MPI_Iallreduce" is a collective. For exports of before
// 2023, in which nsys wrote MPI calls as ranges of an NVTX domain.
MpiKind MpiKindOfName(std::string_view name) {
  constexpr std::array<std::string_view, 7> kPointToPoint = {"Send",  "Recv",   "Bsend", "Ssend",
                                                             "Rsend", "Mprobe", "Mrecv"};
  constexpr std::array<std::string_view, 11> kCollective = {
      "Barrier", "Bcast",     "Gather", "Scatter", "Allgather", "Alltoall",
      "Reduce",  "Allreduce", "Scan",   "Exscan",  "Neighbor"};
  constexpr std::string_view kPrefix = "MPI_";
  if (!name.starts_with(kPrefix)) return MpiKind::kOther;
  std::string call(name.substr(kPrefix.size()));
  auto begins_with_any = [&](const auto& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return call.starts_with(word); });
  };
  if (call.starts_with("Wait") || call.starts_with("Start") || call.starts_with("Test")) {
    return MpiKind::kStartWait;
  }
  // "Isend", "Ibcast": the call that does not wait.
  if (call.size() > 1 && call[0] == 'I' && call[1] >= 'a' && call[1] <= 'z') {
    call.erase(0, 1);
    call[0] = static_cast<char>(call[0] - 'a' + 'A');
  }
  if (begins_with_any(kPointToPoint)) return MpiKind::kPointToPoint;
  return begins_with_any(kCollective) ? MpiKind::kCollective : MpiKind::kOther;
}

// What the third column is called. NVIDIA's guide says "Count" for both; OpenACC's table prints
// this.
std::string_view CountTitle(DirectiveKind kind) {
  return kind == DirectiveKind::kOpenAcc ? "Num Calls" : "Count";
}

// OpenACC events are told apart by their place in the source: "Compute Construct@jacobi.c:62".
std::string DirectiveLabel(const Trace& trace, StringId name, StringId file, std::uint32_t line) {
  std::string label(trace.strings().Get(name));
  const std::string_view path = trace.strings().Get(file);
  if (path.empty()) return label;
  label += '@';
  label += path.substr(path.find_last_of('/') + 1);
  if (line != kMissing<std::uint32_t>) label += ':' + std::to_string(line);
  return label;
}

StatsTable DirectiveSum(const ReportInput& in, std::string name, std::string title,
                        DirectiveKind wanted) {
  StatsTable table(std::move(name), std::move(title),
                   TimeSummaryColumns(CountTitle(wanted), {{"Name", StatsKind::kText}}));
  const Directives& directives = in.trace.directives();
  GroupedValues<3> values;
  in.events.ForEach(EventKind::kDirective, [&](EventId e) {
    const std::uint32_t row = in.trace.Row(e, EventKind::kDirective);
    if (directives.directive_kind[row] != wanted) return;
    const bool with_place = wanted == DirectiveKind::kOpenAcc;
    values.Add(
        {in.trace.name_of(e).value, with_place ? directives.file[row].value : StringId::kNone,
         with_place ? directives.line[row] : kMissing<std::uint32_t>},
        in.trace.duration(e));
  });
  AddNamedSummaries(table, values, [&](const auto& key) {
    return table.Keep(DirectiveLabel(in.trace, StringId(key[0]), StringId(key[1]), key[2]));
  });
  return table;
}

}  // namespace

StatsTable OsrtSum(const ReportInput& in) {
  StatsTable table("osrt_sum", "OS Runtime Summary",
                   TimeSummaryColumns("Num Calls", {{"Name", StatsKind::kText}}));
  GroupedValues<1> calls;
  in.events.ForEach(EventKind::kOsrt, [&](EventId e) {
    calls.Add({in.trace.name_of(e).value}, in.trace.duration(e));
  });
  AddNamedSummaries(table, calls,
                    [&](const auto& key) { return in.trace.strings().Get(StringId(key[0])); });
  return table;
}

StatsTable MpiEventSum(const ReportInput& in) {
  StatsTable table(
      "mpi_event_sum", "MPI Event Summary",
      TimeSummaryColumns("Instances", {{"Source", StatsKind::kText}, {"Name", StatsKind::kText}}));
  GroupedValues<2> calls;
  in.events.ForEach(EventKind::kMpi, [&](EventId e) {
    const MpiKind kind = in.trace.mpi().mpi_kind[in.trace.Row(e, EventKind::kMpi)];
    calls.Add({static_cast<std::uint32_t>(kind), in.trace.name_of(e).value}, in.trace.duration(e));
  });
  in.events.ForEach(EventKind::kNvtxPushPop, [&](EventId e) {
    const std::uint32_t row = in.trace.Row(e, EventKind::kNvtxPushPop);
    const NvtxDomain& domain = in.trace.domain(in.trace.nvtx().domain[row]);
    if (in.trace.strings().Get(domain.name) != "MPI") return;
    const MpiKind kind = MpiKindOfName(in.trace.name(e));
    calls.Add({static_cast<std::uint32_t>(kind), in.trace.name_of(e).value}, in.trace.duration(e));
  });
  std::vector<SummaryRow<2>> rows;
  for (const auto& group : calls.Finish()) {
    rows.push_back({group.values,
                    {MpiSource(static_cast<MpiKind>(group.key[0])),
                     in.trace.strings().Get(StringId(group.key[1]))}});
  }
  AddSummaries(table, std::move(rows));
  return table;
}

StatsTable OpenMpSum(const ReportInput& in) {
  return DirectiveSum(in, "openmp_sum", "OpenMP Summary", DirectiveKind::kOpenMp);
}

StatsTable OpenAccSum(const ReportInput& in) {
  return DirectiveSum(in, "openacc_sum", "OpenACC Summary", DirectiveKind::kOpenAcc);
}

}  // namespace xsp
