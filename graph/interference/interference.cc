#include "graph/interference/interference.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/quantile.h"
#include "graph/draft.h"
#include "graph/interference/company.h"
#include "graph/interference/room.h"
#include "hierarchy/names/communicators.h"

namespace xsp {
namespace {

// Kernels that should take the same time: the device, the name, the grid and the block.
using KernelKey = std::array<std::uint32_t, 8>;

KernelKey KeyOf(const TaskGraph& graph, TaskId op) {
  const Trace& trace = *graph.trace;
  const EventId event = graph.event[op];
  const std::size_t row = trace.Row(event, EventKind::kKernel);
  const Kernels& kernels = trace.kernels();
  return {graph.DeviceOf(op),   trace.name_of(event).value, kernels.grid_x[row],
          kernels.grid_y[row],  kernels.grid_z[row],        kernels.block_x[row],
          kernels.block_y[row], kernels.block_z[row]};
}

constexpr std::size_t kCompanies = 3;
std::size_t IndexOf(Company company) { return static_cast<std::size_t>(company); }

// How long a kernel was in which company.
std::array<DurationNs, kCompanies> TimesInCompany(CompanyMap& map, std::uint32_t stream,
                                                  SimTime begin, SimTime end) {
  std::array<DurationNs, kCompanies> times{};
  map.Walk(stream, begin, [&](Company company, SimTime until) {
    times[IndexOf(company)] += std::min(until, end) - begin;
    begin = until;
    return until < end;
  });
  return times;
}

double FactorOf(const Slowdown& slowdown, Company company) {
  if (company == Company::kCollective) return slowdown.beside_collective.factor;
  return company == Company::kKernel ? slowdown.beside_kernel.factor : 1;
}

CompanyMap MeasuredMap(const TaskGraph& graph) {
  return CompanyMap(graph, [&](TaskId op) -> CompanyMap::Times {
    return {SimTime::At(graph.measured_begin[op]), SimTime::At(graph.measured_end[op])};
  });
}

// What the kernels of one key took, by their company, and which they are.
struct Evidence {
  std::array<Latencies, kCompanies> took;
  std::vector<TaskId> ops;
};

// How many times as long the kernels took in company. Nothing where both overlap: a grid does not
// tell everything about a kernel's work, so a difference of medians alone may be one of work.
LearnedFactor FactorFrom(Latencies& in_company, Latencies& alone, std::size_t enough) {
  constexpr double kLeast = 1.1;  // Less than this is noise.
  LearnedFactor learned{1, static_cast<std::uint32_t>(in_company.size())};
  if (in_company.size() < enough || alone.size() < kMinSamples) return learned;
  std::sort(in_company.begin(), in_company.end());
  const bool apart = in_company[in_company.size() / 4] > alone[alone.size() * 3 / 4];
  const double factor = static_cast<double>(UpperMedian(in_company)) /
                        static_cast<double>(std::max<DurationNs>(1, UpperMedian(alone)));
  if (apart && factor >= kLeast) learned.factor = static_cast<float>(factor);
  return learned;
}

// In which company a kernel shows what that costs: nearly all the time in it, or never in any.
bool IsTelling(const std::array<DurationNs, kCompanies>& times, Company& company) {
  const DurationNs all = times[0] + times[1] + times[2];
  for (Company of : {Company::kAlone, Company::kKernel, Company::kCollective}) {
    const bool whole = times[IndexOf(of)] == all;
    const bool nearly = of != Company::kAlone && times[IndexOf(of)] * 10 >= all * 9;
    if (all == 0 || (!whole && !nearly)) continue;
    company = of;
    return true;
  }
  return false;
}

// Whether some device has kernels on several streams: elsewhere there is no company.
bool MayHaveCompany(const TaskGraph& graph) {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::vector<std::uint32_t> stream_of_device(graph.devices.size(), kNone);
  for (TaskId op : graph.ops()) {
    if (graph.kind[op] != TaskKind::kKernel) continue;
    std::uint32_t& stream = stream_of_device[graph.DeviceOf(op)];
    if (stream == kNone) stream = graph.lane[op];
    if (stream != graph.lane[op]) return true;
  }
  return false;
}

bool MarkCollectives(Draft& draft) {
  TaskGraph& graph = draft.graph;
  if (!MayHaveCompany(graph)) return false;
  const Communicators communicators(draft.hierarchy);
  graph.interference.resize(graph.op_count());
  for (TaskId op : graph.ops()) {
    graph.interference[graph.RowOf(op)].is_collective =
        graph.kind[op] == TaskKind::kKernel && communicators.IsCollective(graph.event[op]);
  }
  return true;
}

// How much of its device each kernel fills. Kernels of one key are alike.
void AddDemands(TaskGraph& graph) {
  std::map<KernelKey, float> demands;
  for (TaskId op : graph.ops()) {
    OpInterference& of = graph.interference[graph.RowOf(op)];
    if (graph.kind[op] != TaskKind::kKernel || of.is_collective) continue;
    const auto [it, is_new] = demands.try_emplace(KeyOf(graph, op));
    if (is_new) it->second = DemandOf(*graph.trace, graph.event[op]);
    of.demand = it->second;
  }
}

// Whether kernels of several streams of a device may ask for more than there is.
bool MayCrowd(const TaskGraph& graph) {
  std::vector<float> most(graph.streams.size());
  for (TaskId op : graph.ops()) {
    float& of = most[graph.lane[op]];
    of = std::max(of, graph.interference[graph.RowOf(op)].demand);
  }
  std::vector<float> sum(graph.devices.size());
  std::vector<std::uint32_t> streams(graph.devices.size());
  for (std::size_t stream = 0; stream < most.size(); ++stream) {
    sum[graph.streams[stream].device] += most[stream];
    streams[graph.streams[stream].device] += most[stream] > 0;
  }
  for (std::size_t device = 0; device < sum.size(); ++device) {
    if (streams[device] > 1 && sum[device] > 1) return true;
  }
  return false;
}

// What kernels took, without what room alone explains (`by_room`: as a share of what they took).
std::map<KernelKey, Evidence> CollectEvidence(const TaskGraph& graph, CompanyMap& map,
                                              const std::vector<float>& by_room) {
  std::map<KernelKey, Evidence> evidence;
  for (TaskId op : graph.ops()) {
    const bool computes =
        graph.kind[op] == TaskKind::kKernel && !graph.interference[graph.RowOf(op)].is_collective;
    if (!computes) continue;
    Evidence& of = evidence[KeyOf(graph, op)];
    of.ops.push_back(op);
    const auto times = TimesInCompany(map, graph.lane[op], SimTime::At(graph.measured_begin[op]),
                                      SimTime::At(graph.measured_end[op]));
    Company company;
    if (!IsTelling(times, company)) continue;
    const double took = static_cast<double>(graph.measured(op)) * by_room[graph.RowOf(op).value];
    of.took[IndexOf(company)].push_back(static_cast<DurationNs>(took));
  }
  return evidence;
}

}  // namespace

void LearnInterference(Draft& draft) {
  // What other kernels cost depends on how many there are and how large: a few tell little.
  constexpr std::size_t kEnoughBesideKernels = 20;
  TaskGraph& graph = draft.graph;
  if (!MarkCollectives(draft)) return;
  AddDemands(graph);
  const std::optional<std::vector<float>> by_room = AloneShares(graph, false);
  if (!by_room) return graph.interference.clear();
  CompanyMap map = MeasuredMap(graph);
  for (auto& [key, evidence] : CollectEvidence(graph, map, *by_room)) {
    Latencies& alone = evidence.took[IndexOf(Company::kAlone)];
    std::sort(alone.begin(), alone.end());
    Slowdown slowdown;
    slowdown.example = graph.event[evidence.ops.front()];
    slowdown.alone = static_cast<std::uint32_t>(alone.size());
    slowdown.beside_kernel =
        FactorFrom(evidence.took[IndexOf(Company::kKernel)], alone, kEnoughBesideKernels);
    slowdown.beside_collective =
        FactorFrom(evidence.took[IndexOf(Company::kCollective)], alone, kMinSamples);
    if (slowdown.beside_kernel.factor == 1 && slowdown.beside_collective.factor == 1) continue;
    for (TaskId op : evidence.ops) {
      graph.interference[graph.RowOf(op)].slowdown =
          static_cast<std::uint32_t>(graph.slowdowns.size());
    }
    graph.slowdowns.push_back(slowdown);
  }
  if (graph.slowdowns.empty() && !MayCrowd(graph)) return graph.interference.clear();
  const std::vector<float> shares = *AloneShares(graph, true);
  for (OpIndex row : graph.op_rows()) graph.interference[row].alone_share = shares[row.value];
}

bool HasInterference(const TaskGraph& graph, const Overlay& overlay) {
  const bool ignored =
      ((graph.ignored_rules | overlay.ignored_rules) >> xsp::IndexOf(Rule::kInterference)) & 1u;
  return !graph.interference.empty() && !ignored;
}

CompanyTime MeasuredCompany(const TaskGraph& graph) {
  CompanyTime result;
  if (graph.interference.empty()) return result;
  CompanyMap map = MeasuredMap(graph);
  for (TaskId op : graph.ops()) {
    const OpInterference& of = graph.interference[graph.RowOf(op)];
    if (graph.kind[op] != TaskKind::kKernel || of.is_collective) continue;
    const auto times = TimesInCompany(map, graph.lane[op], SimTime::At(graph.measured_begin[op]),
                                      SimTime::At(graph.measured_end[op]));
    for (Company company : {Company::kKernel, Company::kCollective}) {
      result.total += times[IndexOf(company)];
      const bool learned = of.slowdown != OpInterference::kNone &&
                           FactorOf(graph.slowdowns[of.slowdown], company) > 1;
      if (learned) result.learned += times[IndexOf(company)];
    }
  }
  return result;
}

}  // namespace xsp
