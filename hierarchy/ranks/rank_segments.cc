#include "hierarchy/ranks/rank_segments.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <unordered_map>

namespace xsp {
namespace {

// Recorders are no finer: what ended so much after the begin of something ended before it.
constexpr DurationNs kSameMoment = 1000;

class Segments {
 public:
  Segments(const Hierarchy& hierarchy, const std::vector<RankWork>& work,
           const std::vector<ComputeGap>& gaps, const RankCollectives& collectives)
      : hierarchy_(hierarchy), work_(work), collectives_(collectives) {
    for (const ComputeGap& gap : gaps) {
      if (gap.cause != GapCause::kBlocking) continue;
      const auto row = collectives.row_of_work.find(gap.held_by);
      if (row != collectives.row_of_work.end()) waits_for_[gap.next] = row->second;
    }
  }

  std::vector<RankSegment> Run() {
    for (std::uint32_t i = 0; i < work_.size(); ++i) {
      if (work_[i].activity == Activity::kCompute) Add(i);
    }
    Close();
    return std::move(rows_);
  }

 private:
  struct Part {
    DurationNs busy = 0;
    std::int64_t operations = 0;
  };

  void Add(std::uint32_t i) {
    const RankWork& one = work_[i];
    const Phase phase = hierarchy_.nodes().phase[hierarchy_.NodeOfWork(one.event).value];
    const auto waits = waits_for_.find(i);
    const bool is_held = waits != waits_for_.end();
    if (CollectiveBeganBefore(one.time.end) || is_held || one.step != step_ || phase != phase_) {
      Close();
      step_ = one.step;
      phase_ = phase;
      held_by_ = is_held ? std::int64_t{waits->second} : kMissing<std::int64_t>;
    }
    if (is_empty_) time_ = one.time;
    is_empty_ = false;
    time_.end = std::max(time_.end, one.time.end);
    const auto kind = hierarchy_.kinds().Of(hierarchy_.trace(), one.event).kernel_class;
    Part& part = parts_[static_cast<std::size_t>(kind)];
    ++part.operations;
    part.busy += std::max<DurationNs>(0, one.time.end - std::max(one.time.begin, busy_until_));
    busy_until_ = std::max(busy_until_, one.time.end);
  }

  // Whether a collective has begun since the last time, before work ended: the collective did not
  // wait for that work, but for all that is in the segments before.
  bool CollectiveBeganBefore(TimeNs end) {
    const std::size_t before = begun_;
    while (begun_ < collectives_.rows.size() &&
           collectives_.rows[begun_].begin_ns + kSameMoment < end) {
      ++begun_;
    }
    return begun_ != before;
  }

  void Close() {
    if (is_empty_) return;
    const std::int64_t step = step_ == Steps::kOutside ? 0 : std::int64_t{step_} + 1;
    const std::int64_t sequence = next_[step]++;
    for (std::size_t kind = 0; kind < parts_.size(); ++kind) {
      if (parts_[kind].operations == 0) continue;
      RankSegment& row = rows_.emplace_back();
      row.step = step;
      row.sequence = sequence;
      row.work_class = NameOf(static_cast<KernelClass>(kind));
      row.phase = NameOf(phase_);
      row.begin_ns = time_.begin;
      row.end_ns = time_.end;
      row.busy_ns = parts_[kind].busy;
      row.operations = parts_[kind].operations;
      row.waits_for = held_by_;
    }
    parts_ = {};
    is_empty_ = true;
  }

  const Hierarchy& hierarchy_;
  const std::vector<RankWork>& work_;
  const RankCollectives& collectives_;
  std::unordered_map<std::uint32_t, std::uint32_t> waits_for_;  // Work -> row of a collective.
  std::map<std::int64_t, std::int64_t> next_;                   // Sequence, by step.
  std::size_t begun_ = 0;                                       // Collectives so far.
  TimeNs busy_until_ = std::numeric_limits<TimeNs>::min();

  // The segment that is open.
  bool is_empty_ = true;
  std::uint32_t step_ = Steps::kOutside;
  Phase phase_ = Phase::kNone;
  TimeRange time_;
  std::int64_t held_by_ = kMissing<std::int64_t>;
  std::array<Part, kKernelClassCount> parts_{};

  std::vector<RankSegment> rows_;
};

}  // namespace

std::vector<RankSegment> FindSegments(const Hierarchy& hierarchy, const std::vector<RankWork>& work,
                                      const std::vector<ComputeGap>& gaps,
                                      const RankCollectives& collectives) {
  return Segments(hierarchy, work, gaps, collectives).Run();
}

}  // namespace xsp
