#include "hierarchy/steps/one_time_calls.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/quantile.h"
#include "model/names/call_names.h"

namespace xsp {
namespace {

// What a call's name tells.
enum class Act : std::uint8_t {
  kOther,
  kWaits,  // Or may: how long it took tells nothing.
  kLoads,
  kTakes,    // Memory, or an instantiated graph,
  kGivesUp,  // and gives it back.
};
// Of what there may be more and more; kPool comes cheap unless the pool has to grow.
enum class Store : std::uint8_t { kNone, kDevice, kPool, kHost, kPhysical, kMapped, kGraphs };
constexpr std::size_t kStoreCount = static_cast<std::size_t>(Store::kGraphs) + 1;

struct CallMeaning {
  std::string_view prefix;  // Of the name behind "cuda", "cu" or "hip".
  Act act = Act::kOther;
  Store store = Store::kNone;
};

// The first that fits decides.
constexpr CallMeaning kMeanings[] = {
    {"ModuleLoad", Act::kLoads},
    {"LibraryLoad", Act::kLoads},
    {"Link", Act::kLoads},
    {"Init", Act::kLoads},
    {"CtxCreate", Act::kLoads},
    {"DevicePrimaryCtxRetain", Act::kLoads},
    {"MallocAsync", Act::kTakes, Store::kPool},
    {"MallocFromPool", Act::kTakes, Store::kPool},
    {"MemAllocAsync", Act::kTakes, Store::kPool},
    {"MemAllocFromPool", Act::kTakes, Store::kPool},
    {"FreeAsync", Act::kGivesUp, Store::kPool},
    {"MemFreeAsync", Act::kGivesUp, Store::kPool},
    {"MallocHost", Act::kTakes, Store::kHost},
    {"MemAllocHost", Act::kTakes, Store::kHost},
    {"MemHostAlloc", Act::kTakes, Store::kHost},
    {"MemHostRegister", Act::kTakes, Store::kHost},
    {"HostAlloc", Act::kTakes, Store::kHost},
    {"HostMalloc", Act::kTakes, Store::kHost},
    {"HostRegister", Act::kTakes, Store::kHost},
    {"FreeHost", Act::kGivesUp, Store::kHost},
    {"MemFreeHost", Act::kGivesUp, Store::kHost},
    {"MemHostUnregister", Act::kGivesUp, Store::kHost},
    {"HostFree", Act::kGivesUp, Store::kHost},
    {"HostUnregister", Act::kGivesUp, Store::kHost},
    {"Malloc", Act::kTakes, Store::kDevice},
    {"MemAlloc", Act::kTakes, Store::kDevice},
    {"Free", Act::kGivesUp, Store::kDevice},
    {"MemFree", Act::kGivesUp, Store::kDevice},
    {"MemCreate", Act::kTakes, Store::kPhysical},
    {"MemRelease", Act::kGivesUp, Store::kPhysical},
    {"MemMap", Act::kTakes, Store::kMapped},
    {"MemUnmap", Act::kGivesUp, Store::kMapped},
    {"GraphInstantiate", Act::kTakes, Store::kGraphs},
    {"GraphExecDestroy", Act::kGivesUp, Store::kGraphs},
    {"Memcpy", Act::kWaits},
    {"MemPrefetch", Act::kWaits},
    {"DeviceSynchronize", Act::kWaits},
    {"ThreadSynchronize", Act::kWaits},
    {"CtxSynchronize", Act::kWaits},
    {"StreamSynchronize", Act::kWaits},
    {"EventSynchronize", Act::kWaits},
    {"DeviceReset", Act::kWaits},
    {"CtxDestroy", Act::kWaits},
    {"StreamDestroy", Act::kWaits},
    {"ModuleUnload", Act::kWaits},
    {"LibraryUnload", Act::kWaits},
    // Launches are looked at kernel by kernel.
    {"Launch", Act::kWaits},
    {"GraphLaunch", Act::kWaits},
    {"ModuleLaunchKernel", Act::kWaits},
    {"ExtModuleLaunchKernel", Act::kWaits},
    {"ExtLaunch", Act::kWaits},
};

CallMeaning MeaningOf(std::string_view recorded) {
  const std::string_view name = BareCallName(recorded);
  // What no API of these is: nobody knows whether it waits.
  if (name.empty()) return {"", Act::kWaits};
  const auto* found =
      std::find_if(std::begin(kMeanings), std::end(kMeanings),
                   [&](const CallMeaning& row) { return name.starts_with(row.prefix); });
  return found == std::end(kMeanings) ? CallMeaning{} : *found;
}

constexpr DurationNs kWarmLaunch = 10'000;   // Where none is in the trace: hardly any is longer.
constexpr DurationNs kLeastExcess = 10'000;  // Less is noise.
constexpr DurationNs kLeastSetup = 50'000;
constexpr DurationNs kSetupFactor = 10;

// How much longer than usual, where that is no noise.
DurationNs ExcessOf(DurationNs length, DurationNs usual) {
  const DurationNs excess = length - usual;
  return excess >= kLeastExcess && length >= 2 * usual ? excess : 0;
}

// Calls of one name in one process.
using CallGroup = std::pair<std::uint32_t, StringId>;

// Finds what each call spent on things that come only once, by its own name and what it launched.
class CallCosts {
 public:
  explicit CallCosts(const Trace& trace) : trace_(trace), calls_(trace.OfKind(EventKind::kApi)) {
    meanings_.resize(trace.strings().size());
    std::vector<std::uint8_t> is_known(trace.strings().size());
    for (EventId call : calls_) {
      const StringId name = trace.name_of(call);
      if (!name.valid() || is_known[name.value] != 0) continue;
      is_known[name.value] = 1;
      meanings_[name.value] = MeaningOf(trace.strings()[name]);
    }
  }

