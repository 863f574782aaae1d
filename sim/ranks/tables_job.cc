#include "sim/ranks/tables_job.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "base/hash.h"
#include "sim/ranks/job_steps.h"
#include "sim/ranks/rank_places.h"

namespace xsp {
namespace {

constexpr OpRow kNoOp = std::numeric_limits<OpRow>::max();
// Work that ended so much after the begin of what it comes before ended before it.
constexpr DurationNs kEndSlack = 1000;
// What begins so soon after an end followed it.
constexpr DurationNs kJustBefore = 10'000;

// An operation before all of them are sorted.
struct TableOp {
  WorkerRow worker = 0;
  std::uint32_t step = 0;
  std::uint16_t type = 0;
  std::uint32_t kind = 0;
  TimeNs begin = 0;
  DurationNs duration = 0;
  DurationNs lag = 0;
  std::uint32_t lane = 0;
  JointRow joint = kNoJoint;
  std::array<OpRow, 3> waits_for = {kNoOp, kNoOp, kNoOp};

  TimeNs End() const { return begin + duration; }
};

// Types and kinds by what they stand for.
class Kinds {
 public:
  explicit Kinds(JobOperations& job) : job_(job) {}

  std::uint16_t Type(const std::string& name, bool is_communication) {
    const auto next = static_cast<std::uint16_t>(job_.types.size());
    const auto [at, is_new] = types_.emplace(name, next);
    if (is_new) job_.types.push_back({name, name, is_communication});
    return at->second;
  }

  std::uint32_t Kind(std::uint16_t type, std::uint64_t place, std::uint64_t ordinal) {
    const std::uint64_t key = HashWith(HashWith(HashWith(0, type), place), ordinal);
    return kinds_.emplace(MixedBits(key), job_.kinds).second ? job_.kinds++
                                                             : kinds_[MixedBits(key)];
  }

 private:
  JobOperations& job_;
  std::unordered_map<std::string, std::uint16_t> types_;
  std::unordered_map<std::uint64_t, std::uint32_t> kinds_;
};

std::string TypeOfCollective(const CollectiveInstance& instance) {
  const std::string name = instance.operation.empty() ? "communication" : instance.operation;
  const bool is_known = instance.participants != kMissing<std::int64_t> && !IsMessage(instance);
  return is_known ? name + " of " + std::to_string(instance.participants) : name;
}

// Compute of one rank in one step: segments with their rows put together, in order of begin.
struct Segment {
  TimeNs begin = 0, end = 0;
  DurationNs busy = 0;
  std::int64_t operations = 0;         // In it,
  std::int64_t operations_before = 0;  // and before it in the step.
  const RankSegment* first_row = nullptr;

  // When so many operations of the step are done; `place` lies in the segment.
  TimeNs TimeAt(std::int64_t place) const {
    if (place >= operations_before + operations) return end;
    const double share = static_cast<double>(place - operations_before) /
                         static_cast<double>(std::max<std::int64_t>(1, operations));
    return begin + static_cast<DurationNs>(share * static_cast<double>(end - begin));
  }
};

// What a rank does in the steps that are looked at, on the common clock.
class RankTurns {
 public:
  RankTurns(const RankTables& tables, std::size_t rank, const JobClock& clock,
            const JobSteps& steps, Kinds& kinds)
      : tables_(tables), rank_(rank), clock_(clock) {
    segments.resize(steps.steps.size());
    collectives.resize(steps.steps.size());
    AddSegments(steps);
    AddCollectives(steps, kinds);
  }

  struct Collective {
    std::uint32_t row = 0;
    TimeNs begin = 0;
    std::uint16_t type = 0;
    std::int64_t stream = 0;
    std::uint64_t ordinal = 0;  // Among those of its type and stream in the step.
    std::int64_t place = 0;     // Operations of compute that were done when it began.
  };

  std::vector<std::vector<Segment>> segments;        // By step.
  std::vector<std::vector<Collective>> collectives;  // By step, in order of begin.

 private:
  void AddSegments(const JobSteps& steps) {
    const RankSegment* last = nullptr;
    for (const RankSegment& row : tables_.segments) {
      const auto step = steps.Find(rank_, row.step);
      if (!step) continue;
      const bool is_same =
          last != nullptr && last->step == row.step && last->sequence == row.sequence;
      if (!is_same) {
        Segment segment;
        segment.begin = clock_.At(rank_, row.begin_ns);
        segment.end = std::max(segment.begin, clock_.At(rank_, row.end_ns));
        segment.first_row = &row;
        segments[*step].push_back(segment);
      }
      segments[*step].back().busy += row.busy_ns;
      segments[*step].back().operations += std::max<std::int64_t>(0, row.operations);
      last = &row;
    }
    for (auto& of_step : segments) {
      std::stable_sort(of_step.begin(), of_step.end(),
                       [](const Segment& a, const Segment& b) { return a.begin < b.begin; });
      std::int64_t before = 0;
      for (Segment& segment : of_step) {
        segment.operations_before = before;
        before += segment.operations;
      }
    }
  }

