#include "graph/waits/os_waits.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/interrupt.h"
#include "base/quantile.h"
#include "graph/waits/moments.h"
#include "graph/waits/os_calls.h"
#include "graph/waits/pace.h"

namespace xsp {
namespace {

// Who sleeps waits, however short: for what is left until a time.
constexpr DurationNs kShortestSleep = 20'000;
// A thread that waits for others and that nobody waits for is told about if it does so often; the
// threads of drivers and profilers look in now and then. Where it was signalled, less will do.
constexpr std::size_t kFewestRounds = 10, kFewestSignals = 5;
// So many calls that may wait for a device must come at its times, and so surely.
constexpr std::size_t kFewestTimes = 10;
constexpr double kSureOfTimes = 4;
// Threads of a process that are looked at; those with the most waits and signals.
constexpr std::size_t kMostThreads = 64;
// Waits of a thread by which it is told who ends them; evenly spread.
constexpr std::size_t kMostAsked = 2'000;

struct ThreadWaits {
  TrackId track;
  bool calls_cuda = false;
  std::vector<EventId> waits;    // By begin; those that last.
  std::vector<OsCall> kinds;     // Of these.
  std::vector<Moment> signals;   // By time.
  std::vector<Moment> changes;   // By time: it began to wait, was woken, or a long call returned.
  std::vector<EventId> matched;  // Signals that ended a wait.
  std::size_t woken = 0;         // Waits that threads of the graph ended,
  std::size_t signalled = 0;     // of these by signals that were recorded,
  std::size_t wakes = 0;         // and waits of these that it ended.
  bool is_in = false;            // A part of the graph.
};

// The waits of one process.
class ProcessWaits {
 public:
  ProcessWaits(const Trace& trace, const CallsOfThreads& calls, std::vector<ThreadWaits> threads)
      : trace_(trace), calls_(calls), threads_(std::move(threads)) {}

  void Run(OsWaits& result) {
    for (ThreadWaits& waiter : threads_) FindRunOut(waiter, result);
    for (ThreadWaits& waiter : threads_) FindWakers(waiter);
    FindMembers();
    for (ThreadWaits& thread : threads_) {
      if (thread.is_in) AddTasks(thread, result, result.tasks[thread.track.value]);
    }
    for (const Link& link : links_) {
      if (!threads_[link.waiter].is_in || !threads_[link.by].is_in) continue;
      result.woken.push_back({link.wait, threads_[link.by].track, link.moment.at});
    }
  }

 private:
  struct Link {
    EventId wait;
    std::size_t waiter;  // Rows of threads_.
    std::size_t by;
    Moment moment;
  };

  TimeRange TimeOf(EventId event) const { return {trace_.begin(event), trace_.end(event)}; }

  // Waits that ran out are sleeps: nobody ended them.
  void FindRunOut(ThreadWaits& waiter, OsWaits& result) const {
    std::map<StringId, std::vector<std::size_t>> by_name;  // Rows of waits.
    for (std::size_t i = 0; i < waiter.waits.size(); ++i) {
      const StringId name = trace_.name_of(waiter.waits[i]);
      if (MayRunOut(trace_.strings()[name])) by_name[name].push_back(i);
    }
    for (const auto& [name, rows] : by_name) {
      const std::vector<std::size_t> unsignalled = Unsignalled(waiter, rows);
      FindLimitOfSeveral(waiter, rows, unsignalled, result);
      const std::vector<std::size_t> longest = LongestAlike(
          unsignalled, [&](std::size_t i) { return trace_.duration(waiter.waits[i]); });
      std::vector<TimeRange> asked;
      for (std::size_t i : longest) asked.push_back(TimeOf(waiter.waits[i]));
      const bool somebody_ends_them = !LikelyWakers(waiter, asked, &ThreadWaits::signals).empty() ||
                                      !LikelyWakers(waiter, asked, &ThreadWaits::changes).empty();
      if (longest.empty() || somebody_ends_them) continue;
      if (AreUsual(waiter, rows, unsignalled, longest)) continue;
      result.limits.push_back({waiter.track, name, asked.front().Length()});
      for (std::size_t i : longest) {
        waiter.kinds[i] = OsCall::kSleep;
        result.ran_out.insert(waiter.waits[i]);
      }
    }
  }