  // By call, ascending; calls within calls have rows of their own.
  std::vector<OneTimeCall> Find() {
    AddFirstLaunches();
    AddLoadingAndGrowth();
    AddFirstOfTheirName();
    std::stable_sort(found_.begin(), found_.end(), [](const OneTimeCall& a, const OneTimeCall& b) {
      return std::pair(a.call, -a.ns) < std::pair(b.call, -b.ns);
    });
    // One call, one cost: the largest.
    found_.erase(
        std::unique(found_.begin(), found_.end(),
                    [](const OneTimeCall& a, const OneTimeCall& b) { return a.call == b.call; }),
        found_.end());
    return std::move(found_);
  }

 private:
  CallMeaning MeaningOfCall(EventId call) const {
    const StringId name = trace_.name_of(call);
    return name.valid() ? meanings_[name.value] : CallMeaning{"", Act::kWaits};
  }
  CallGroup GroupOf(EventId call) const {
    return {trace_.process_of(call).value, trace_.name_of(call)};
  }

  void Add(EventId call, DurationNs ns, OneTimeReason reason) {
    if (ns > 0) found_.push_back({call, ns, reason});
  }

  void AddFirstLaunches() {
    struct Launches {
      std::vector<EventId> first;
      std::vector<DurationNs> later;
    };
    std::map<CallGroup, Launches> launches;
    std::vector<std::unordered_set<std::uint32_t>> seen(trace_.processes().size());
    EventId last;
    for (EventId kernel : trace_.OfKind(EventKind::kKernel)) {
      const EventId call = trace_.call_of(kernel);
      if (!call.valid()) continue;
      const bool is_first =
          seen[trace_.process_of(call).value].insert(trace_.name_of(kernel).value).second;
      if (!is_first && call == last) continue;  // One of many kernels of a graph.
      Launches& of_name = launches[GroupOf(call)];
      if (is_first) {
        of_name.first.push_back(call);
      } else {
        of_name.later.push_back(trace_.duration(call));
      }
      last = call;
    }
    for (auto& [group, of_name] : launches) AddFirstOf(of_name.first, std::move(of_name.later));
  }

  // Kernels are by the time of their begin: streams may bring a later launch of a kernel first.
  void AddFirstOf(std::vector<EventId>& first, std::vector<DurationNs> later) {
    std::sort(first.begin(), first.end());
    first.erase(std::unique(first.begin(), first.end()), first.end());
    DurationNs usual = kWarmLaunch;
    if (!later.empty()) {
      usual = MedianOf<DurationNs>(std::move(later));
    } else {
      for (EventId call : first) usual = std::min(usual, trace_.duration(call));
    }
    for (EventId call : first) {
      Add(call, ExcessOf(trace_.duration(call), usual), OneTimeReason::kFirstLaunch);
    }
  }

