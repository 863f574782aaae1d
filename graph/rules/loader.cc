#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/draft.h"
#include "graph/rules/thread_stretches.h"
#include "graph/waits/os_calls.h"
#include "hierarchy/names/name_patterns.h"

// Loads whose data somebody else makes ready: worker processes, a thread, a prefetcher. Where the
// thread waits for most of a load, the producer decides when it is over: a step that gets faster
// waits longer for its data. A thread that loads data itself takes as long as ever.
namespace xsp {
namespace {

// To take a batch that is there: 0.08 to 1.4 ms in real traces.
constexpr DurationNs kTakesAtMost = 1'000'000;
// A producer whose loads wait for less than one part in this many of its time may be faster than
// the trace shows: they wait for a lock, or for data that was just being handed over.
constexpr DurationNs kPartsOfTime = 10;
// One wait alone is the begin of an epoch.
constexpr std::ptrdiff_t kFewestWaits = 2;

struct Load {
  TaskId task;
  DurationNs wait = 0;
};

// Loads of one thread and one range name, in order.
struct Source {
  std::uint32_t thread = 0;
  bool has_workers = false;  // Its name, or that of a thread, says that somebody else loads.
  bool waits_are_known = false;
  std::vector<Load> loads;
};
// By thread and name of the range, numbers left out.
using Sources = std::map<std::pair<std::uint32_t, std::string>, Source>;

ThreadStretches FindWaits(const Trace& trace) {
  ThreadStretches waits;
  OsCalls calls(trace);
  for (EventId call : trace.OfKind(EventKind::kOsrt)) {
    if (calls.Of(call) != OsCall::kWait) continue;
    waits.Add(trace.track_of(call), {trace.begin(call), trace.end(call)});
  }
  return waits;
}

std::vector<std::uint8_t> ProcessesWithLoaders(const Trace& trace) {
  std::vector<std::uint8_t> result(trace.processes().size());
  for (const Track& track : trace.tracks()) {
    if (track.kind != TrackKind::kThread || !track.process.valid()) continue;
    if (IsLoaderThread(trace.strings().Get(track.name))) result[track.process.value] = 1;
  }
  return result;
}

// Calls may divide a range into several tasks: the one that waits longest stands for the load.
Sources FindSources(const Draft& draft) {
  const TaskGraph& graph = draft.graph;
  const Trace& trace = draft.trace;
  Sources sources;
  const ThreadStretches waits = FindWaits(trace);
  const bool has_os_calls = !trace.OfKind(EventKind::kOsrt).empty();
  const std::vector<std::uint8_t> with_loaders = ProcessesWithLoaders(trace);
  EventId range;
  for (TaskId task : graph.host_tasks()) {
    if (graph.kind[task] != TaskKind::kLoad) continue;
    const GraphThread& thread = graph.threads[graph.lane[task]];
    const std::string_view name = trace.name(graph.event[task]);
    Source& source = sources[{graph.lane[task], KindOfName(name)}];
    const bool named = NamesLoaderWorkers(name);
    source.thread = graph.lane[task];
    source.has_workers = named || with_loaders[thread.process.value] != 0;
    source.waits_are_known = has_os_calls || named;
    const TimeRange time = {graph.measured_begin[task], graph.measured_end[task]};
    const Load load = {task, has_os_calls ? waits.In(thread.track, time) : time.Length()};
    if (graph.event[task] != range) {
      source.loads.push_back(load);
    } else if (load.wait > source.loads.back().wait) {
      source.loads.back() = load;
    }
    range = graph.event[task];
  }
  if (has_os_calls) return sources;
  // A load from worker processes does nothing but take what they made: what is left it waited.
  for (auto& [key, source] : sources) {
    DurationNs own = kTakesAtMost;
    for (const Load& load : source.loads) own = std::min(own, load.wait);
    for (Load& load : source.loads) load.wait -= own;
  }
  return sources;
}

class Pacing {
 public:
  Pacing(TaskGraph& graph, const std::string& name, const Source& source)
      : graph_(graph), name_(name), source_(source), loads_(source.loads) {}

