#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "graph/sim_time.h"
#include "graph/task_graph.h"

namespace xsp {

// What runs on a device besides a kernel.
enum class Company : std::uint8_t { kAlone, kKernel, kCollective };

// Which kernels a device has at each time, from the times of all kernels.
class CompanyMap {
 public:
  struct Times {
    SimTime begin;
    SimTime finish;  // Unknown: it never ran.
  };
  CompanyMap(const TaskGraph& graph, const std::function<Times(TaskId)>& times_of);

  // Calls f(company, until) for one stretch after the other from `since` on, for a kernel of this
  // stream; the last one has no end. Goes on for as long as f returns true. It looks first near
  // where it was for the kernel before: those of a stream mostly come one after the other.
  template <class F>
  void Walk(std::uint32_t stream, SimTime since, F f) {
    const std::vector<Stretch>& stretches = devices_[graph_.streams[stream].device];
    std::size_t& place = places_[stream];
    place = At(stretches, place, since);
    for (std::size_t i = place; i < stretches.size(); ++i) {
      const bool is_last = i + 1 == stretches.size();
      const SimTime until = is_last ? kNever : stretches[i + 1].begin;
      if (!f(stretches[i].For(stream), until)) return;
    }
  }

  static constexpr SimTime kNever = {std::numeric_limits<std::int64_t>::max() / 2};

 private:
  // A stretch in which the same streams run kernels.
  struct Stretch {
    SimTime begin;
    std::uint32_t stream = 0;   // The stream that runs a kernel, where it is one only,
    std::uint32_t streams = 0;  // and how many do.
    bool collective = false;

    Company For(std::uint32_t of) const {
      if (collective) return Company::kCollective;
      return streams > 1 || (streams == 1 && stream != of) ? Company::kKernel : Company::kAlone;
    }
  };
  struct Change;

  static std::size_t At(const std::vector<Stretch>& stretches, std::size_t near, SimTime time);
  static void SortRuns(std::vector<Change>& list);
  std::vector<Stretch> StretchesOf(const std::vector<Change>& changes) const;

  const TaskGraph& graph_;
  std::vector<std::vector<Stretch>> devices_;
  std::vector<std::size_t> places_;  // By stream: where the last walk began.
};

}  // namespace xsp