  // Waits until one time for all that may come until then, as a server fills a batch: each call is
  // over when something comes, and gives up at that time, whenever that is. Together they take as
  // long as ever where nobody ended the last one.
  void FindLimitOfSeveral(const ThreadWaits& waiter, const std::vector<std::size_t>& rows,
                          const std::vector<std::size_t>& unsignalled, OsWaits& result) const {
    std::map<std::size_t, DurationNs> together;  // By the last call: since the first one.
    std::size_t several = 0, first = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == 0 || !GoesOn(waiter, rows[i - 1], rows[i])) first = i;
      const bool is_last = i + 1 == rows.size() || !GoesOn(waiter, rows[i], rows[i + 1]);
      if (!is_last || !std::binary_search(unsignalled.begin(), unsignalled.end(), rows[i]))
        continue;
      together[rows[i]] =
          trace_.end(waiter.waits[rows[i]]) - trace_.begin(waiter.waits[rows[first]]);
      several += first != i ? 1 : 0;
    }
    std::vector<std::size_t> lasts;
    for (const auto& [last, length] : together) lasts.push_back(last);
    const auto longest = LongestAlike(lasts, [&](std::size_t i) { return together.at(i); });
    if (longest.empty() || 2 * several < lasts.size()) return;
    const StringId name = trace_.name_of(waiter.waits[rows.front()]);
    result.limits.push_back({waiter.track, name, together.at(longest.front()), true});
  }

  // Whether one wait follows another one as in a loop that does nothing else.
  bool GoesOn(const ThreadWaits& waiter, std::size_t before, std::size_t next) const {
    constexpr DurationNs kLongest = 20'000;
    const TimeRange between = {trace_.end(waiter.waits[before]), trace_.begin(waiter.waits[next])};
    return before + 1 == next && between.Length() < kLongest && !CallsWithin(waiter.track, between);
  }

  // Of some waits of a thread, those at whose end nobody signalled who mostly does.
  std::vector<std::size_t> Unsignalled(const ThreadWaits& waiter,
                                       const std::vector<std::size_t>& rows) const {
    std::vector<TimeRange> asked;
    for (std::size_t i : rows) asked.push_back(TimeOf(waiter.waits[i]));
    const std::vector<std::size_t> wakers = LikelyWakers(waiter, asked, &ThreadWaits::signals);
    std::vector<std::size_t> open;
    for (std::size_t i : rows) {
      const bool is_signalled = std::any_of(wakers.begin(), wakers.end(), [&](std::size_t by) {
        return LastBefore(threads_[by].signals, TimeOf(waiter.waits[i])) != nullptr;
      });
      if (!is_signalled) open.push_back(i);
    }
    return open;
  }

  // Waits as long as the longest of all, if these are so alike, and so many, that a limit made them
  // so. Timers of the system are late by about 0.1 ms.
  template <class Length>
  static std::vector<std::size_t> LongestAlike(std::vector<std::size_t> rows,
                                               const Length& length) {
    constexpr DurationNs kLate = 150'000;
    std::sort(rows.begin(), rows.end(),
              [&](std::size_t a, std::size_t b) { return length(a) > length(b); });
    // One of them may have been held up.
    const std::size_t held_up = rows.size() / 20;
    if (rows.size() < held_up + kFewestWaits) return {};
    const DurationNs longest = length(rows[held_up]);
    const DurationNs near = kLate + longest / 100;
    std::vector<std::size_t> alike;
    for (std::size_t i : rows) {
      if (std::abs(longest - length(i)) <= near) alike.push_back(i);
    }
    const auto others = static_cast<double>(rows.size() - alike.size());
    const double by_chance =
        kTimesChance * others * static_cast<double>(near) / static_cast<double>(longest);
    const bool are_many = static_cast<double>(alike.size()) >= std::max(3.0, by_chance);
    return are_many ? alike : std::vector<std::size_t>();
  }