  void AddCollectives(const JobSteps& steps, Kinds& kinds) {
    for (std::uint32_t row = 0; row < tables_.collectives.size(); ++row) {
      const CollectiveInstance& instance = tables_.collectives[row];
      const auto step = steps.Find(rank_, instance.step);
      if (!step) continue;
      Collective collective;
      collective.row = row;
      collective.begin = clock_.At(rank_, instance.begin_ns);
      collective.type = kinds.Type(TypeOfCollective(instance), true);
      collective.place = PlaceOf(segments[*step], collective.begin);
      collectives[*step].push_back(collective);
    }
    for (auto& of_step : collectives) {
      std::stable_sort(of_step.begin(), of_step.end(),
                       [](const Collective& a, const Collective& b) { return a.begin < b.begin; });
      std::map<std::pair<std::uint16_t, std::int64_t>, std::uint64_t> counts;
      for (Collective& collective : of_step) {
        collective.stream = tables_.collectives[collective.row].stream;
        collective.ordinal = counts[{collective.type, collective.stream}]++;
      }
    }
  }

  // Operations of the step that were done at a time.
  static std::int64_t PlaceOf(const std::vector<Segment>& segments, TimeNs time) {
    const auto after =
        std::upper_bound(segments.begin(), segments.end(), time,
                         [](TimeNs t, const Segment& segment) { return t < segment.begin; });
    if (after == segments.begin()) return 0;
    const Segment& at = *(after - 1);
    if (time + kEndSlack >= at.end) return at.operations_before + at.operations;
    const double share =
        static_cast<double>(time - at.begin) / static_cast<double>(at.end - at.begin);
    return at.operations_before +
           static_cast<std::int64_t>(share * static_cast<double>(at.operations));
  }

  const RankTables& tables_;
  const std::size_t rank_;
  const JobClock& clock_;
};

// After how many operations of a step the data of a collective are there. One that waits for its
// turn on a stream begins later than it could; whoever begins earliest, among ranks that do equal
// work and over all steps, shows when that is.
class ReadyPlaces {
 public:
  void Learn(std::uint32_t group, const RankTurns& turns) {
    for (const auto& of_step : turns.collectives) {
      for (const RankTurns::Collective& collective : of_step) {
        const auto [at, is_new] = places_.emplace(KeyOf(group, collective), collective.place);
        if (!is_new) at->second = std::min(at->second, collective.place);
      }
    }
  }

  std::int64_t Of(std::uint32_t group, const RankTurns::Collective& collective) const {
    const auto at = places_.find(KeyOf(group, collective));
    return at == places_.end() ? collective.place : at->second;
  }

 private:
  static std::uint64_t KeyOf(std::uint32_t group, const RankTurns::Collective& collective) {
    const std::uint64_t stream = HashWith(group, static_cast<std::uint64_t>(collective.stream));
    return MixedBits(HashWith(HashWith(stream, collective.type), collective.ordinal));
  }

  std::unordered_map<std::uint64_t, std::int64_t> places_;
};

// Makes the operations of one rank, step by step.
class RankOps {
 public:
  struct Job {
    const JobClock& clock;
    const JobSteps& steps;
    const MatchedCollectives& matching;
    const ReadyPlaces& ready;
    Kinds& kinds;
    std::vector<TableOp>& ops;
  };

  RankOps(const RankTables& tables, std::size_t rank, WorkerRow worker, std::uint32_t group,
          const RankTurns& turns, const Job& job)
      : tables_(tables),
        rank_(rank),
        worker_(worker),
        group_(group),
        turns_(turns),
        job_(job),
        ops_(job.ops),
        op_of_collective_(tables.collectives.size(), kNoOp) {}

  // The operation of a row of its collectives; none for one that is not looked at.
  OpRow OpOfCollective(std::int64_t row) const {
    if (row < 0 || static_cast<std::size_t>(row) >= op_of_collective_.size()) return kNoOp;
    return op_of_collective_[static_cast<std::size_t>(row)];
  }

