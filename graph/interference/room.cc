#include "graph/interference/room.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

#include "graph/interference/interference.h"
#include "hierarchy/hardware/occupancy.h"

namespace xsp {
namespace {

// A kernel that finds no room still gets in where a block of another one has just ended.
constexpr double kLeastRate = 0.005;

const OpInterference& FactsOf(const TaskGraph& graph, TaskId op) {
  return graph.interference[graph.RowOf(op)];
}

bool Computes(const TaskGraph& graph, TaskId op) {
  return graph.kind[op] == TaskKind::kKernel && !graph.IsNew(op) &&
         !FactsOf(graph, op).is_collective;
}

}  // namespace

float DemandOf(const Trace& trace, EventId kernel) {
  const auto occupancy = TheoreticalOccupancy(trace, kernel);
  const GpuId gpu = trace.track(trace.track_of(kernel)).gpu;
  if (!occupancy || !gpu.valid()) return 0;
  const std::uint32_t sms = trace.gpus()[gpu.value].sm_count;
  const Kernels& kernels = trace.kernels();
  const std::uint32_t row = trace.Row(kernel, EventKind::kKernel);
  double blocks = 1;
  for (const std::uint32_t size : {kernels.grid_x[row], kernels.grid_y[row], kernels.grid_z[row]}) {
    if (size == kMissing<std::uint32_t>) return 0;
    blocks *= std::max(1u, size);
  }
  if (sms == kMissing<std::uint32_t> || sms == 0) return 0;
  const double waves = blocks / (static_cast<double>(occupancy->blocks) * sms);
  return static_cast<float>(waves <= 1 ? waves : waves / std::ceil(waves));
}

void RunningKernels::Remove(TaskId op) {
  std::erase_if(running_, [&](const Running& of) { return of.op == op; });
}

double RunningKernels::LearnedFactor(const Running& of, std::uint32_t collectives) const {
  const OpInterference& facts = FactsOf(graph_, of.op);
  if (facts.slowdown == OpInterference::kNone) return 1;
  const Slowdown& slowdown = graph_.slowdowns[facts.slowdown];
  if (collectives > 0) return slowdown.beside_collective.factor;
  const bool has_company = std::any_of(running_.begin(), running_.end(), [&](const Running& other) {
    return graph_.lane[other.op] != graph_.lane[of.op] && Computes(graph_, other.op);
  });
  return has_company ? slowdown.beside_kernel.factor : 1;
}

void RunningKernels::SetRates(bool with_learned) {
  std::uint32_t collectives = 0;
  for (const Running& of : running_) {
    const bool is_kernel = graph_.kind[of.op] == TaskKind::kKernel && !graph_.IsNew(of.op);
    collectives += is_kernel && FactsOf(graph_, of.op).is_collective;
  }
  double left = 1;
  for (Running& of : running_) {
    of.rate = 1;
    if (!Computes(graph_, of.op)) continue;
    if (const double demand = FactsOf(graph_, of.op).demand; demand > 0) {
      const double room = std::min(demand, left);
      left -= room;
      of.rate = std::max(room / demand, kLeastRate);
    }
    if (with_learned) of.rate /= LearnedFactor(of, collectives);
  }
}

namespace {

// Runs the operations of one device, in a time that is theirs alone.
class DeviceRun {
 public:
  DeviceRun(const TaskGraph& graph, const PerTask<DurationNs>& own, const Schedule& schedule,
            PerTask<DurationNs>& result)
      : graph_(graph), own_(own), schedule_(schedule), result_(result), running_(graph) {
    place_.resize(graph.task_count(), kNone);
  }

