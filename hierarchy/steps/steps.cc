#include "hierarchy/steps/steps.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "base/enum_names.h"
#include "hierarchy/steps/finish_times.h"
#include "hierarchy/steps/step_candidates.h"
#include "hierarchy/steps/step_roles.h"
#include "hierarchy/steps/step_threads.h"
#include "model/names/communication.h"

namespace xsp {
namespace {

// A recording may begin while the device still works on what was launched before it: what the first
// step launches stands behind that, and no row tells why it waits. Such a step begins with the work
// that waited, whatever little came before it.
void BeginWithDevice(const Trace& trace, const LaunchedWork& launched, const HostStep& host,
                     Step& step) {
  constexpr DurationNs kLong = 10, kLittle = 100;  // One in so many: of the step, of its work.
  if (step.kind().empty() || !host.range.valid()) return;
  std::vector<std::size_t> order;
  DurationNs own = 0;
  for (std::size_t i = 0; i < launched.work.size(); ++i) {
    if (trace.begin(launched.work[i]) >= step.time.end) continue;
    order.push_back(i);
    if (host.host.Contains(launched.launch[i])) own += trace.duration(launched.work[i]);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return trace.begin(launched.work[a]) < trace.begin(launched.work[b]);
  });
  DurationNs before = 0;
  TimeNs busy_until = step.time.begin;
  for (std::size_t i : order) {
    const EventId work = launched.work[i];
    const EventId call = trace.call_of(work);
    if (before * kLittle > own) return;
    if (call.valid() && host.host.Contains(launched.launch[i])) {
      const DurationNs waited = trace.begin(work) - std::max(busy_until, trace.end(call));
      if (waited * kLong > step.time.Length()) step.time.begin = trace.begin(work);
      before += trace.duration(work);
    }
    busy_until = std::max(busy_until, trace.end(work));
  }
}

// Widens the steps' times so that they hold this process's boundaries.
void AddBoundaries(const Trace& trace, const LaunchedWork& launched,
                   const std::vector<HostStep>& host, std::vector<Step>& steps) {
  const FinishTimes finished(trace, launched);
  for (std::size_t i = 0; i < host.size(); ++i) {
    Step& step = steps[i];
    step.time.begin = std::max(step.time.begin, finished.Boundary(host[i].host.begin));
    step.time.end = std::max(step.time.end, finished.Boundary(host[i].host.end));
    if (host[i].range.valid() &&
        (trace.events().flags[host[i].range.value] & EventFlag::kUnfinished) != 0) {
      step.role = StepRole::kLeftOut;
      step.left_out = LeftOut::kUnfinished;
    }
  }
}

// How much of a process's work was launched inside of ranges.
bool RangesSpeakFor(const Trace& trace, const HostRanges& ranges, ProcessId process) {
  std::uint64_t all = 0, inside = 0;
  for (EventId e : trace.DeviceWork()) {
    if (trace.process_of(e) != process || !trace.call_of(e).valid()) continue;
    ++all;
    inside += ranges.OfCall(trace.call_of(e)).range != HostRanges::kNone;
  }
  return inside * 2 > all || (all == 0 && ranges.MainThread(process).valid());
}

struct FoundSteps {
  StepSource source = StepSource::kNone;
  std::vector<HostStep> steps;
  std::string only_layers = {};      // As in Steps.
  std::vector<TrackId> others = {};  // Threads with steps of their own; see FrameworkSteps.
};

// What was launched in a range of the host.
LaunchedWork WorkIn(const LaunchedWork& launched, TimeRange host) {
  LaunchedWork inside;
  for (std::size_t i = 0; i < launched.work.size(); ++i) {
    if (!host.Contains(launched.launch[i])) continue;
    inside.work.push_back(launched.work[i]);
    inside.launch.push_back(launched.launch[i]);
  }
  return inside;
}

// A single step that the profiler named may hold a loop of its own: five equal forward passes are
// five. One that trains is one, however many micro-batches it has.
void LookInsideOne(const Trace& trace, const KernelKinds& kinds, const LaunchedWork& launched,
                   ProcessId process, FoundSteps& found) {
  if (found.steps.size() != 1) return;
  const LaunchedWork inside = WorkIn(launched, found.steps.front().host);
  for (EventId work : inside.work) {
    if (trace.KindOf(work) != EventKind::kKernel) continue;
    if (kinds.Of(trace, work).kernel_class == KernelClass::kOptimizer) return;
  }
  std::vector<HostStep> parts = StepsFromRepeatedKernels(trace, kinds, inside, process);
  if (parts.size() >= kStepsForUnit) found = {StepSource::kRepetition, std::move(parts)};
}

FoundSteps FindInProcess(const Trace& trace, const HostRanges& ranges, const NameTable& names,
                         const KernelKinds& kinds, const LaunchedWork& launched,
                         ProcessId process) {
  FrameworkSteps told = StepsFromFrameworks(trace, ranges, names, launched, process);
  FoundSteps found{StepSource::kRange, std::move(told.steps)};
  found.others = std::move(told.others);
  if (!found.steps.empty()) return found;  // Who wrote them knows what a step is.
  found.steps = StepsFromNames(trace, ranges, names, process);
  if (found.steps.empty() && RangesSpeakFor(trace, ranges, process)) {
    found.steps = StepsFromRepeatedRanges(trace, ranges, names, process);
  }
  // Ranges need not be steps ("attention", "softmax" in every layer): kernels repeat all the same.
  if (found.steps.empty()) {
    found.source = StepSource::kRepetition;
    found.steps = StepsFromRepeatedKernels(trace, kinds, launched, process);
    const std::string layers = LayersCountedIn(trace, ranges, names, process, found.steps);
    if (!layers.empty()) {
      found.only_layers = std::to_string(found.steps.size()) + " blocks (" + layers + ")";
      found.steps.clear();
    }
  }
  LookInsideOne(trace, kinds, launched, process, found);
  if (found.steps.empty()) found.source = StepSource::kNone;
  return found;
}

// Whether a process was seen to talk to others: only then do its steps wait for theirs.
std::vector<std::uint8_t> TalkToOthers(const Trace& trace, const HostRanges& ranges,
                                       const NameTable& names, const KernelKinds& kinds) {
  std::vector<std::uint8_t> talks(trace.processes().size());
  for (std::size_t p = 0; p < talks.size(); ++p) {
    talks[p] = trace.processes()[p].rank != kMissing<std::uint32_t>;
  }
  for (EventId e : trace.OfKind(EventKind::kKernel)) {
    if (IsCommunication(kinds.OfName(trace.name_of(e)).kernel_class)) {
      talks[trace.process_of(e).value] = 1;
    }
  }
  for (std::uint32_t i = 0; i < ranges.size(); ++i) {
    const EventId e = ranges.event(i);
    std::uint8_t& talk = talks[trace.process_of(e).value];
    if (talk != 0) continue;
    talk = trace.KindOf(e) == EventKind::kMpi ||
           names.OfRange(trace.name_of(e)).phase == Phase::kCommunication;
  }
  return talks;
}

DurationNs GpuTimeOf(const Trace& trace, const LaunchedWork& launched) {
  DurationNs sum = 0;
  for (EventId work : launched.work) sum += trace.duration(work);
  return sum;
}

// Keeps the steps of processes that take them together: of those that talk to each other, or of a
// single one. Of several such programs with about as much work on devices the one whose steps have
// ranges, then the one of which most were recorded. Says which processes have steps of their own
// besides.
std::vector<std::uint8_t> KeepOneProgram(const Trace& trace, const std::vector<std::uint8_t>& talks,
                                         const std::vector<LaunchedWork>& launched,
                                         std::vector<FoundSteps>& found) {
  struct Program {
    DurationNs gpu_time = 0;
    std::size_t steps = 0;
    bool has_ranges = false;  // Somebody says what a step is.
  };
  constexpr DurationNs kMuchLess = 3;  // One in this many of what another one has.
  constexpr std::size_t kTogether = static_cast<std::size_t>(-1);
  std::map<std::size_t, Program> programs;  // By process; those that talk are one.
  DurationNs most = 0;
  for (std::size_t p = 0; p < found.size(); ++p) {
    if (found[p].source == StepSource::kNone) continue;
    Program& program = programs[talks[p] != 0 ? kTogether : p];
    program.gpu_time += GpuTimeOf(trace, launched[p]);
    program.steps = std::max(program.steps, found[p].steps.size());
    program.has_ranges |= found[p].source == StepSource::kRange;
    most = std::max(most, program.gpu_time);
  }
  std::vector<std::uint8_t> left(found.size());
  if (programs.size() < 2) return left;
  std::size_t best = programs.begin()->first;
  std::tuple<bool, std::size_t, DurationNs> by;
  for (const auto& [number, program] : programs) {
    if (program.gpu_time * kMuchLess < most) continue;
    const std::tuple rank(program.has_ranges, program.steps, program.gpu_time);
    if (rank <= by) continue;
    by = rank;
    best = number;
  }
  for (std::size_t p = 0; p < found.size(); ++p) {
    if (found[p].source == StepSource::kNone) continue;
    if ((talks[p] != 0 ? kTogether : p) == best) continue;
    found[p] = {};
    left[p] = 1;
  }
  return left;
}

// What the host does between steps, where that takes so long that it belongs to none.
std::string NameBetween(const Trace& trace, const HostRanges& ranges, const NameTable& names,
                        const std::vector<std::vector<HostStep>>& of_process) {
  std::map<NameId, DurationNs> times;
  DurationNs all = 0;
  for (std::uint32_t p = 0; p < of_process.size(); ++p) {
    const std::vector<HostStep>& steps = of_process[p];
    for (std::size_t i = 1; i < steps.size(); ++i) {
      all += steps[i].host.begin - steps[i - 1].host.end;
    }
    TimeNs covered = 0;
    for (std::uint32_t i = 0; i < ranges.size() && !steps.empty(); ++i) {
      const EventId e = ranges.event(i);
      if (trace.process_of(e) != ProcessId(p) || trace.track_of(e) != steps.front().thread)
        continue;
      const auto next = std::partition_point(steps.begin(), steps.end(), [&](const HostStep& s) {
        return s.host.begin <= trace.begin(e);
      });
      if (next == steps.begin() || next == steps.end() || trace.begin(e) < covered) continue;
      if (trace.begin(e) < std::prev(next)->host.end || trace.end(e) > next->host.begin) continue;
      times[names.OfRange(trace.name_of(e)).name] += trace.duration(e);
      covered = trace.end(e);
    }
  }
  constexpr DurationNs kPart = 3;  // One in this many is what such a pause is for.
  const auto most = std::max_element(
      times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == times.end() || most->second * kPart < all) return "";
  return std::string(names.Text(most->first));
}

std::string NameOfProcess(const Trace& trace, ProcessId id) {
  const Process& process = trace.processes()[id.value];
  std::string name = "process " + std::to_string(process.pid);
  if (process.name.valid()) name += " (" + std::string(trace.strings()[process.name]) + ")";
  return name;
}

// "stream 9 (thread 4711)", "3 streams (thread 4711)", "process 4712 (python)".
std::string NameOfBeside(const Trace& trace, const WorkBeside& work) {
  if (!work.thread.valid()) return NameOfProcess(trace, work.process);
  const Track& thread = trace.track(work.thread);
  const std::string streams = work.streams.size() == 1
                                  ? "stream " + std::to_string(trace.track(work.streams[0]).stream)
                                  : std::to_string(work.streams.size()) + " streams";
  return streams + " (thread " + std::to_string(thread.thread) + ")";
}

// What ran beside the steps, within their times.
void FindBeside(const Trace& trace, const std::vector<LaunchedWork>& launched,
                const std::vector<std::vector<TrackId>>& threads,
                const std::vector<std::vector<TrackId>>& others,
                const std::vector<std::uint8_t>& left, Steps& steps) {
  if (steps.steps.empty()) return;
  std::map<std::pair<ProcessId, TrackId>, WorkBeside> rows;
  for (std::uint32_t p = 0; p < launched.size(); ++p) {
    for (EventId work : launched[p].work) {
      const TimeRange time{trace.begin(work), trace.end(work)};
      DurationNs inside = 0;
      auto step = std::partition_point(steps.steps.begin(), steps.steps.end(),
                                       [&](const Step& s) { return s.time.end <= time.begin; });
      for (; step != steps.steps.end() && step->time.begin < time.end; ++step) {
        inside += std::max<DurationNs>(0, step->time.Clip(time).Length());
      }
      if (inside == 0) continue;
      steps.gpu_ns += inside;
      const EventId call = trace.call_of(work);
      const TrackId thread = call.valid() ? trace.track_of(call) : TrackId();
      const bool is_beside = std::binary_search(threads[p].begin(), threads[p].end(), thread);
      if (!is_beside && left[p] == 0) continue;
      WorkBeside& row = rows[{ProcessId(p), is_beside ? thread : TrackId()}];
      row.gpu_ns += inside;
      row.has_steps =
          left[p] != 0 || std::binary_search(others[p].begin(), others[p].end(), thread);
      const TrackId stream = trace.track_of(work);
      const auto place = std::lower_bound(row.streams.begin(), row.streams.end(), stream);
      if (place == row.streams.end() || *place != stream) row.streams.insert(place, stream);
    }
  }
  for (auto& [key, row] : rows) {
    row.process = key.first;
    row.thread = key.second;
    row.name = NameOfBeside(trace, row);
    steps.beside.push_back(std::move(row));
  }
}

// By process, whether it has batches of its own; see AlignRanks.
std::vector<std::uint8_t> AlignProcesses(const Trace& trace, std::vector<FoundSteps>& found) {
  std::vector<std::uint8_t> has_own(found.size());
  std::vector<std::size_t> processes;
  std::vector<std::vector<HostStep>*> ranks;
  for (std::size_t p = 0; p < found.size(); ++p) {
    if (found[p].source == StepSource::kNone) continue;
    processes.push_back(p);
    ranks.push_back(&found[p].steps);
  }
  const std::vector<std::uint8_t> of_rank = AlignRanks(trace, ranks);
  for (std::size_t r = 0; r < processes.size(); ++r) has_own[processes[r]] = of_rank[r];
  return has_own;
}

// Processes take their steps together: as many as all of them have.
void Combine(const Trace& trace, const NameTable& names, const std::vector<LaunchedWork>& launched,
             std::vector<FoundSteps> found, Steps& result) {
  const std::vector<std::uint8_t> has_own_batches = AlignProcesses(trace, found);
  std::size_t count = std::numeric_limits<std::size_t>::max();
  for (const FoundSteps& f : found) {
    if (f.source == StepSource::kNone) continue;
    if (result.source == StepSource::kNone) result.source = f.source;
    count = std::min(count, f.steps.size());
  }
  result.of_process.resize(trace.processes().size());
  if (result.source == StepSource::kNone) return;
  result.steps.resize(count);
  for (Step& step : result.steps) step.time = {std::numeric_limits<TimeNs>::min(), 0};
  for (std::uint32_t p = 0; p < found.size(); ++p) {
    if (found[p].source == StepSource::kNone) continue;
    found[p].steps.resize(count);
    JoinNeighbours(trace, launched[p], found[p].steps);
    AddBoundaries(trace, launched[p], found[p].steps, result.steps);
    for (std::size_t i = 0; i < count; ++i) {
      const EventId range = found[p].steps[i].range;
      if (result.steps[i].name.empty() && range.valid()) {
        result.steps[i].name = names.Text(names.OfRange(trace.name_of(range)).name);
      }
      if (result.steps[i].kind().empty()) {
        result.steps[i].content = found[p].steps[i].content;
      } else if (has_own_batches[p] != 0) {
        AddBatchOfRank(found[p].steps[i].content, result.steps[i].content);
      }
    }
    BeginWithDevice(trace, launched[p], found[p].steps.front(), result.steps.front());
    result.of_process[p] = std::move(found[p].steps);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (result.steps[i].name.empty()) result.steps[i].name = "step " + std::to_string(i + 1);
    // Ranks that drift apart may overlap; the later boundary divides them.
    if (i + 1 < count) {
      result.steps[i].time.end = std::min(result.steps[i].time.end, result.steps[i + 1].time.begin);
    }
  }
}

}  // namespace