  // Whether waits that somebody ended last as long as those that seem to have run out: then no
  // limit made these so alike, but whoever ends them all, and is so quick that it is not always
  // recorded.
  bool AreUsual(const ThreadWaits& waiter, const std::vector<std::size_t>& all,
                const std::vector<std::size_t>& unsignalled,
                const std::vector<std::size_t>& longest) const {
    DurationNs shortest = trace_.duration(waiter.waits[longest.front()]);
    for (std::size_t i : longest) shortest = std::min(shortest, trace_.duration(waiter.waits[i]));
    const auto reach = [&](const std::vector<std::size_t>& rows) {
      return std::count_if(rows.begin(), rows.end(), [&](std::size_t i) {
        return trace_.duration(waiter.waits[i]) >= shortest;
      });
    };
    const auto signalled = static_cast<std::ptrdiff_t>(all.size() - unsignalled.size());
    return signalled > 0 && 2 * (reach(all) - reach(unsignalled)) > signalled;
  }

  // Recorded signals are believed before anything else.
  void FindWakers(ThreadWaits& waiter) {
    const auto self = static_cast<std::size_t>(&waiter - threads_.data());
    const std::size_t first = links_.size();
    std::vector<std::uint8_t> is_known(waiter.waits.size());
    for (const auto moments : {&ThreadWaits::signals, &ThreadWaits::changes}) {
      const std::vector<std::size_t> wakers = LikelyWakers(waiter, WaitsOf(waiter), moments);
      for (std::size_t i = 0; i < waiter.waits.size(); ++i) {
        if (is_known[i] != 0 || waiter.kinds[i] != OsCall::kWait) continue;
        for (std::size_t by : wakers) {
          const Moment* moment = LastBefore(threads_[by].*moments, TimeOf(waiter.waits[i]));
          if (moment == nullptr) continue;
          links_.push_back({waiter.waits[i], self, by, *moment});
          is_known[i] = 1;
          break;
        }
      }
    }
    AddUnseen(waiter, is_known, first);
  }

  // Signals that take less than a microsecond are left out by most recorders. Where most waits of a
  // thread are ended by one other, so are those of which nothing shows who it was.
  void AddUnseen(const ThreadWaits& waiter, const std::vector<std::uint8_t>& is_known,
                 std::size_t first) {
    const std::span<const Link> known(links_.begin() + static_cast<std::ptrdiff_t>(first),
                                      links_.end());
    const auto waits = static_cast<std::size_t>(
        std::count(waiter.kinds.begin(), waiter.kinds.end(), OsCall::kWait));
    if (known.size() < kFewestWaits || 2 * known.size() < waits) return;
    const Link example = known.front();
    std::vector<DurationNs> wakes;
    for (const Link& link : known) {
      if (link.by == example.by) wakes.push_back(trace_.end(link.wait) - link.moment.at);
    }
    if (wakes.size() < known.size()) return;
    const DurationNs wake = UpperMedian(wakes);
    for (std::size_t i = 0; i < waiter.waits.size(); ++i) {
      if (is_known[i] != 0 || waiter.kinds[i] != OsCall::kWait) continue;
      const TimeRange time = TimeOf(waiter.waits[i]);
      const TimeNs at = std::max(time.begin, time.end - wake);
      links_.push_back({waiter.waits[i], example.waiter, example.by, {at, {}}});
    }
  }