  void Run() {
    for (std::uint32_t step = 0; step < turns_.segments.size(); ++step) {
      follows_ = step > 0 && job_.steps.steps[step] == job_.steps.steps[step - 1] + 1;
      AddStep(step);
    }
  }

 private:
  using Collective = RankTurns::Collective;

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
    const std::vector<Segment>& segments = turns_.segments[step];
    for (std::size_t first = 0; first < segments.size();) {
      std::size_t end = first + 1;
      while (end < segments.size() && !BeginsStretch(segments[end - 1], segments[end])) ++end;
      AddStretch(std::span(segments).subspan(first, end - first));
      first = end;
    }
    while (next_ < collectives_.size()) AddCollective();
  }

  // Whether a segment waits for more than the one before it, or does something else.
  bool BeginsStretch(const Segment& before, const Segment& segment) const {
    return segment.first_row->waits_for != kMissing<std::int64_t> ||
           segment.first_row->phase != before.first_row->phase || CallBefore(segment).has_value();
  }

  // The host's call that a segment follows: launches behind it wait for its end.
  std::optional<std::size_t> CallBefore(const Segment& segment) const {
    std::optional<std::size_t> found;
    for (std::size_t i = next_; i < collectives_.size(); ++i) {
      if (collectives_[i].begin >= segment.begin) break;
      const CollectiveInstance& call = tables_.collectives[collectives_[i].row];
      const bool is_call = call.stream == kMissing<std::int64_t>;
      if (is_call && job_.clock.At(rank_, call.end_ns) <= segment.begin + kEndSlack) found = i;
    }
    return found;
  }

