#include "sim/ranks/job_simulation.h"

#include <algorithm>
#include <numeric>

namespace xsp {

// Puts all operations into an order in which each comes after those that it waits for.
class JobSimulation::Ordering {
 public:
  explicit Ordering(const JobOperations& job)
      : job_(job), waiting_(job.size()), arrived_(job.members.size()), begun_(job.size()) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    pairs.reserve(job.waits_for.rows.size());
    for (OpRow op = 0; op < job.size(); ++op) {
      waiting_[op] = static_cast<std::uint32_t>(job.waits_for[op].size());
      for (const OpRow before : job.waits_for[op]) pairs.emplace_back(before, op);
    }
    followers_ = RowLists::Of(job.size(), pairs);
  }

  std::vector<Event> Run() {
    order_.reserve(job_.size() + job_.members.size());
    for (OpRow op = 0; op < job_.size(); ++op) {
      if (waiting_[op] == 0) ready_.push_back(op);
    }
    Drain();
    BreakCircles();
    return ByStep();
  }

  std::size_t contradictions() const { return contradictions_; }

 private:
  void Drain() {
    while (next_ < ready_.size()) Begin(ready_[next_++]);
  }

  void Begin(OpRow op) {
    if (begun_[op]) return;
    begun_[op] = true;
    order_.push_back(op);
    const JointRow joint = job_.joint[op];
    if (joint == kNoJoint) {
      End(op);
    } else if (++arrived_[joint] == job_.members[joint].size()) {
      EndJoint(joint);
    }
  }

  void EndJoint(JointRow joint) {
    order_.push_back(joint | kJointEnds);
    for (const OpRow op : job_.members[joint]) End(op);
  }

  void End(OpRow op) {
    for (const OpRow follower : followers_[op]) {
      if (--waiting_[follower] == 0) ready_.push_back(follower);
    }
  }

  // Where measured times contradict each other, operations wait in a circle. They begin in the
  // order in which they began.
  void BreakCircles() {
    std::vector<OpRow> left;
    for (OpRow op = 0; op < job_.size(); ++op) {
      if (!begun_[op]) left.push_back(op);
    }
    std::sort(left.begin(), left.end(), [&](OpRow a, OpRow b) {
      if (job_.step[a] != job_.step[b]) return job_.step[a] < job_.step[b];
      if (job_.begin[a] != job_.begin[b]) return job_.begin[a] < job_.begin[b];
      return a < b;
    });
    for (const OpRow op : left) {
      if (begun_[op]) continue;
      ++contradictions_;
      Begin(op);
      Drain();
    }
  }

  // The same order step by step, so that what is read together lies together in memory. What waits
  // for a later step is taken with that one.
  std::vector<Event> ByStep() const {
    std::vector<std::uint32_t> step_of_op = job_.step;
    std::vector<std::pair<std::uint32_t, Event>> by_step;
    by_step.reserve(order_.size());
    for (const Event event : order_) {
      std::uint32_t step = 0;
      if ((event & kJointEnds) != 0) {
        const auto members = job_.members[event & ~kJointEnds];
        for (const OpRow op : members) step = std::max(step, step_of_op[op]);
        for (const OpRow op : members) step_of_op[op] = step;
      } else {
        step = step_of_op[event];
        for (const OpRow before : job_.waits_for[event]) step = std::max(step, step_of_op[before]);
        step_of_op[event] = step;
      }
      by_step.emplace_back(step, event);
    }
    return RowLists::Of(job_.steps.size(), by_step).rows;
  }

  const JobOperations& job_;
  RowLists followers_;
  std::vector<std::uint32_t> waiting_;  // How many operations each still waits for.
  std::vector<std::uint32_t> arrived_;  // Participants of each joint operation that have come.
  std::vector<bool> begun_;
  std::vector<OpRow> ready_;
  std::size_t next_ = 0;  // In ready_.
  std::vector<Event> order_;
  std::size_t contradictions_ = 0;
};

JobSimulation::JobSimulation(const JobOperations& job) : job_(job) {
  Ordering ordering(job);
  order_ = ordering.Run();
  contradictions_ = ordering.contradictions();
}

std::vector<DurationNs> JobSimulation::StepTimes(const OpTimes& times) const {
  const std::vector<DurationNs>& own = times.own;
  const bool has_lag = !times.lag.empty();
  // Of an operation that has begun and waits for others: when it began.
  std::vector<TimeNs> end(job_.size(), 0);
  for (const Event event : order_) {
    if ((event & kJointEnds) == 0) {
      TimeNs begin = 0;
      for (const OpRow before : job_.waits_for[event]) begin = std::max(begin, end[before]);
      if (has_lag) begin += times.lag[event];
      end[event] = job_.joint[event] == kNoJoint ? begin + own[event] : begin;
    } else {
      const auto members = job_.members[event & ~kJointEnds];
      TimeNs last = 0;
      for (const OpRow op : members) last = std::max(last, end[op]);
      for (const OpRow op : members) end[op] = last + own[op];
    }
  }
  std::vector<TimeNs> ends(job_.steps.size(), 0);
  for (OpRow op = 0; op < job_.size(); ++op) {
    ends[job_.step[op]] = std::max(ends[job_.step[op]], end[op]);
  }
  if (job_.steps_follow) {
    std::partial_sum(ends.begin(), ends.end(), ends.begin(),
                     [](TimeNs a, TimeNs b) { return std::max(a, b); });
    std::adjacent_difference(ends.begin(), ends.end(), ends.begin());
  }
  return ends;
}

double JobSimulation::MeanStep(const OpTimes& times) const {
  const std::vector<DurationNs> steps = StepTimes(times);
  if (steps.empty()) return 0;
  return static_cast<double>(std::accumulate(steps.begin(), steps.end(), DurationNs{0})) /
         static_cast<double>(steps.size());
}

}  // namespace xsp