  // Those by which it is told who ends the waits of a thread.
  std::vector<TimeRange> WaitsOf(const ThreadWaits& waiter) const {
    std::vector<TimeRange> asked;
    for (std::size_t i = 0; i < waiter.waits.size(); i += 1 + waiter.waits.size() / kMostAsked) {
      if (waiter.kinds[i] == OsCall::kWait) asked.push_back(TimeOf(waiter.waits[i]));
    }
    return asked;
  }

  // The threads that are there more often than by chance when a wait ends; first who is most often:
  // another one may have been woken together with this one.
  std::vector<std::size_t> LikelyWakers(const ThreadWaits& waiter,
                                        const std::vector<TimeRange>& asked,
                                        std::vector<Moment> ThreadWaits::*moments) const {
    std::vector<std::pair<std::size_t, std::size_t>> likely;  // How often, and who.
    for (std::size_t other = 0; other < threads_.size(); ++other) {
      if (&threads_[other] == &waiter) continue;
      // Of several who end the waits of one thread in turn each is there at few of them, but soon.
      const std::vector<Moment>& of = threads_[other].*moments;
      const std::size_t met =
          std::max(MetIn(of, asked, WindowOf(of)), MetIn(of, asked, kUsualWake));
      if (met > 0) likely.emplace_back(met, other);
    }
    std::stable_sort(likely.begin(), likely.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::size_t> wakers;
    for (const auto& [met, other] : likely) wakers.push_back(other);
    return wakers;
  }

  // Threads that call CUDA, and all that wait for a member again and again, or are waited for.
  void FindMembers() {
    for (ThreadWaits& thread : threads_) thread.is_in = thread.calls_cuda;
    for (bool goes_on = true; goes_on;) {
      for (ThreadWaits& thread : threads_) thread.woken = thread.signalled = thread.wakes = 0;
      for (const Link& link : links_) {
        const bool is_signalled = threads_[link.by].is_in && link.moment.signal.valid();
        threads_[link.waiter].woken += threads_[link.by].is_in ? 1 : 0;
        threads_[link.waiter].signalled += is_signalled ? 1 : 0;
        threads_[link.by].wakes += threads_[link.waiter].is_in ? 1 : 0;
      }
      goes_on = false;
      for (ThreadWaits& thread : threads_) {
        const bool counts = thread.wakes >= kFewestWaits || thread.woken >= kFewestRounds ||
                            thread.signalled >= kFewestSignals;
        if (thread.is_in || !counts) continue;
        thread.is_in = true;
        goes_on = true;
      }
    }
    for (const Link& link : links_) {
      if (!link.moment.signal.valid() || !threads_[link.waiter].is_in) continue;
      threads_[link.by].matched.push_back(link.moment.signal);
      Moment& until = woken_at_[link.moment.signal];
      const TimeNs woken = trace_.end(link.wait);
      if (!until.signal.valid() || woken < until.at) until = {woken, link.moment.signal};
    }
  }

  // Waits for one thing by several calls, one behind the other, of which the first ones ran out: a
  // loop that gives up now and then only to look. It is one wait, which lasts until somebody ends
  // it.
  void AddWaits(const ThreadWaits& thread, const OsWaits& result,
                std::vector<OsTask>& tasks) const {
    constexpr DurationNs kLongest = 5'000;  // From one round of such a loop to the next.
    for (EventId wait : thread.waits) {
      TimeRange time = TimeOf(wait);
      const bool is_ended = result.ran_out.count(wait) == 0;
      while (is_ended && !tasks.empty() && result.ran_out.count(tasks.back().event) > 0 &&
             trace_.name_of(tasks.back().event) == trace_.name_of(wait) &&
             time.begin - tasks.back().time.end < kLongest &&
             !CallsWithin(thread.track, {tasks.back().time.end, time.begin})) {
        time.begin = tasks.back().time.begin;
        tasks.pop_back();
      }
      tasks.push_back({wait, time});
    }
  }

  bool CallsWithin(TrackId thread, TimeRange time) const {
    const std::vector<EventId>& calls = calls_[thread.value];
    const auto next = std::partition_point(
        calls.begin(), calls.end(), [&](EventId call) { return trace_.begin(call) < time.begin; });
    return next != calls.end() && trace_.begin(*next) < time.end;
  }

  void AddTasks(const ThreadWaits& thread, const OsWaits& result,
                std::vector<OsTask>& tasks) const {
    AddWaits(thread, result, tasks);
    for (EventId signal : thread.matched) {
      const TimeNs end = std::min(trace_.end(signal), woken_at_.at(signal).at);
      tasks.push_back({signal, {trace_.begin(signal), std::max(trace_.begin(signal), end)}});
    }
    std::sort(tasks.begin(), tasks.end(), [](const OsTask& a, const OsTask& b) {
      return std::pair(a.time.begin, a.event) < std::pair(b.time.begin, b.event);
    });
    // One signal may have woken several, and calls may lie within others.
    TimeNs until = tasks.empty() ? 0 : tasks.front().time.begin;
    EventId last;
    std::erase_if(tasks, [&](const OsTask& task) {
      if (task.event == last || task.time.begin < until) return true;
      last = task.event;
      until = task.time.end;
      return false;
    });
  }

  const Trace& trace_;
  const CallsOfThreads& calls_;
  std::vector<ThreadWaits> threads_;
  std::vector<Link> links_;
  std::unordered_map<EventId, Moment> woken_at_;  // By signal: when the first one woke up.
};

class Collector {
 public:
  Collector(const Trace& trace, const CallsOfThreads& calls)
      : trace_(trace), calls_(calls), of_track_(trace.tracks().size()) {}

