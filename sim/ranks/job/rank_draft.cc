#include "sim/ranks/job/rank_draft.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

namespace xsp {
namespace {

// What begins so soon after an end followed it.
constexpr DurationNs kJustBefore = 10'000;

// Makes the operations of one rank, step by step.
class RankDrafter {
 public:
  RankDrafter(const RankTables& tables, std::size_t rank, WorkerRow worker, std::uint32_t group,
              const RankTurns& turns, const JobDraft& job)
      : tables_(tables),
        rank_(rank),
        worker_(worker),
        group_(group),
        turns_(turns),
        job_(job),
        ops_(job.ops),
        op_of_collective_(tables.collectives.size(), kNoOp),
        step_begins_(turns.segments.size()) {
    for (const RankStep& row : tables.steps) {
      const auto step = job.steps.Find(rank, row.step);
      if (step) step_begins_[*step] = job.clock.At(rank, row.begin_ns);
    }
  }

  std::vector<OpRow> Run() {
    for (std::uint32_t step = 0; step < turns_.segments.size(); ++step) {
      follows_ = step > 0 && job_.steps.steps[step] == job_.steps.steps[step - 1] + 1;
      AddStep(step);
    }
    return std::move(op_of_collective_);
  }

 private:
  using Collective = RankTurns::Collective;

  // The operation of a row of its collectives; none for one that is not looked at.
  OpRow OpOfCollective(std::int64_t row) const {
    if (row < 0 || static_cast<std::size_t>(row) >= op_of_collective_.size()) return kNoOp;
    return op_of_collective_[static_cast<std::size_t>(row)];
  }

  void AddStep(std::uint32_t step) {
    step_ = step;
    first_of_step_ = static_cast<OpRow>(ops_.size());
    parts_.clear();
    collectives_ = turns_.collectives[step];
    next_ = 0;
    ready_.clear();
    for (const Collective& collective : collectives_) {
      ready_.push_back(std::min(collective.place, job_.ready.Of(group_, collective)));
    }
    AddReadyCollectives(0);
    const std::vector<TurnSegment>& segments = turns_.segments[step];
    for (std::size_t first = 0; first < segments.size();) {
      std::size_t end = first + 1;
      while (end < segments.size() && !BeginsStretch(segments[end - 1], segments[end])) ++end;
      AddStretch(std::span(segments).subspan(first, end - first));
      first = end;
    }
    while (next_ < collectives_.size()) AddCollective();
  }

  // Whether a segment waits for more than the one before it, or does something else.
  bool BeginsStretch(const TurnSegment& before, const TurnSegment& segment) const {
    return segment.first_row->waits_for != kMissing<std::int64_t> ||
           segment.first_row->phase != before.first_row->phase || CallBefore(segment).has_value();
  }

  // The host's call that a segment follows: launches behind it wait for its end.
  std::optional<std::size_t> CallBefore(const TurnSegment& segment) const {
    std::optional<std::size_t> found;
    for (std::size_t i = next_; i < collectives_.size(); ++i) {
      if (collectives_[i].begin >= segment.begin) break;
      const CollectiveInstance& call = tables_.collectives[collectives_[i].row];
      const bool is_call = call.stream == kMissing<std::int64_t>;
      if (is_call && job_.clock.At(rank_, call.end_ns) <= segment.begin + kTurnSlack) found = i;
    }
    return found;
  }

  // Segments that follow each other without a wait, cut where a collective's data are ready.
  void AddStretch(std::span<const TurnSegment> segments) {
    const TurnSegment& first = segments.front();
    const auto call = CallBefore(first);
    while (call && next_ <= *call) AddCollective();
    AddWaitedFor(first.first_row->waits_for);
    std::array<OpRow, 2> waits_for = {OpOfCollective(first.first_row->waits_for), last_call_};
    std::int64_t done = first.operations_before;
    const std::int64_t end = segments.back().operations_before + segments.back().operations;
    std::size_t at = 0;
    do {
      std::int64_t cut = end;
      for (std::size_t i = next_; i < ready_.size(); ++i) {
        if (ready_[i] > done && ready_[i] < cut) cut = ready_[i];
      }
      AddPart(segments, at, done, cut, waits_for);
      waits_for = {kNoOp, kNoOp};
      done = cut;
      AddReadyCollectives(done);
    } while (done < end);
  }

