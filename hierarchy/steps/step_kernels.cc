#include <algorithm>
#include <optional>

#include "base/quantile.h"
#include "hierarchy/steps/repetition.h"
#include "hierarchy/steps/step_candidates.h"
#include "hierarchy/steps/work_tokens.h"

// Steps of a program that named nothing: from the sequence of its kernels.
namespace xsp {
namespace {

// Moments at which the host waits for the device (or, if asked for, gives it data): things a loop
// over steps does and a loop over layers does not.
std::vector<TimeRange> HostMeetsDevice(const Trace& trace, ProcessId process, bool with_uploads) {
  std::vector<TimeRange> moments;
  for (EventId e : trace.OfKind(EventKind::kSync)) {
    if (trace.process_of(e) != process) continue;
    if (trace.syncs().sync_kind[trace.Row(e, EventKind::kSync)] == SyncKind::kStreamWait) continue;
    moments.push_back({trace.begin(e), trace.end(e)});
  }
  for (EventId e : trace.OfKind(EventKind::kMemcpy)) {
    const CopyKind kind = trace.copies().copy_kind[trace.Row(e, EventKind::kMemcpy)];
    const EventId call = trace.call_of(e);
    if (trace.process_of(e) != process || !call.valid()) continue;
    if (kind != CopyKind::kDtoH && !(with_uploads && kind == CopyKind::kHtoD)) continue;
    moments.push_back({trace.begin(call), trace.end(call)});
  }
  std::sort(moments.begin(), moments.end(),
            [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
  return moments;
}

const TimeRange* LastMomentBetween(const std::vector<TimeRange>& moments, TimeNs from, TimeNs to) {
  auto it = std::lower_bound(moments.begin(), moments.end(), to,
                             [](const TimeRange& m, TimeNs t) { return m.begin < t; });
  if (it == moments.begin() || std::prev(it)->begin < from) return nullptr;
  return &*std::prev(it);
}

// One kernel is no step, but a whole graph is: that is what it was captured for.
bool IsOneKernel(const Trace& trace, const LaunchedWork& launched, const Repetition& found) {
  return found.period < 2 &&
         !trace.OfKind(EventKind::kGraphSpan).Contains(launched.work[found.first]);
}

// Whether one of these moments lies in nearly every round.
bool MostRoundsMeet(const LaunchedWork& launched, const std::vector<TimeRange>& moments,
                    const Repetition& found) {
  std::uint32_t meeting = 0;
  for (std::uint32_t round = 1; round < found.rounds; ++round) {
    const std::uint32_t first = found.first + round * found.period;
    const TimeNs from = launched.launch[first - found.period];
    meeting += LastMomentBetween(moments, from, launched.launch[first]) != nullptr;
  }
  return meeting * 5 >= (found.rounds - 1) * 4;
}

// The instantiated graph that a piece of work runs in, as far as the trace tells; none: it was
// launched by itself.
std::optional<std::uint64_t> GraphOf(const Trace& trace, EventId work) {
  std::uint64_t graph = kMissing<std::uint64_t>;
  if (trace.OfKind(EventKind::kGraphSpan).Contains(work)) {
    const std::uint32_t row = trace.Row(work, EventKind::kGraphSpan);
    graph = trace.graph_spans().graph_exec[row];
    if (graph == kMissing<std::uint64_t>) graph = trace.graph_spans().graph[row];
    return graph == kMissing<std::uint64_t> ? 0 : graph;
  }
  graph = trace.kernels().graph[trace.Row(work, EventKind::kKernel)];
  return graph == kMissing<std::uint64_t> ? std::nullopt : std::optional(graph);
}

// The same CUDA graph, launched again and again, takes most of the time: a whole program was
// captured. A graph for each layer is another one every time.
bool IsOneGraph(const Trace& trace, const LaunchedWork& launched, const Repetition& found) {
  std::optional<std::uint64_t> graph;
  DurationNs inside = 0, all = 0;
  for (std::uint32_t i = found.first; i < found.end(); ++i) {
    const EventId work = launched.work[i];
    const std::optional<std::uint64_t> of = GraphOf(trace, work);
    all += trace.duration(work);
    if (!of) continue;
    if (graph && *graph != *of) return false;
    graph = of;
    inside += trace.duration(work);
  }
  return inside * 2 > all;
}

// Whether rounds are steps and not layers: nearly all of them meet the host, or each is itself made
// of a repeated part, as a step is made of layers. So is a whole graph.
bool AreSteps(const Trace& trace, const std::vector<std::uint32_t>& tokens,
              const LaunchedWork& launched, const std::vector<TimeRange>& moments,
              const Repetition& found) {
  if (found.period < 2 || MostRoundsMeet(launched, moments, found)) return true;
  if (IsOneGraph(trace, launched, found)) return true;
  const std::span<const std::uint32_t> round(tokens.data() + found.first, found.period);
  const std::optional<Repetition> inner = FindRepetition(round);
  return inner && inner->period > 1 && inner->period * inner->rounds * 2 >= found.period;
}

// A solver's time steps alternate the order of their sweeps, so that only two of them repeat
// exactly. The step is the smaller part, if the host waits for the device in nearly each: layers
// that resemble each other do not.
Repetition WithoutAlternation(const Trace& trace, const std::vector<std::uint32_t>& tokens,
                              const LaunchedWork& launched, ProcessId process,
                              const Repetition& found) {
  const std::optional<Repetition> parts = FindAlikeParts(tokens, found);
  if (!parts) return found;
  return MostRoundsMeet(launched, HostMeetsDevice(trace, process, false), *parts) ? *parts : found;
}

// A capture that starts and ends in the middle of a step: rounds are counted from the place with
// the longest pause of the host.
void AlignToPauses(const LaunchedWork& launched, Repetition& found) {
  const bool is_cut = found.first == 0 && found.end() < launched.work.size();
  if (!is_cut || found.rounds <= 3) return;
  std::uint32_t best = 0;
  DurationNs longest = 0;
  std::vector<DurationNs> pauses(found.rounds - 1);
  for (std::uint32_t offset = 0; offset < found.period; ++offset) {
    for (std::uint32_t round = 1; round < found.rounds; ++round) {
      const std::uint32_t at = found.first + offset + (round - 1) * found.period;
      pauses[round - 1] = at == 0 ? 0 : launched.launch[at] - launched.launch[at - 1];
    }
    const DurationNs usual = UpperMedian(pauses);
    if (usual > longest) {
      longest = usual;
      best = offset;
    }
  }
  if (best == 0) return;
  found.first += best;
  found.rounds = static_cast<std::uint32_t>(launched.work.size() - found.first) / found.period;
}

// Copies and memsets come and go with allocators and loaders; kernels make a step.
LaunchedWork KernelsOf(const Trace& trace, const LaunchedWork& launched) {
  LaunchedWork kernels;
  for (std::size_t i = 0; i < launched.work.size(); ++i) {
    const EventId e = launched.work[i];
    if (!trace.OfKind(EventKind::kKernel).Contains(e) &&
        !trace.OfKind(EventKind::kGraphSpan).Contains(e)) {
      continue;
    }
    kernels.work.push_back(e);
    kernels.launch.push_back(launched.launch[i]);
  }
  return kernels;
}

DurationNs TimeOf(const Trace& trace, const LaunchedWork& launched, std::uint32_t first,
                  std::uint32_t last) {
  DurationNs time = 0;
  for (std::uint32_t i = first; i < last; ++i) time += trace.duration(launched.work[i]);
  return time;
}

}  // namespace

KernelRounds FindKernelRounds(const Trace& trace, const KernelKinds& kinds,
                              const LaunchedWork& all_launched, ProcessId process) {
  using Verdict = KernelRounds::Verdict;
  KernelRounds result;
  result.kernels = KernelsOf(trace, all_launched);
  const LaunchedWork& kernels = result.kernels;
  const std::vector<std::uint32_t> tokens = TokensOf(trace, kinds, kernels.work);
  std::optional<Repetition> found = FindRepetition(tokens);
  result.verdict = kernels.work.empty() ? Verdict::kNoKernels : Verdict::kNothing;
  if (!found) return result;
  *found = WithoutAlternation(trace, tokens, kernels, process, *found);
  result.rounds = *found;
  const auto all = static_cast<std::uint32_t>(kernels.work.size());
  const DurationNs repeated = TimeOf(trace, kernels, found->first, found->end());
  if (IsOneKernel(trace, kernels, *found)) {
    result.verdict = Verdict::kOneKernel;
  } else if (!AreSteps(trace, tokens, kernels, HostMeetsDevice(trace, process, true), *found)) {
    result.verdict = Verdict::kLikeLayers;
  } else if (repeated * 2 < TimeOf(trace, kernels, 0, all)) {
    result.verdict = Verdict::kSmallerPart;
  } else {
    result.verdict = Verdict::kSteps;
  }
  return result;
}

std::vector<HostStep> StepsFromRepeatedKernels(const Trace& trace, const KernelKinds& kinds,
                                               const LaunchedWork& all_launched,
                                               ProcessId process) {
  KernelRounds rounds = FindKernelRounds(trace, kinds, all_launched, process);
  if (rounds.verdict != KernelRounds::Verdict::kSteps) return {};
  const LaunchedWork& launched = rounds.kernels;
  Repetition* const found = &rounds.rounds;
  const auto all = static_cast<std::uint32_t>(launched.work.size());
  AlignToPauses(launched, *found);
  const std::vector<TimeRange> waits = HostMeetsDevice(trace, process, false);
  std::vector<HostStep> steps;
  for (std::uint32_t round = 0; round <= found->rounds; ++round) {
    const std::uint32_t at = found->first + round * found->period;
    const TimeNs before = at == 0 ? trace.begin(launched.work[0]) : launched.launch[at - 1];
    TimeNs begin = at < all ? launched.launch[at] : before + 1;
    // Waiting for the end of a step is part of it; what follows belongs to the next.
    const TimeRange* wait = at == 0 ? nullptr : LastMomentBetween(waits, before, begin);
    if (wait != nullptr) begin = std::min(begin, std::max(wait->end, before + 1));
    if (!steps.empty()) steps.back().host.end = begin;
    if (round < found->rounds) steps.push_back({{begin, begin}, {}, {}});
  }
  return steps;
}

}  // namespace xsp