  void AddLoadingAndGrowth() {
    struct Held {
      std::int64_t now = 0;
      std::int64_t most = 0;
    };
    std::vector<std::array<Held, kStoreCount>> held(trace_.processes().size());
    std::map<CallGroup, std::vector<DurationNs>> from_pools;
    std::vector<EventId> pool_growth;
    for (EventId call : calls_) {
      const CallMeaning meaning = MeaningOfCall(call);
      if (meaning.act == Act::kLoads) {
        Add(call, trace_.duration(call), OneTimeReason::kLoading);
        continue;
      }
      if (meaning.store == Store::kNone) continue;
      Held& store = held[trace_.process_of(call).value][static_cast<std::size_t>(meaning.store)];
      if (meaning.act == Act::kGivesUp) {
        store.now = std::max<std::int64_t>(0, store.now - 1);
        continue;
      }
      const bool grows = ++store.now > store.most;
      store.most = std::max(store.most, store.now);
      if (meaning.store == Store::kPool) {
        from_pools[GroupOf(call)].push_back(trace_.duration(call));
        if (grows) pool_growth.push_back(call);
      } else if (grows) {
        Add(call, trace_.duration(call), OneTimeReason::kMemory);
      }
    }
    std::map<CallGroup, DurationNs> usual;
    for (auto& [group, lengths] : from_pools) usual[group] = MedianOf<DurationNs>(lengths);
    for (EventId call : pool_growth) {
      Add(call, ExcessOf(trace_.duration(call), usual[GroupOf(call)]), OneTimeReason::kMemory);
    }
  }

  // A call behind which something is created: long once, and never again.
  void AddFirstOfTheirName() {
    struct Group {
      EventId first;
      bool is_first_of_process = false;
      std::vector<DurationNs> later;
    };
    std::map<CallGroup, Group> long_ones;
    std::unordered_set<std::uint64_t> seen;
    std::unordered_set<std::uint32_t> processes;
    for (EventId call : calls_) {
      const CallGroup group = GroupOf(call);
      const bool is_first_of_process = processes.insert(group.first).second;
      if (!seen.insert((std::uint64_t{group.first} << 32) | group.second.value).second) {
        const auto found = long_ones.find(group);
        if (found != long_ones.end()) found->second.later.push_back(trace_.duration(call));
        continue;
      }
      if (trace_.duration(call) < kLeastSetup || !CanSetUp(call, is_first_of_process)) continue;
      long_ones[group] = {call, is_first_of_process, {}};
    }
    for (auto& [group, calls] : long_ones) {
      if (calls.later.empty() && !calls.is_first_of_process) continue;
      const DurationNs length = trace_.duration(calls.first);
      const DurationNs usual = calls.later.empty() ? 0 : MedianOf<DurationNs>(calls.later);
      if (length >= kSetupFactor * usual) Add(calls.first, length - usual, OneTimeReason::kSetup);
    }
  }

  // cudaFree(0) is how programs and libraries create what they need: it waits for the device, where
  // that has anything to do. Calls that take memory are looked at as growth.
  bool CanSetUp(EventId call, bool is_first_of_process) const {
    switch (MeaningOfCall(call).act) {
      case Act::kOther:
        return true;
      case Act::kTakes:
        return is_first_of_process;
      case Act::kGivesUp:
        return !IsDeviceBusy(call);
      default:
        return false;
    }
  }

  // Whether a device of the process was at work during a call. Asked of few calls.
  bool IsDeviceBusy(EventId call) const {
    const ProcessId process = trace_.process_of(call);
    for (EventId work : trace_.DeviceWork()) {
      const bool overlaps =
          trace_.begin(work) < trace_.end(call) && trace_.end(work) > trace_.begin(call);
      if (overlaps && trace_.process_of(work) == process) return true;
    }
    return false;
  }

  const Trace& trace_;
  const EventSpan calls_;
  std::vector<CallMeaning> meanings_;  // By string.
  std::vector<OneTimeCall> found_;
};

}  // namespace

std::vector<OneTimeCall> FindOneTimeCalls(const Trace& trace) { return CallCosts(trace).Find(); }

}  // namespace xsp