  OsWaits Run() {
    OsWaits result;
    result.tasks.resize(trace_.tracks().size());
    AddOsCalls();
    InterruptPoll poll;
    for (std::vector<ThreadWaits>& threads : ByProcess()) {
      poll();
      ProcessWaits(trace_, calls_, std::move(threads)).Run(result);
    }
    return result;
  }

 private:
  using Place = std::pair<TrackId, StringId>;  // A thread, and the name of what it calls.

  static bool MayWaitForDevice(OsCall kind) {
    return kind == OsCall::kDevice || kind == OsCall::kInput;
  }
  Place PlaceOf(EventId call) const { return {trace_.track_of(call), trace_.name_of(call)}; }

  // Where threads wait for a display or a camera: their calls end at regular times, however long
  // the program worked before; or nothing tells what becomes of them.
  std::set<Place> WaitsForDevices() const {
    std::map<Place, std::vector<TimeRange>> times;
    OsCalls kinds(trace_);
    for (EventId call : trace_.OfKind(EventKind::kOsrt)) {
      const bool is_long = trace_.duration(call) >= kShortestWait;
      if (!is_long || !MayWaitForDevice(kinds.Of(call)) || IsInsideCall(call)) continue;
      times[PlaceOf(call)].push_back({trace_.begin(call), trace_.end(call)});
    }
    std::set<Place> found;
    for (const auto& [place, of] : times) {
      const Pace pace = PaceOf(of, kFewestTimes, kSureOfTimes);
      const bool is_device = OsCallOf(trace_.strings()[place.second]) == OsCall::kDevice;
      const bool is_untold = pace == Pace::kUnclear && of.size() >= kFewestTimes;
      if (pace == Pace::kDeadline || (is_device && is_untold)) found.insert(place);
    }
    return found;
  }