std::string_view NameOf(StepSource source) {
  constexpr EnumNames<StepSource::kRepetition> kNames({"none", "range", "repetition"});
  return kNames[source];
}

std::string_view NameOf(LeftOut reason) {
  constexpr EnumNames<LeftOut::kNotAskedFor> kNames(
      {"", "unfinished", "cut", "profiler", "beyond_periods", "ramp", "not_asked_for"});
  return kNames[reason];
}

std::uint32_t Steps::StepAt(ProcessId process, TimeNs launch) const {
  const bool own =
      process.valid() && process.value < of_process.size() && !of_process[process.value].empty();
  std::uint32_t low = 0;
  auto high = static_cast<std::uint32_t>(steps.size());
  auto range_of = [&](std::uint32_t i) {
    return own ? of_process[process.value][i].host : steps[i].time;
  };
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    (range_of(middle).end <= launch ? low = middle + 1 : high = middle);
  }
  return low < steps.size() && range_of(low).Contains(launch) ? low : kOutside;
}

std::vector<std::uint32_t> Steps::With(StepRole role) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    if (steps[i].role == role) found.push_back(i);
  }
  return found;
}

std::vector<std::uint32_t> Steps::With(StepRole role, std::string_view kind) const {
  std::vector<std::uint32_t> found = With(role);
  std::erase_if(found, [&](std::uint32_t step) { return steps[step].kind() != kind; });
  return found;
}

