#include "report/html/job_columns.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "base/interrupt.h"
#include "report/html/packed.h"

namespace xsp {
namespace {

// Beyond this cells of the picture are smaller than a pixel.
constexpr std::size_t kMostCells = 200'000;
// Of one step: more columns cannot be told apart, more arrivals make the page too large.
constexpr std::size_t kMostJoints = 1000;
constexpr std::size_t kMostMembers = 150'000;
constexpr std::size_t kMostArrivalSteps = 60;

// Who came when to the joint operations of one step.
struct StepJoints {
  std::uint32_t step = 0;  // A place in JobOperations::steps.
  std::vector<JointRow> joints;
  DurationNs waited = 0;  // For the last to come, by all ranks together.
};

class JobColumnMaker {
 public:
  JobColumnMaker(const JobOperations& job, std::size_t budget)
      : job_(job), budget_(budget), last_(LastArrivals(job)) {}

  Json Run() {
    const std::size_t most_steps =
        std::max<std::size_t>(1, kMostCells / std::max<std::size_t>(1, job_.workers.size()));
    const std::size_t shown = std::min(job_.steps.size(), most_steps);
    PackedColumn ranks, steps(PackedColumn::Kind::kSteps);
    for (const JobWorker& worker : job_.workers) ranks.Add(worker.rank);
    for (std::size_t i = 0; i < shown; ++i) steps.Add(job_.steps[i]);
    Json types = Json::array();
    for (const JobOpType& type : job_.types) types.push_back(JsonText(CutText(type.shown)));
    Json json = {{"ranks", ranks.ToJson()},
                 {"steps", steps.ToJson()},
                 {"steps_in_all", job_.steps.size()},
                 {"types", std::move(types)},
                 {"times", Times(shown)}};
    json["arrivals"] = Arrivals(json.dump().size());
    return json;
  }

 private:
  Json Times(std::size_t steps) const {
    PackedColumn worker, step(PackedColumn::Kind::kSteps), length, compute, waiting;
    std::size_t rows = 0;
    for (const WorkerStep& one : SplitSteps(job_)) {
      if (one.step >= steps) break;
      worker.Add(one.worker);
      step.Add(one.step);
      length.Add(one.step_ns);
      compute.Add(one.compute_ns);
      waiting.Add(one.waiting_ns);
      ++rows;
    }
    return {{"rows", rows},
            {"worker", worker.ToJson()},
            {"step", step.ToJson()},
            {"length", length.ToJson()},
            {"compute", compute.ToJson()},
            {"waiting", waiting.ToJson()}};
  }

  TimeNs FirstArrival(JointRow joint) const {
    TimeNs first = std::numeric_limits<TimeNs>::max();
    for (const OpRow op : job_.members[joint]) first = std::min(first, job_.begin[op]);
    return first;
  }

  DurationNs Waited(JointRow joint) const {
    DurationNs waited = 0;
    for (const OpRow op : job_.members[joint]) waited += last_[joint] - job_.begin[op];
    return waited;
  }

  std::vector<StepJoints> JointsByStep() const {
    std::vector<StepJoints> steps(job_.steps.size());
    for (std::uint32_t i = 0; i < steps.size(); ++i) steps[i].step = i;
    for (JointRow joint = 0; joint < job_.members.size(); ++joint) {
      if (job_.members[joint].size() < 2) continue;
      StepJoints& step = steps[job_.step[job_.members[joint].front()]];
      step.joints.push_back(joint);
      step.waited += Waited(joint);
    }
    std::erase_if(steps, [](const StepJoints& step) { return step.joints.empty(); });
    return steps;
  }

  Json Arrivals(std::size_t used) const {
    std::vector<StepJoints> steps = JointsByStep();
    Json list = Json::array();
    if (steps.empty()) return list;
    std::vector<std::size_t> order(steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return steps[a].waited < steps[b].waited;
    });
    const std::size_t typical = order[order.size() / 2], worst = order.back();
    InterruptPoll poll;
    const auto add = [&](std::size_t at, const char* why) {
      poll();
      Json one = ArrivalsOf(std::move(steps[at]), why);
      const std::size_t size = one.dump().size();
      // One step is always there.
      if (!list.empty() && used + size > budget_) return false;
      used += size;
      list.push_back(std::move(one));
      return true;
    };
    add(typical, "typical");
    if (worst != typical && !add(worst, "most waiting")) return list;
    for (std::size_t at = 0; at < steps.size() && list.size() < kMostArrivalSteps; ++at) {
      if (at != typical && at != worst && !add(at, "")) break;
    }
    return list;
  }

  // Those at which most was waited where not all fit; in order of time.
  void Cut(std::vector<JointRow>& joints) const {
    std::stable_sort(joints.begin(), joints.end(),
                     [&](JointRow a, JointRow b) { return Waited(a) > Waited(b); });
    std::size_t members = 0, kept = 0;
    while (kept < joints.size() && kept < kMostJoints && members < kMostMembers) {
      members += job_.members[joints[kept++]].size();
    }
    joints.resize(kept);
    std::sort(joints.begin(), joints.end(), [&](JointRow a, JointRow b) {
      return std::pair(last_[a], a) < std::pair(last_[b], b);
    });
  }

  Json ArrivalsOf(StepJoints step, const char* why) const {
    const std::size_t in_all = step.joints.size();
    Cut(step.joints);
    const TimeNs begin = StepBegin(step);
    PackedColumn at(PackedColumn::Kind::kSteps), type, count, worker, late;
    std::size_t members = 0;
    for (const JointRow joint : step.joints) {
      const TimeNs first = FirstArrival(joint);
      at.Add(first - begin);
      type.Add(job_.type[job_.members[joint].front()]);
      count.Add(static_cast<std::int64_t>(job_.members[joint].size()));
      for (const OpRow op : job_.members[joint]) {
        worker.Add(job_.worker[op]);
        late.Add(job_.begin[op] - first);
        ++members;
      }
    }
    return {{"step", job_.steps[step.step]},
            {"why", why},
            {"in_all", in_all},
            {"joints",
             {{"rows", step.joints.size()},
              {"at", at.ToJson()},
              {"type", type.ToJson()},
              {"members", count.ToJson()}}},
            {"members", {{"rows", members}, {"worker", worker.ToJson()}, {"late", late.ToJson()}}}};
  }

  // Operations are sorted by step: that of its first one on any worker.
  TimeNs StepBegin(const StepJoints& step) const {
    const auto [first, end] = std::equal_range(job_.step.begin(), job_.step.end(), step.step);
    TimeNs begin = std::numeric_limits<TimeNs>::max();
    for (auto at = first; at != end; ++at) {
      begin = std::min(begin, job_.begin[static_cast<std::size_t>(at - job_.step.begin())]);
    }
    return begin;
  }

  const JobOperations& job_;
  const std::size_t budget_;
  const std::vector<TimeNs> last_;
};

}  // namespace

Json JobColumns(const JobOperations& job, std::size_t budget) {
  return JobColumnMaker(job, budget).Run();
}

}  // namespace xsp
