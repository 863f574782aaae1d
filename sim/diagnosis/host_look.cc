#include "sim/diagnosis/host_look.h"

#include <algorithm>
#include <unordered_map>

#include "model/names/call_names.h"

namespace xsp {
namespace {

// Sums by name, in the order in which names come first.
class Sums {
 public:
  void Add(const std::string& name, DurationNs ns) {
    const auto [row, is_new] = rows_.try_emplace(name, sums_.size());
    if (is_new) sums_.push_back({name, 0, 0});
    ++sums_[row->second].count;
    sums_[row->second].ns += ns;
  }

  std::vector<HostSum> Longest() {
    std::stable_sort(sums_.begin(), sums_.end(),
                     [](const HostSum& a, const HostSum& b) { return a.ns > b.ns; });
    return std::move(sums_);
  }

 private:
  std::unordered_map<std::string, std::size_t> rows_;
  std::vector<HostSum> sums_;
};

bool Launches(std::string_view call) {
  const std::string_view bare = BareCallName(call);
  return bare.starts_with("LaunchKernel") || bare.starts_with("GraphLaunch") ||
         bare.starts_with("LaunchCooperativeKernel") || bare.starts_with("ModuleLaunchKernel");
}

bool IsOfMpi(const Trace& trace, EventId range) {
  return trace.KindOf(range) == EventKind::kMpi || trace.name(range).starts_with("MPI_");
}

}  // namespace

HostLook LookAtHost(const Trace& trace) {
  HostLook look;
  Sums calls, ranges, mpi;
  for (EventId call : trace.OfKind(EventKind::kApi)) {
    const std::string_view name = trace.name(call);
    look.launches += Launches(name) ? 1 : 0;
    calls.Add(std::string(CallName(name)), trace.duration(call));
  }
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd, EventKind::kMpi}) {
    for (EventId range : trace.OfKind(kind)) {
      Sums& sums = IsOfMpi(trace, range) ? mpi : ranges;
      sums.Add(std::string(trace.name(range)), trace.duration(range));
    }
  }
  look.calls = calls.Longest();
  look.ranges = ranges.Longest();
  look.mpi = mpi.Longest();
  return look;
}

}  // namespace xsp