  void Run() {
    const auto waited =
        source_.waits_are_known ? std::count_if(loads_.begin(), loads_.end(), Waits()) : 0;
    if (loads_.size() < 2 || (waited == 0 && !source_.has_workers)) return;
    const DurationNs time = End(loads_.size() - 1) - End(0);
    DurationNs sum = 0;
    for (std::size_t i = 1; i < loads_.size(); ++i) sum += loads_[i].wait;
    const bool is_known = waited >= kFewestWaits && sum * kPartsOfTime >= time;
    if (is_known && AsksItself()) return;
    graph_.producers.push_back({name_, source_.thread, static_cast<std::uint32_t>(loads_.size()),
                                static_cast<std::uint32_t>(waited),
                                time / static_cast<DurationNs>(loads_.size() - 1), is_known});
    is_known ? Pace() : Bound();
  }

 private:
  std::function<bool(const Load&)> Waits() const {
    return [this](const Load& load) { return WaitsMostly(load); };
  }
  bool WaitsMostly(const Load& load) const {
    return load.wait >= kShortestWait && 2 * load.wait > graph_.measured(load.task);
  }
  TimeNs End(std::size_t i) const { return graph_.measured_end[loads_[i].task]; }

  // Whether each load asks for its data and then waits for it, as one does that spreads its own
  // work over threads. Such a load takes as long whenever it begins; one whose producer goes on
  // meanwhile takes the longer the sooner it begins. Only where the trace shows the difference.
  bool AsksItself() const {
    const auto n = static_cast<double>(loads_.size() - 1);
    double rest_mean = 0, load_mean = 0;
    auto rest = [&](std::size_t i) {
      return static_cast<double>(graph_.measured_begin[loads_[i].task] - End(i - 1));
    };
    auto load = [&](std::size_t i) { return static_cast<double>(graph_.measured(loads_[i].task)); };
    for (std::size_t i = 1; i < loads_.size(); ++i)
      rest_mean += rest(i) / n, load_mean += load(i) / n;
    double rest_spread = 0, load_spread = 0, together = 0;
    for (std::size_t i = 1; i < loads_.size(); ++i) {
      const double a = rest(i) - rest_mean, b = load(i) - load_mean;
      rest_spread += a * a / n, load_spread += b * b / n, together += a * b / n;
    }
    constexpr double kLeastSpread = 1'000;  // Where it always begins as late nothing shows.
    const double by_chance = 2 * std::sqrt(rest_spread * load_spread / n);
    return rest_spread > kLeastSpread * kLeastSpread && together + rest_spread / 2 > by_chance;
  }

  void Ask(std::size_t i, GraphBatch batch) {
    batch.producer = static_cast<std::uint32_t>(graph_.producers.size() - 1);
    const auto row = static_cast<std::uint32_t>(graph_.batches.size());
    graph_.batches.push_back(batch);
    graph_.question[loads_[i].task] = {Ask::kBatch, Rule::kLoader, false, 0, row};
  }

  void TakeWaitOff(const Load& load) {
    if (!WaitsMostly(load)) return;
    graph_.own[load.task] -= load.wait;
    graph_.flags[load.task] |= kWaited;
  }

  void Pace() {
    // What the first one waits for began before the recording; it takes as long as it did.
    GraphBatch first;
    if (WaitsMostly(loads_[0])) first = {0, 1, graph_.producers.back().interval, loads_[0].wait};
    Ask(0, first);
    TakeWaitOff(loads_[0]);
    std::size_t before = 0;  // Since when the producer has been busy.
    for (std::size_t i = 1; i < loads_.size(); ++i) {
      if (!WaitsMostly(loads_[i])) {
        Ask(i, {});
        continue;
      }
      GraphBatch batch;
      batch.back = static_cast<std::uint32_t>(i - before);
      batch.interval = End(i) - End(before);
      batch.alone = loads_[i].wait;
      Ask(i, batch);
      TakeWaitOff(loads_[i]);
      before = i;
    }
  }

  void Bound() {
    Ask(0, {});
    for (std::size_t i = 1; i < loads_.size(); ++i) {
      GraphBatch batch;
      batch.back = 1;
      batch.interval = End(i) - End(i - 1);
      batch.is_bound = true;
      Ask(i, batch);
    }
  }

  TaskGraph& graph_;
  const std::string& name_;
  const Source& source_;
  const std::vector<Load>& loads_;
};

}  // namespace

void AskForBatches(Draft& draft) {
  const auto& kinds = draft.graph.kind;
  if (std::find(kinds.begin(), kinds.end(), TaskKind::kLoad) == kinds.end()) return;
  for (const auto& [key, source] : FindSources(draft)) {
    Pacing(draft.graph, key.second, source).Run();
  }
}

}  // namespace xsp
