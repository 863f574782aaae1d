#include "hierarchy/ranks/rank_facts.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "hierarchy/names/device_number.h"

namespace xsp {
namespace {

// The stream with most work stands for the device of the process.
TrackId BusiestStream(const std::vector<RankWork>& work) {
  std::map<TrackId, DurationNs> busy;
  for (const RankWork& one : work) busy[one.stream] += one.time.Length();
  const auto most = std::max_element(
      busy.begin(), busy.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == busy.end() ? TrackId() : most->first;
}

void DescribeDevice(const Trace& trace, const std::vector<RankWork>& work, RankFacts& facts) {
  const TrackId stream = BusiestStream(work);
  if (!stream.valid()) return;
  const Track& track = trace.track(stream);
  if (const auto number = DeviceNumber(trace, track)) facts.local_rank = *number;
  if (!track.gpu.valid()) return;
  const Gpu& gpu = trace.gpus()[track.gpu.value];
  facts.gpu = trace.strings().Get(gpu.name);
  facts.gpu_uuid = trace.strings().Get(gpu.uuid);
}

// "a 3, b 1": means over `steps`, rounded; what rounds to nothing is left out.
std::string CountWords(const std::map<std::string, std::int64_t>& counts, std::int64_t steps,
                       std::string_view between) {
  std::vector<std::string> words;
  for (const auto& [what, count] : counts) {
    const std::int64_t mean = (count + steps / 2) / steps;
    if (mean > 0) words.push_back(what + std::string(between) + std::to_string(mean));
  }
  return Joined(words, ", ");
}

}  // namespace

RankFacts FactsOf(const Hierarchy& hierarchy, ProcessId process, const std::vector<RankWork>& work,
                  const RankIdentity& identity, const JobFacts& job) {
  const Trace& trace = hierarchy.trace();
  const TraceInfo& info = trace.info();
  RankFacts facts;
  if (identity.rank) facts.global_rank = *identity.rank;
  if (identity.world_size) facts.world_size = *identity.world_size;
  facts.rank_source = identity.source;
  facts.host = job.host;
  const Process& one = trace.process(process);
  facts.process = std::string(trace.strings().Get(one.name)) + " [" + std::to_string(one.pid) + "]";
  DescribeDevice(trace, work, facts);
  facts.clock_source = info.utc_start_ns ? "utc" : "none";
  if (info.utc_start_ns) facts.session_start_ns = *info.utc_start_ns;
  if (!work.empty()) {
    facts.begin_ns = work.front().time.begin;
    facts.end_ns = facts.begin_ns;
    for (const RankWork& piece : work) facts.end_ns = std::max(facts.end_ns, piece.time.end);
  }
  facts.format = info.format;
  facts.tool_version = info.tool_version.value_or("");
  facts.driver_version = info.driver_version.value_or("");
  facts.cuda_version = info.cuda_version.value_or("");
  facts.step_source = NameOf(hierarchy.steps().source);
  facts.is_partial = info.partial;
  facts.source_name = info.source_name;
  return facts;
}

std::string FingerprintOf(const Hierarchy& hierarchy, const std::vector<RankWork>& work,
                          const std::vector<CollectiveInstance>& collectives) {
  const std::vector<std::uint32_t> counted = hierarchy.steps().Counted();
  const bool is_whole = counted.empty();
  std::vector<std::uint8_t> is_in(hierarchy.steps().size());
  for (std::uint32_t step : counted) is_in[step] = 1;
  auto counts = [&](std::uint32_t step) {
    return is_whole || (step < is_in.size() && is_in[step] != 0);
  };
  std::map<std::string, std::int64_t> kernels;
  for (const RankWork& one : work) {
    if (one.activity != Activity::kCompute || !counts(one.step)) continue;
    const auto kind = hierarchy.kinds().Of(hierarchy.trace(), one.event).kernel_class;
    ++kernels[std::string(NameOf(kind))];
  }
  std::map<std::string, std::int64_t> operations;
  for (const CollectiveInstance& one : collectives) {
    const bool is_known = one.participants != kMissing<std::int64_t>;
    const std::string of = is_known ? " of " + std::to_string(one.participants) : std::string();
    const auto step = static_cast<std::uint32_t>(one.step - 1);
    if (counts(one.step == 0 ? Steps::kOutside : step)) ++operations[one.operation + of];
  }
  const auto steps = static_cast<std::int64_t>(std::max<std::size_t>(1, counted.size()));
  return CountWords(kernels, steps, " ") + " | " + CountWords(operations, steps, ": ");
}

}  // namespace xsp