const StepKindFacts* Steps::FindKind(std::string_view name) const {
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const StepKindFacts& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

bool Steps::IsBeside(TrackId thread) const {
  return thread.valid() && std::any_of(beside.begin(), beside.end(), [&](const WorkBeside& work) {
           return work.thread == thread;
         });
}

double Steps::BesideShare() const {
  DurationNs sum = 0;
  for (const WorkBeside& work : beside) sum += work.gpu_ns;
  return gpu_ns > 0 ? static_cast<double>(sum) / static_cast<double>(gpu_ns) : 0;
}

Steps FindSteps(const Trace& trace, const HostRanges& ranges, const NameTable& names,
                const KernelKinds& kinds) {
  const std::vector<LaunchedWork> launched = LaunchOrder(trace);
  std::vector<FoundSteps> found;
  for (std::uint32_t p = 0; p < trace.processes().size(); ++p) {
    // An export may list every process of the machine; few of them took part.
    const bool took_part = !launched[p].work.empty() || ranges.MainThread(ProcessId(p)).valid();
    found.push_back(took_part
                        ? FindInProcess(trace, ranges, names, kinds, launched[p], ProcessId(p))
                        : FoundSteps{});
  }
  const std::vector<std::uint8_t> left =
      KeepOneProgram(trace, TalkToOthers(trace, ranges, names, kinds), launched, found);
  std::vector<std::vector<TrackId>> beside(found.size()), others(found.size());
  std::vector<LaunchedWork> own;
  for (std::size_t p = 0; p < found.size(); ++p) {
    others[p] = found[p].others;
    const std::vector<TrackId> threads = ThreadsBeside(trace, launched[p], found[p].steps);
    std::set_union(threads.begin(), threads.end(), others[p].begin(), others[p].end(),
                   std::back_inserter(beside[p]));
    own.push_back(left[p] != 0 ? LaunchedWork{} : WithoutThreads(trace, launched[p], beside[p]));
  }
  Steps steps;
  for (const FoundSteps& of : found) {
    if (steps.only_layers.empty()) steps.only_layers = of.only_layers;
  }
  Combine(trace, names, own, std::move(found), steps);
  FindBeside(trace, launched, beside, others, left, steps);
  steps.between = NameBetween(trace, ranges, names, steps.of_process);
  AssignRoles(trace, kinds, own, steps);
  return steps;
}

Steps FindSteps(const Trace& trace, const KernelRules& rules) {
  return FindSteps(trace, HostRanges(trace), NameTable(trace), KernelKinds(trace, rules));
}

}  // namespace xsp