  void AddWaitedFor(std::int64_t row) {
    if (row < 0 || static_cast<std::size_t>(row) >= op_of_collective_.size()) return;
    const auto is_it = [&](const Collective& collective) { return collective.row == row; };
    if (!std::any_of(collectives_.begin() + static_cast<std::ptrdiff_t>(next_), collectives_.end(),
                     is_it)) {
      return;
    }
    while (op_of_collective_[static_cast<std::size_t>(row)] == kNoOp) AddCollective();
  }

  // From `from` to `to` operations of the step; `at` is the segment where it begins, then where it
  // ends. What is no compute within it is the host's.
  void AddPart(std::span<const TurnSegment> segments, std::size_t& at, std::int64_t from,
               std::int64_t to, const std::array<OpRow, 2>& waits_for) {
    double busy = 0;
    TimeNs end = segments[at].begin;
    for (std::int64_t done = from;;) {
      const TurnSegment& segment = segments[at];
      const std::int64_t last = segment.operations_before + segment.operations;
      const std::int64_t until = std::min(to, last);
      const double share = segment.operations > 0 ? static_cast<double>(until - done) /
                                                        static_cast<double>(segment.operations)
                                                  : 1;
      busy += share * static_cast<double>(segment.busy);
      end = segment.TimeAt(until);
      done = until;
      if (until >= last && at + 1 < segments.size()) ++at;
      if (done >= to || (until >= last && &segment == &segments.back())) break;
    }
    DraftOp op;
    op.duration = static_cast<DurationNs>(busy);
    op.begin = end - op.duration;
    const std::string& phase = segments.front().first_row->phase;
    op.type =
        job_.kinds.Type(phase.empty() || phase == "none" ? "compute" : phase + " compute", false);
    op.kind = job_.kinds.Kind(op.type, 0, 0);
    op.waits_for = {last_part_, waits_for[0], waits_for[1]};
    last_part_ = Add(op);
    parts_.emplace_back(to, last_part_);
  }

  // Those whose data are there once `done` operations are; in the order of their begins.
  void AddReadyCollectives(std::int64_t done) {
    while (next_ < collectives_.size() && ready_[next_] <= done) AddCollective();
  }

  void AddCollective() {
    const Collective& collective = collectives_[next_];
    const CollectiveInstance& instance = tables_.collectives[collective.row];
    DraftOp op;
    op.begin = collective.begin;
    op.duration = std::max<DurationNs>(0, job_.clock.At(rank_, instance.end_ns) - op.begin);
    op.type = collective.type;
    const bool has_size = instance.bytes != kMissing<std::int64_t>;
    op.kind = has_size ? job_.kinds.Kind(op.type, 1, static_cast<std::uint64_t>(instance.bytes))
                       : job_.kinds.Kind(op.type, 2, collective.ordinal);
    op.joint = job_.matching.joint[job_.matching.first[rank_] + collective.row];
    const auto before = last_on_stream_.emplace(instance.stream, kNoOp).first;
    op.lane = static_cast<std::uint32_t>(before->second == kNoOp ? last_on_stream_.size() - 1
                                                                 : ops_[before->second].lane);
    op.waits_for = {before->second, PartDoneAt(ready_[next_]), kNoOp};
    op.waits_for[2] = JustEnded(op);
    before->second = op_of_collective_[collective.row] = Add(op);
    recent_[recent_count_++ % recent_.size()] = before->second;
    if (instance.stream == kMissing<std::int64_t>) last_call_ = before->second;
    ++next_;
  }

