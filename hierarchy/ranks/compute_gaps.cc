#include "hierarchy/ranks/compute_gaps.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/enum_names.h"
#include "hierarchy/ranks/stream_waits.h"

namespace xsp {
namespace {

// From the end of what an operation waited for to its begin, and by how much it must be late for
// that to show: as the graph infers waits that were not recorded.
constexpr DurationNs kNear = 25'000;
constexpr DurationNs kLate = 10'000;
// Clocks of two queues agree to about this.
constexpr DurationNs kSkew = 2'000;

class GapFinder {
 public:
  GapFinder(const Trace& trace, const RankEvents& events, TimeRange over)
      : work_(events.work), waits_(trace, events), over_(over), busy_until_(over.begin) {}

  std::vector<ComputeGap> Run() {
    for (std::uint32_t i = 0; i < work_.size(); ++i) {
      const RankWork& one = work_[i];
      if (one.activity == Activity::kCompute) {
        if (one.time.begin > busy_until_) Explain(i);
        busy_until_ = std::max(busy_until_, one.time.end);
      } else {
        others_.push_back(i);
      }
      before_on_stream_[one.stream] = i;
    }
    Add({busy_until_, over_.end}, GapCause::kNoMoreCompute, ComputeGap::kNone, ComputeGap::kNone);
    return std::move(gaps_);
  }

 private:
  void Explain(std::uint32_t next) {
    const RankWork& one = work_[next];
    const TimeRange gap = {busy_until_, one.time.begin};
    const std::uint32_t held_by = HeldBy(next, gap);
    if (held_by != ComputeGap::kNone && work_[held_by].time.end > one.launch) {
      const TimeNs issued = std::clamp(one.launch, gap.begin, gap.end);
      Add({gap.begin, issued}, GapCause::kLaunchStarved, next, ComputeGap::kNone);
      Add({issued, gap.end}, GapCause::kBlocking, next, held_by);
      return;
    }
    // Issued within the gap: from there on it is the launch itself that takes so long.
    const bool is_starved = one.has_call && one.launch > gap.begin;
    Add(gap, is_starved ? GapCause::kLaunchStarved : GapCause::kDependencyStalled, next,
        ComputeGap::kNone);
  }

  // What ended last within the gap, of all that the operation had to wait for.
  std::uint32_t HeldBy(std::uint32_t next, TimeRange gap) const {
    const RankWork& one = work_[next];
    std::uint32_t last = ComputeGap::kNone;
    auto consider = [&](std::uint32_t other) {
      if (other == StreamWaits::kNone) return;
      const TimeNs end = work_[other].time.end;
      if (end <= gap.begin || end > gap.end + kSkew) return;
      if (last == ComputeGap::kNone || end > work_[last].time.end) last = other;
    };
    TimeNs launched_before = over_.begin;
    if (const auto it = before_on_stream_.find(one.stream); it != before_on_stream_.end()) {
      consider(it->second);
      launched_before = work_[it->second].launch;
    }
    consider(waits_.LastEnding(one.stream, launched_before, one.launch));
    if (!waits_.known()) consider(EndedRightBefore(one));
    return last;
  }

  // Of copies and communication on other streams, what ended right before an operation that was
  // queued and yet had not begun.
  std::uint32_t EndedRightBefore(const RankWork& one) const {
    if (!one.has_call || one.time.begin - one.launch < kLate) return ComputeGap::kNone;
    std::uint32_t last = ComputeGap::kNone;
    // What began long ago may end only now, but few such run at once.
    constexpr std::size_t kMostLookedAt = 64;
    for (std::size_t n = 0; n < std::min(kMostLookedAt, others_.size()); ++n) {
      const std::uint32_t i = others_[others_.size() - 1 - n];
      const RankWork& other = work_[i];
      const bool is_near = other.time.end >= one.time.begin - kNear &&
                           other.time.end <= one.time.begin + kSkew &&
                           other.launch <= one.time.begin && other.stream != one.stream;
      if (!is_near) continue;
      if (last == ComputeGap::kNone || other.time.end > work_[last].time.end) last = i;
    }
    return last;
  }

  void Add(TimeRange time, GapCause cause, std::uint32_t next, std::uint32_t held_by) {
    time = time.Clip(over_);
    if (!time.Empty()) gaps_.push_back({time, cause, next, held_by});
  }

  const std::vector<RankWork>& work_;
  StreamWaits waits_;
  TimeRange over_;
  TimeNs busy_until_;
  std::vector<std::uint32_t> others_;  // Work that is no compute, so far.
  std::map<TrackId, std::uint32_t> before_on_stream_;
  std::vector<ComputeGap> gaps_;
};

}  // namespace

std::string_view NameOf(GapCause cause) {
  constexpr EnumNames<GapCause::kNoMoreCompute> kNames(
      {"launch_starved", "blocking", "dependency_stalled", "no_more_compute"});
  return kNames[cause];
}

std::vector<ComputeGap> FindComputeGaps(const Trace& trace, const RankEvents& events,
                                        TimeRange over) {
  return GapFinder(trace, events, over).Run();
}

}  // namespace xsp