  void AddOsCalls() {
    OsCalls kinds(trace_);
    const std::set<Place> devices = WaitsForDevices();
    for (EventId call : trace_.OfKind(EventKind::kOsrt)) {
      ThreadWaits& thread = of_track_[trace_.track_of(call).value];
      OsCall kind = kinds.Of(call);
      if (MayWaitForDevice(kind) && devices.count(PlaceOf(call)) > 0) kind = OsCall::kWait;
      const bool waits = kind == OsCall::kSleep || kind == OsCall::kWait;
      const DurationNs shortest = kind == OsCall::kSleep ? kShortestSleep : kShortestWait;
      if (kind != OsCall::kSignal && (!waits || trace_.duration(call) < shortest)) continue;
      if (IsInsideCall(call)) continue;
      if (kind == OsCall::kSignal) {
        thread.signals.push_back({trace_.begin(call), call});
        continue;
      }
      thread.waits.push_back(call);
      thread.kinds.push_back(kind);
      thread.changes.push_back({trace_.begin(call), {}});
      thread.changes.push_back({trace_.end(call), {}});
    }
  }

  // What happens inside a CUDA call is between the driver and its own threads.
  bool IsInsideCall(EventId os_call) const {
    const std::vector<EventId>& calls = calls_[trace_.track_of(os_call).value];
    const TimeNs at = trace_.begin(os_call);
    auto after = std::partition_point(calls.begin(), calls.end(),
                                      [&](EventId call) { return trace_.begin(call) <= at; });
    // A call may lie in another one, which began before it.
    constexpr int kDeepest = 4;
    for (int i = 0; i < kDeepest && after != calls.begin(); ++i) {
      if (trace_.end(*--after) > at) return true;
    }
    return false;
  }

  // Threads of processes in which somebody waits and somebody calls CUDA.
  std::vector<std::vector<ThreadWaits>> ByProcess() {
    const std::size_t processes = trace_.processes().size();
    std::vector<std::vector<ThreadWaits>> result(processes);
    std::vector<std::uint8_t> calls_cuda(processes), waits(processes);
    for (std::uint32_t i = 0; i < of_track_.size(); ++i) {
      ThreadWaits& thread = of_track_[i];
      const ProcessId process = trace_.track(TrackId(i)).process;
      if (!process.valid()) continue;
      thread.track = TrackId(i);
      thread.calls_cuda = !calls_[i].empty();
      calls_cuda[process.value] |= thread.calls_cuda;
      waits[process.value] |= !thread.waits.empty();
      if (!thread.calls_cuda && thread.waits.empty() && thread.signals.empty()) continue;
      result[process.value].push_back(std::move(thread));
    }
    for (std::size_t i = 0; i < processes; ++i) {
      if (calls_cuda[i] == 0 || waits[i] == 0) result[i].clear();
      KeepMost(result[i]);
      for (ThreadWaits& thread : result[i]) AddLongCalls(thread);
    }
    return result;
  }

  void KeepMost(std::vector<ThreadWaits>& threads) const {
    if (threads.size() <= kMostThreads) return;
    std::stable_sort(threads.begin(), threads.end(), [](const auto& a, const auto& b) {
      return std::pair(a.calls_cuda, a.waits.size() + a.signals.size()) >
             std::pair(b.calls_cuda, b.waits.size() + b.signals.size());
    });
    threads.resize(kMostThreads);
  }

  void AddLongCalls(ThreadWaits& thread) const {
    for (EventId call : calls_[thread.track.value]) {
      if (trace_.duration(call) < kShortestWait) continue;
      thread.changes.push_back({trace_.end(call), {}});
    }
    std::sort(thread.changes.begin(), thread.changes.end(),
              [](const Moment& a, const Moment& b) { return a.at < b.at; });
  }

  const Trace& trace_;
  const CallsOfThreads& calls_;
  std::vector<ThreadWaits> of_track_;
};

}  // namespace

OsWaits FindOsWaits(const Trace& trace, const CallsOfThreads& calls) {
  if (trace.OfKind(EventKind::kOsrt).empty()) {
    OsWaits none;
    none.tasks.resize(trace.tracks().size());
    return none;
  }
  return Collector(trace, calls).Run();
}

}  // namespace xsp