  // What ended on another stream right before a collective began, later than all that it is known
  // to wait for: the compute stream had waited for that, and the launch came behind.
  OpRow JustEnded(const DraftOp& op) const {
    TimeNs ready = std::numeric_limits<TimeNs>::min();
    for (const OpRow before : op.waits_for) {
      if (before != kNoOp) ready = std::max(ready, ops_[before].End());
    }
    OpRow found = kNoOp;
    for (const OpRow before : recent_) {
      if (before == kNoOp) continue;
      const TimeNs end = ops_[before].End();
      if (end <= ready || end > op.begin + kTurnSlack || end < op.begin - kJustBefore) continue;
      ready = end;
      found = before;
    }
    return found;
  }

  // The last part with no more operations than that; else the last one of the step before.
  OpRow PartDoneAt(std::int64_t place) const {
    const auto after =
        std::upper_bound(parts_.begin(), parts_.end(), place,
                         [](std::int64_t p, const auto& part) { return p < part.first; });
    if (after != parts_.begin()) return (after - 1)->second;
    return parts_.empty() ? last_part_ : last_before_step();
  }
  OpRow last_before_step() const {
    return parts_.empty() ? last_part_ : ops_[parts_.front().second].waits_for[0];
  }

  // What lies between the end of all that it waits for and its begin is the host's. Where the step
  // before is not looked at, that is what lies between the begin of the step and its first work.
  OpRow Add(DraftOp op) {
    op.worker = worker_;
    op.step = step_;
    bool has_known = false;
    TimeNs ready = 0;
    for (const OpRow before : op.waits_for) {
      if (before == kNoOp || (before < first_of_step_ && !follows_)) continue;
      ready = has_known ? std::max(ready, ops_[before].End()) : ops_[before].End();
      has_known = true;
    }
    if (!has_known) ready = BeginOfStep(op);
    op.lag = std::max<DurationNs>(0, op.begin - ready);
    ops_.push_back(op);
    return static_cast<OpRow>(ops_.size() - 1);
  }

  // Where nothing is known of it, it begins with its first operation.
  TimeNs BeginOfStep(const DraftOp& op) const {
    const TimeNs first = ops_.size() == first_of_step_ ? op.begin : ops_[first_of_step_].begin;
    return std::min(first, step_begins_[step_].value_or(first));
  }

  const RankTables& tables_;
  const std::size_t rank_;
  const WorkerRow worker_;
  const std::uint32_t group_;
  const RankTurns& turns_;
  const JobDraft& job_;
  std::vector<DraftOp>& ops_;
  std::vector<OpRow> op_of_collective_;
  std::vector<std::optional<TimeNs>> step_begins_;
  OpRow last_part_ = kNoOp;
  OpRow last_call_ = kNoOp;  // Of the host.
  std::unordered_map<std::int64_t, OpRow> last_on_stream_;
  std::array<OpRow, 8> recent_ = {kNoOp, kNoOp, kNoOp, kNoOp, kNoOp, kNoOp, kNoOp, kNoOp};
  std::size_t recent_count_ = 0;  // Collectives so far; the last ones are in recent_.

  // Of the step at hand.
  std::uint32_t step_ = 0;
  OpRow first_of_step_ = 0;
  bool follows_ = false;  // The step before is looked at, too.
  std::span<const Collective> collectives_;
  std::vector<std::int64_t> ready_;  // Of each of them: operations that must be done.
  std::size_t next_ = 0;             // The first that is no operation yet.
  std::vector<std::pair<std::int64_t, OpRow>> parts_;  // Operations done at its end.
};

}  // namespace

std::vector<OpRow> DraftRank(const RankTables& tables, std::size_t rank, WorkerRow worker,
                             std::uint32_t group, const RankTurns& turns, const JobDraft& job) {
  return RankDrafter(tables, rank, worker, group, turns, job).Run();
}

}  // namespace xsp