  // Segments that follow each other without a wait, cut where a collective's data are ready.
  void AddStretch(std::span<const Segment> segments) {
    const Segment& first = segments.front();
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
  void AddPart(std::span<const Segment> segments, std::size_t& at, std::int64_t from,
               std::int64_t to, const std::array<OpRow, 2>& waits_for) {
    double busy = 0;
    TimeNs end = segments[at].begin;
    for (std::int64_t done = from;;) {
      const Segment& segment = segments[at];
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
    TableOp op;
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
    TableOp op;
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
  OpRow JustEnded(const TableOp& op) const {
    TimeNs ready = std::numeric_limits<TimeNs>::min();
    for (const OpRow before : op.waits_for) {
      if (before != kNoOp) ready = std::max(ready, ops_[before].End());
    }
    OpRow found = kNoOp;
    for (const OpRow before : recent_) {
      if (before == kNoOp) continue;
      const TimeNs end = ops_[before].End();
      if (end <= ready || end > op.begin + kEndSlack || end < op.begin - kJustBefore) continue;
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

  // What lies between the end of all that it waits for and its begin is the host's. Where steps in
  // between are left out, their time is, too.
  OpRow Add(TableOp op) {
    op.worker = worker_;
    op.step = step_;
    bool has_known = false;
    TimeNs ready = 0;
    for (const OpRow before : op.waits_for) {
      if (before == kNoOp || (before < first_of_step_ && !follows_)) continue;
      ready = has_known ? std::max(ready, ops_[before].End()) : ops_[before].End();
      has_known = true;
    }
    const bool is_first = ops_.size() == first_of_step_;
    if (!has_known) ready = is_first ? op.begin : ops_[first_of_step_].begin;
    op.lag = std::max<DurationNs>(0, op.begin - ready);
    ops_.push_back(op);
    return static_cast<OpRow>(ops_.size() - 1);
  }

  const RankTables& tables_;
  const std::size_t rank_;
  const WorkerRow worker_;
  const std::uint32_t group_;
  const RankTurns& turns_;
  const Job& job_;
  std::vector<TableOp>& ops_;
  std::vector<OpRow> op_of_collective_;
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

// Sorts operations as a job has them, and puts together who takes part in what. Returns where each
// operation has come to.
std::vector<OpRow> Finish(std::vector<TableOp>& ops, JobOperations& job) {
  std::vector<OpRow> order(ops.size()), place(ops.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](OpRow a, OpRow b) {
    if (ops[a].step != ops[b].step) return ops[a].step < ops[b].step;
    if (ops[a].worker != ops[b].worker) return ops[a].worker < ops[b].worker;
    return ops[a].begin < ops[b].begin;
  });
  for (OpRow i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> waits, members;
  std::unordered_map<JointRow, std::uint32_t> taking_part;
  for (const TableOp& op : ops) {
    if (op.joint != kNoJoint) ++taking_part[op.joint];
  }
  std::unordered_map<JointRow, JointRow> joints;
  for (const OpRow row : order) {
    const TableOp& op = ops[row];
    const auto at = static_cast<OpRow>(job.worker.size());
    job.worker.push_back(op.worker);
    job.step.push_back(op.step);
    job.type.push_back(op.type);
    job.kind.push_back(op.kind);
    job.begin.push_back(op.begin);
    job.duration.push_back(op.duration);
    job.lag.push_back(op.lag);
    job.lane.push_back(op.lane);
    for (const OpRow before : op.waits_for) {
      if (before != kNoOp) waits.emplace_back(at, place[before]);
    }
    const bool is_joint = op.joint != kNoJoint && taking_part[op.joint] > 1;
    job.joint.push_back(kNoJoint);
    if (is_joint) {
      const auto next = static_cast<JointRow>(joints.size());
      job.joint.back() = joints.emplace(op.joint, next).first->second;
      members.emplace_back(job.joint.back(), at);
    } else if (job.IsCommunication(at)) {
      ++job.unpaired;
    }
  }
  job.waits_for = RowLists::Of(job.size(), waits);
  job.members = RowLists::Of(joints.size(), members);
  return place;
}

// Ranks of the job that were not recorded are no part of the verdict.
double NoteMissingRanks(std::span<const RankTables> ranks, std::vector<std::string>& notes) {
  std::int64_t world = static_cast<std::int64_t>(ranks.size());
  for (const RankTables& rank : ranks) {
    if (rank.facts.world_size != kMissing<std::int64_t>) {
      world = std::max(world, rank.facts.world_size);
    }
  }
  if (world > static_cast<std::int64_t>(ranks.size())) {
    notes.push_back(std::to_string(ranks.size()) + " of " + std::to_string(world) +
                    " ranks were recorded: the verdict speaks of those.");
  }
  return 1 - static_cast<double>(ranks.size()) / static_cast<double>(world);
}

}  // namespace

TablesJob JobOfTables(std::span<const RankTables> ranks) {
  TablesJob result;
  const MatchedCollectives matching = MatchCollectives(ranks);
  const JobClock clock(ranks, matching);
  const JobSteps steps = FindJobSteps(ranks, matching);
  if (steps.steps.empty()) {
    throw Error("no step counts on every rank", "are all files of one run?");
  }
  result.clocks = clock.clocks();
  result.clock_noise = clock.Noise();
  result.missing_ranks = NoteMissingRanks(ranks, result.notes);
  result.steps = steps.steps.size();
  result.step_moved = steps.moved;
  result.notes.insert(result.notes.end(), steps.notes.begin(), steps.notes.end());
  const std::vector<RankPlace> places = FindPlaces(ranks, matching);
  const std::vector<std::uint32_t> groups = FindGroups(ranks, places);
  JobOperations& job = result.job;
  job.steps = steps.steps;
  job.steps_follow = true;
  job.kinds_are_sums = true;
  Kinds kinds(job);
  ReadyPlaces ready;
  std::vector<std::unique_ptr<RankTurns>> turns(ranks.size());
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (!steps.is_used[rank]) continue;
    turns[rank] = std::make_unique<RankTurns>(ranks[rank], rank, clock, steps, kinds);
    ready.Learn(groups[rank], *turns[rank]);
  }
  std::vector<TableOp> ops;
  const RankOps::Job parts = {clock, steps, matching, ready, kinds, ops};
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (!steps.is_used[rank]) continue;
    const RankFacts& facts = ranks[rank].facts;
    const auto worker = static_cast<WorkerRow>(job.workers.size());
    job.workers.push_back({facts.global_rank, facts.host, facts.gpu, places[rank].stage,
                           places[rank].data_parallel, groups[rank]});
    result.rank_of.push_back(rank);
    RankOps rank_ops(ranks[rank], rank, worker, groups[rank], *turns[rank], parts);
    rank_ops.Run();
    auto& rows = result.collectives_of.emplace_back();
    auto& places_of_rows = result.op_of_collective.emplace_back();
    for (std::uint32_t row = 0; row < ranks[rank].collectives.size(); ++row) {
      if (rank_ops.OpOfCollective(row) == kNoOp) continue;
      rows.push_back(row);
      places_of_rows.push_back(rank_ops.OpOfCollective(row));
    }
    turns[rank].reset();
  }
  if (ops.empty()) {
    throw Error("no compute and no collective was recorded in the steps",
                "record with --trace=cuda,nvtx");
  }
  const std::vector<OpRow> sorted = Finish(ops, job);
  for (std::vector<OpRow>& of_worker : result.op_of_collective) {
    for (OpRow& op : of_worker) op = sorted[op];
  }
  return result;
}

}  // namespace xsp
