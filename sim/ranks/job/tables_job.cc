#include "sim/ranks/job/tables_job.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <unordered_map>

#include "base/error.h"
#include "sim/ranks/job/job_kinds.h"
#include "sim/ranks/job/job_steps.h"
#include "sim/ranks/job/rank_draft.h"
#include "sim/ranks/job/rank_places.h"
#include "sim/ranks/job/rank_turns.h"

namespace xsp {
namespace {

// Sorts operations as a job has them, and puts together who takes part in what. Returns where each
// operation has come to.
std::vector<OpRow> Finish(std::vector<DraftOp>& ops, JobOperations& job) {
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
  for (const DraftOp& op : ops) {
    if (op.joint != kNoJoint) ++taking_part[op.joint];
  }
  std::unordered_map<JointRow, JointRow> joints;
  for (const OpRow row : order) {
    const DraftOp& op = ops[row];
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
                    " ranks were recorded: the verdict speaks of those, and to wait for the others "
                    "counts as transfer.");
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
    throw Error("no step was recorded on every rank", "are all files of one run?");
  }
  result.clocks = clock.clocks();
  result.clock_noise = clock.Noise();
  result.missing_ranks = NoteMissingRanks(ranks, result.notes);
  result.steps = steps.steps.size();
  result.is_whole = steps.is_whole;
  result.is_guessed = matching.is_guessed;
  result.step_moved = steps.moved;
  result.notes.insert(result.notes.end(), steps.notes.begin(), steps.notes.end());
  const std::vector<RankPlace> places = FindPlaces(ranks, matching);
  const std::vector<std::uint32_t> groups = FindGroups(ranks, places);
  JobOperations& job = result.job;
  job.steps = steps.steps;
  job.steps_follow = true;
  job.kinds_are_sums = true;
  JobKinds kinds(job);
  ReadyPlaces ready;
  std::vector<std::unique_ptr<RankTurns>> turns(ranks.size());
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (!steps.is_used[rank]) continue;
    turns[rank] = std::make_unique<RankTurns>(ranks[rank], rank, clock, steps, kinds);
    ready.Learn(groups[rank], *turns[rank]);
  }
  std::vector<DraftOp> ops;
  const JobDraft draft = {clock, steps, matching, ready, kinds, ops};
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (!steps.is_used[rank]) continue;
    const RankFacts& facts = ranks[rank].facts;
    const auto worker = static_cast<WorkerRow>(job.workers.size());
    job.workers.push_back({facts.global_rank, facts.host, facts.gpu, places[rank].stage,
                           places[rank].data_parallel, groups[rank]});
    result.rank_of.push_back(rank);
    const std::vector<OpRow> op_of_row =
        DraftRank(ranks[rank], rank, worker, groups[rank], *turns[rank], draft);
    auto& rows = result.collectives_of.emplace_back();
    auto& ops_of_rows = result.op_of_collective.emplace_back();
    for (std::uint32_t row = 0; row < op_of_row.size(); ++row) {
      if (op_of_row[row] == kNoOp) continue;
      rows.push_back(row);
      ops_of_rows.push_back(op_of_row[row]);
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
