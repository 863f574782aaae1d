#include "hierarchy/info_facts.h"

#include <algorithm>

#include "model/overhead_type.h"
#include "model/spans.h"

namespace xsp {
namespace {

// Launches of whole CUDA graphs, whatever the interface ("cudaGraphLaunch_v10000", "cuGraphLaunch",
// "hipGraphLaunch").
std::uint64_t CountGraphLaunches(const Trace& trace) {
  std::vector<std::uint8_t> is_launch(trace.strings().size());
  for (std::size_t i = 0; i < is_launch.size(); ++i) {
    const std::string_view name = trace.strings()[StringId(i)];
    is_launch[i] = name.starts_with("cudaGraphLaunch") || name.starts_with("cuGraphLaunch") ||
                   name.starts_with("hipGraphLaunch");
  }
  std::uint64_t count = 0;
  for (EventId e : trace.OfKind(EventKind::kApi)) {
    const StringId name = trace.name_of(e);
    if (name.valid() && is_launch[name.value]) ++count;
  }
  return count;
}

void CountTracks(const Trace& trace, InfoFacts& facts) {
  std::vector<std::uint8_t> used(trace.tracks().size());
  for (TrackId track : trace.events().track) used[track.value] = 1;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind == TrackKind::kThread) facts.threads += used[i];
    if (track.kind != TrackKind::kStream) continue;
    ++facts.streams_known;
    facts.streams_used += used[i];
  }
}

std::vector<DomainUse> CountDomains(const Trace& trace) {
  std::vector<DomainUse> all(trace.domains().size());
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd, EventKind::kNvtxMark}) {
    for (EventId e : trace.OfKind(kind)) {
      const DomainId domain = trace.nvtx().domain[trace.Row(e, kind)];
      ++(kind == EventKind::kNvtxMark ? all[domain.value].marks : all[domain.value].ranges);
    }
  }
  std::vector<DomainUse> used;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].ranges + all[i].marks == 0) continue;
    const NvtxDomain& domain = trace.domains()[i];
    if (domain.process.valid()) all[i].pid = trace.process(domain.process).pid;
    all[i].name = trace.strings().Get(domain.name, domain.number == 0 ? "NVTX" : "(no name)");
    used.push_back(std::move(all[i]));
  }
  return used;
}

// The profiler's threads work beside each other: a union, so that the share cannot pass 1.
void MeasureOverhead(const Trace& trace, InfoFacts& facts) {
  std::vector<TimeRange> all, in_span;
  for (EventId e : trace.OfKind(EventKind::kOverhead)) {
    if (!IsProfilersOwn(trace.overheads().overhead_type[trace.Row(e)])) continue;
    const TimeRange range{trace.begin(e), trace.end(e)};
    all.push_back(range);
    if (!facts.span) continue;
    const TimeRange clipped = range.Clip(*facts.span);
    if (!clipped.Empty()) in_span.push_back(clipped);
  }
  if (facts.span && !all.empty() && !facts.span->Empty()) {
    facts.overhead_share = static_cast<double>(UnionLength(std::move(in_span))) /
                           static_cast<double>(facts.span->Length());
  }
  facts.overhead_ns = UnionLength(std::move(all));
}

}  // namespace

std::vector<std::pair<std::string, std::uint64_t>> CountKinds(const Trace& trace) {
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (EventKind kind : AllEventKinds()) {
    if (kind == EventKind::kNvtxPushPop) {
      counts.emplace_back(
          "nvtx", trace.OfKind(kind).size() + trace.OfKind(EventKind::kNvtxStartEnd).size());
    }
    counts.emplace_back(NameOf(kind), trace.OfKind(kind).size());
    if (kind == EventKind::kNvtxMark) {
      counts.emplace_back("operator", RowCount(trace.operators()));
    }
    if (kind == EventKind::kApi) counts.emplace_back("graph_launch", CountGraphLaunches(trace));
  }
  return counts;
}

InfoFacts FindInfoFacts(const Trace& trace) {
  InfoFacts facts;
  facts.span = ProgramSpan(trace);
  facts.gpu_span = GpuSpan(trace);
  facts.counts = CountKinds(trace);
  CountTracks(trace, facts);
  facts.domains = CountDomains(trace);
  MeasureOverhead(trace, facts);
  return facts;
}

}  // namespace xsp