  // `ops` by begin.
  void Run(const std::vector<TaskId>& ops) {
    ops_.clear();
    edges_.clear();
    now_ = -kNever;
    last_of_stream_.assign(graph_.streams.size(), kNone);
    for (TaskId op : ops) {
      place_[op.value] = static_cast<std::uint32_t>(ops_.size());
      ops_.push_back({op});
    }
    for (std::uint32_t i = 0; i < ops_.size(); ++i) Prepare(i);
    while (!starts_.empty() || !running_.running().empty()) Next();
    for (TaskId op : ops) place_[op.value] = kNone;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Op {
    TaskId task;
    double begin = -kNever;            // The latest of what is known so far.
    std::uint32_t awaited = 0;         // How many of this run it still waits for.
    std::uint32_t first_edge = kNone;  // To who waits for it.
  };
  struct EndToBegin {
    std::uint32_t to;
    double lag;
    std::uint32_t next;  // Of the same source.
  };

  static double Time(SimTime time) { return static_cast<double>(time.ns); }

  // Notes what an operation waits for on this device: what held it in the schedule, and the one
  // before on its stream. An overlapping kernel does not wait for that one's end.
  void Prepare(std::uint32_t i) {
    Op& op = ops_[i];
    const SimTime begin = schedule_.begin[op.task];
    const Binding by = schedule_.begin_by[op.task];
    const std::uint32_t before = std::exchange(last_of_stream_[graph_.lane[op.task]], i);
    const std::uint32_t source =
        by.source.valid() && !graph_.IsHost(by.source) ? place_[by.source.value] : kNone;
    const auto is_over = [&](std::uint32_t other) {
      return other < i && schedule_.finish[ops_[other].task] <= begin;
    };
    const bool moves = source != kNone && is_over(source) && by.rule != Rule::kPrefetch;
    if (moves) Follow(source, i, static_cast<double>(begin - schedule_.finish[by.source]));
    if (!moves) op.begin = Time(begin);
    if (before != kNone && before != source && is_over(before)) Follow(before, i, 0);
    if (op.awaited == 0) starts_.emplace(op.begin, i);
  }

  void Follow(std::uint32_t source, std::uint32_t to, double lag) {
    edges_.push_back({to, lag, ops_[source].first_edge});
    ops_[source].first_edge = static_cast<std::uint32_t>(edges_.size() - 1);
    ++ops_[to].awaited;
  }

  // Goes on to the next begin or end.
  void Next() {
    double end = kNever;
    TaskId ends;
    for (const RunningKernels::Running& of : running_.running()) {
      const double at = now_ + of.left / of.rate;
      if (at >= end) continue;
      end = at;
      ends = of.op;
    }
    const double start = starts_.empty() ? kNever : starts_.top().first;
    const double next = std::max(std::min(start, end), now_);
    for (RunningKernels::Running& of : running_.running()) of.left -= (next - now_) * of.rate;
    now_ = next;
    start < end ? Start() : Finish(ends);
  }

  void Start() {
    Op& op = ops_[starts_.top().second];
    starts_.pop();
    op.begin = now_;
    // A collective takes as long as its ranks make it.
    const double alone =
        Computes(graph_, op.task)
            ? static_cast<double>(own_[op.task]) * FactsOf(graph_, op.task).alone_share
            : static_cast<double>(schedule_.finish[op.task] - schedule_.begin[op.task]);
    running_.Add(op.task, std::max(0.0, alone));
    running_.SetRates(true);
  }

  void Finish(TaskId task) {
    running_.Remove(task);
    running_.SetRates(true);
    const Op& op = ops_[place_[task.value]];
    if (Computes(graph_, task)) result_[task] = std::llround(now_ - op.begin);
    for (std::uint32_t edge = op.first_edge; edge != kNone; edge = edges_[edge].next) {
      Op& next = ops_[edges_[edge].to];
      next.begin = std::max(next.begin, now_ + edges_[edge].lag);
      if (--next.awaited == 0) starts_.emplace(next.begin, edges_[edge].to);
    }
  }

  using Turn = std::pair<double, std::uint32_t>;

  const TaskGraph& graph_;
  const PerTask<DurationNs>& own_;
  const Schedule& schedule_;
  PerTask<DurationNs>& result_;
  RunningKernels running_;
  std::vector<Op> ops_;
  std::vector<EndToBegin> edges_;
  std::vector<std::uint32_t> place_;           // By task.
  std::vector<std::uint32_t> last_of_stream_;  // By stream.
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> starts_;
  double now_ = -kNever;
};

// Device operations by device, in order of begin.
template <class F>
std::vector<std::vector<TaskId>> OpsByDevice(const TaskGraph& graph, F begin_of) {
  std::vector<std::vector<TaskId>> devices(graph.devices.size());
  for (TaskId op : graph.ops()) {
    if (begin_of(op).known()) devices[graph.DeviceOf(op)].push_back(op);
  }
  for (std::vector<TaskId>& ops : devices) {
    std::sort(ops.begin(), ops.end(), [&](TaskId a, TaskId b) {
      return std::pair(begin_of(a), a) < std::pair(begin_of(b), b);
    });
  }
  return devices;
}

}  // namespace

PerTask<DurationNs> OwnInCompany(const TaskGraph& graph, const PerTask<DurationNs>& own,
                                 const Schedule& schedule) {
  PerTask<DurationNs> result = own;
  const auto begin_of = [&](TaskId op) {
    return schedule.finish[op].known() ? schedule.begin[op] : SimTime();
  };
  DeviceRun run(graph, own, schedule, result);
  for (const std::vector<TaskId>& ops : OpsByDevice(graph, begin_of)) run.Run(ops);
  return result;
}

std::optional<std::vector<float>> AloneShares(const TaskGraph& graph, bool with_learned) {
  constexpr std::size_t kMostAtOnce = 512;  // GPUs have 128 at most, of a process.
  std::vector<float> shares(graph.op_count(), 1);
  const auto begin_of = [&](TaskId op) { return SimTime::At(graph.measured_begin[op]); };
  for (std::vector<TaskId>& ops : OpsByDevice(graph, begin_of)) {
    std::erase_if(ops, [&](TaskId op) { return graph.kind[op] != TaskKind::kKernel; });
    // Ends and begins in order of time; ends first, so that neighbours are no company.
    std::vector<std::tuple<TimeNs, bool, TaskId>> changes;
    for (TaskId op : ops) {
      if (graph.measured(op) <= 0) continue;
      changes.emplace_back(graph.measured_begin[op], true, op);
      changes.emplace_back(graph.measured_end[op], false, op);
    }
    std::sort(changes.begin(), changes.end());
    RunningKernels running(graph);
    TimeNs now = 0;
    for (const auto& [time, is_begin, op] : changes) {
      for (auto& of : running.running()) of.left += of.rate * static_cast<double>(time - now);
      now = time;
      if (is_begin) {
        running.Add(op, 0);
        if (running.running().size() > kMostAtOnce) return std::nullopt;
      } else {
        for (const auto& of : running.running()) {
          if (of.op != op || !Computes(graph, op)) continue;
          shares[graph.RowOf(op).value] =
              static_cast<float>(of.left / static_cast<double>(graph.measured(op)));
        }
        running.Remove(op);
      }
      running.SetRates(with_learned);
    }
  }
  return shares;
}

}  // namespace xsp
