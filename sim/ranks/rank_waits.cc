#include "sim/ranks/rank_waits.h"

#include <algorithm>
#include <array>

namespace xsp {
namespace {

// What a worker is seen to do at a moment, if it does several things at once: the first of these.
enum Doing : std::uint8_t { kComputes, kTransfers, kWaits };
constexpr std::size_t kDoings = 3;

// Splits the steps of workers among what they do; the parts add up to the step.
class StepSplitter {
 public:
  explicit StepSplitter(const JobOperations& job) : job_(job), last_(LastArrivals(job)) {}

  std::vector<WorkerStep> Run() {
    std::vector<WorkerStep> steps;
    for (OpRow op = 0; op < job_.size();) {
      const OpRow first = op;
      while (op < job_.size() && job_.worker[op] == job_.worker[first] &&
             job_.step[op] == job_.step[first]) {
        ++op;
      }
      steps.push_back(Split(first, op));
    }
    return steps;
  }

 private:
  struct Change {
    TimeNs time;
    Doing what;
    int more;  // 1 where it begins, -1 where it ends.
  };

  void Note(TimeNs begin, TimeNs end, Doing what) {
    if (end <= begin) return;
    changes_.push_back({begin, what, 1});
    changes_.push_back({end, what, -1});
  }

  WorkerStep Split(OpRow first, OpRow end) {
    changes_.clear();
    TimeNs step_end = job_.begin[first];
    for (OpRow op = first; op < end; ++op) {
      step_end = std::max(step_end, job_.End(op));
      const TimeNs begin = job_.begin[op];
      if (!job_.IsCommunication(op)) {
        Note(begin, job_.End(op), kComputes);
        continue;
      }
      const JointRow joint = job_.joint[op];
      const TimeNs all_here =
          joint == kNoJoint ? begin : std::clamp(last_[joint], begin, job_.End(op));
      Note(begin, all_here, kWaits);
      Note(all_here, job_.End(op), kTransfers);
    }
    std::sort(changes_.begin(), changes_.end(),
              [](const Change& a, const Change& b) { return a.time < b.time; });
    std::array<int, kDoings> open{};
    std::array<DurationNs, kDoings> sums{};
    TimeNs now = job_.begin[first];
    for (const Change& change : changes_) {
      const auto what = std::find_if(open.begin(), open.end(), [](int n) { return n > 0; });
      if (what != open.end()) {
        sums[static_cast<std::size_t>(what - open.begin())] += change.time - now;
      }
      now = change.time;
      open[change.what] += change.more;
    }
    return {job_.worker[first], job_.step[first], step_end - job_.begin[first],
            sums[kComputes],    sums[kTransfers], sums[kWaits]};
  }

  const JobOperations& job_;
  const std::vector<TimeNs> last_;
  std::vector<Change> changes_;
};

bool AreOfOneGroup(const JobOperations& job, std::span<const OpRow> members) {
  const std::uint32_t group = job.workers[job.worker[members.front()]].group;
  return std::all_of(members.begin(), members.end(),
                     [&](OpRow op) { return job.workers[job.worker[op]].group == group; });
}

// Who waited for whom, step by step.
class WaitingLedger {
 public:
  WaitingLedger(const JobOperations& job, DurationNs noise, RankWaits& waits)
      : job_(job), noise_(noise), waits_(waits) {}

  void Run() {
    const std::vector<TimeNs> last = LastArrivals(job_);
    std::vector<std::pair<std::uint32_t, JointRow>> by_step;
    for (JointRow joint = 0; joint < job_.members.size(); ++joint) {
      by_step.emplace_back(job_.step[job_.members[joint].front()], joint);
    }
    RowLists joints = RowLists::Of(job_.steps.size(), by_step);
    for (std::size_t step = 0; step < joints.size(); ++step) {
      const auto begin = joints.rows.begin() + joints.first[step];
      const auto end = joints.rows.begin() + joints.first[step + 1];
      std::stable_sort(begin, end, [&](JointRow a, JointRow b) { return last[a] < last[b]; });
      AddStep(joints[step]);
    }
  }

 private:
  void AddStep(std::span<const JointRow> joints) {
    inherited_.assign(job_.workers.size(), 0);
    inflicted_.assign(job_.workers.size(), 0);
    for (const JointRow joint : joints) Add(job_.members[joint]);
    const auto most = std::max_element(inflicted_.begin(), inflicted_.end());
    if (most == inflicted_.end() || *most <= 0) return;
    ++waits_.steps_with_waiting;
    ++waits_.workers[static_cast<std::size_t>(most - inflicted_.begin())].steps_slowest;
  }

  // Charges whoever came last with the waiting of the others, less what it had itself waited longer
  // than they before: that delay is somebody else's.
  void Add(std::span<const OpRow> members) {
    const OpRow last = *std::max_element(members.begin(), members.end(), [&](OpRow a, OpRow b) {
      return job_.begin[a] < job_.begin[b];
    });
    const WorkerRow late = job_.worker[last];
    const bool is_told = AreOfOneGroup(job_, members);
    double charged = 0;
    bool is_late = true;
    for (const OpRow op : members) {
      const WorkerRow worker = job_.worker[op];
      if (is_told) ++waits_.workers[worker].joined;
      if (op == last) continue;
      is_late = is_late && job_.begin[last] - job_.begin[op] > noise_;
      const auto waited = static_cast<double>(
          std::min<DurationNs>(job_.begin[last] - job_.begin[op], job_.duration[op]));
      charged += std::max(0.0, waited - std::max(0.0, inherited_[late] - inherited_[worker]));
      inherited_[worker] += waited;
      if (is_told) waits_.workers[worker].suffered_ns += waited;
    }
    if (!is_told || !is_late) return;
    ++waits_.workers[late].last_count;
    waits_.workers[late].inflicted_ns += charged;
    inflicted_[late] += charged;
  }

  const JobOperations& job_;
  const DurationNs noise_;
  RankWaits& waits_;
  std::vector<double> inherited_;  // By worker: how long it has waited in this step.
  std::vector<double> inflicted_;  // By worker, in this step.
};

}  // namespace

std::vector<WorkerStep> SplitSteps(const JobOperations& job) { return StepSplitter(job).Run(); }

RankWaits FindWaits(const JobOperations& job, DurationNs noise) {
  RankWaits waits;
  waits.workers.resize(job.workers.size());
  for (const WorkerStep& step : SplitSteps(job)) {
    WorkerTimes& times = waits.workers[step.worker];
    times.step_ns += static_cast<double>(step.step_ns);
    times.compute_ns += static_cast<double>(step.compute_ns);
    times.transfer_ns += static_cast<double>(step.transfer_ns);
    times.waiting_ns += static_cast<double>(step.waiting_ns);
    times.idle_ns += static_cast<double>(step.IdleNs());
  }
  WaitingLedger(job, noise, waits).Run();
  const auto steps = static_cast<double>(std::max<std::size_t>(1, job.steps.size()));
  for (WorkerTimes& times : waits.workers) {
    for (double* ns : {&times.step_ns, &times.compute_ns, &times.transfer_ns, &times.waiting_ns,
                       &times.idle_ns, &times.inflicted_ns, &times.suffered_ns}) {
      *ns /= steps;
    }
  }
  return waits;
}

}  // namespace xsp
