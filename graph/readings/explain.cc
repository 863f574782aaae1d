#include "graph/readings/explain.h"

#include <utility>

#include "graph/readings/edges.h"

namespace xsp {
namespace {

std::string Microseconds(DurationNs ns) {
  const bool negative = ns < 0;
  const DurationNs tenths = ((negative ? -ns : ns) + 50) / 100;
  return (negative ? "-" : "") + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
         " µs";
}

// "3.1 µs, seen 120 times" or "1.2 µs, a default".
std::string Known(const TaskGraph& graph, ConstantId id) {
  const Constant& constant = graph.constants[id];
  if (constant.n == 0 || constant.is_default) return Microseconds(constant.value) + ", a default";
  return Microseconds(constant.value) + ", seen " + std::to_string(constant.n) + " times";
}

class Explainer {
 public:
  Explainer(const TaskGraph& graph, const Schedule& schedule, const Answers& answers, TaskId task)
      : graph_(graph), schedule_(schedule), task_(task) {
    EdgesInto(graph, answers, task, waits_);
  }

  std::vector<ExplainedEdge> Run() {
    if (const auto anchor = graph_.AnchorOf(task_)) {
      Add({Rule::kNone, TaskId(), task_}, SimTime::At(*anchor), 0);
    }
    for (const Edge& edge : waits_) {
      if (!edge.to_finish) AddWait(edge);
    }
    AddOwnTime();
    for (const Edge& edge : waits_) {
      // Of the ranks of a collective the last to come is told, and no wait for itself as a wait.
      const bool is_told = edge.rule != Rule::kCollective || edge.Binds(schedule_);
      if (edge.to_finish && edge.from != task_ && is_told) AddWait(edge);
    }
    return std::move(explained_);
  }

 private:
  void Add(const Edge& edge, SimTime since, DurationNs lag) {
    explained_.push_back({edge.to_finish, edge.rule, edge.from, since, lag, since + lag,
                          edge.Binds(schedule_), WhyOf(edge)});
  }

  void AddWait(const Edge& edge) {
    // What is issued before its call returns leaves when the call has done its own work.
    const bool leaves_early = edge.rule == Rule::kSubmit && !edge.from_finish;
    const DurationNs work = leaves_early ? graph_.own[edge.from] : 0;
    Add(edge, edge.Since(schedule_) + work, edge.lag - work);
  }

  void AddOwnTime() {
    const SimTime begin = schedule_.begin[task_];
    DurationNs own = graph_.own[task_];
    // Others may slow an operation down or leave it alone where they did not before.
    const bool is_rank = schedule_.finish_by[task_].rule == Rule::kCollective;
    if (!graph_.IsHost(task_) && !is_rank) own = schedule_.finish[task_] - begin;
    Edge edge{Rule::kOwnTime, task_, task_, false, true, own};
    for (const Edge& wait : waits_) {
      if (wait.from == task_) edge.lag = wait.lag;
    }
    Add(edge, begin, edge.lag);
    if (edge.lag == own) return;
    const bool is_load = graph_.kind[task_] == TaskKind::kLoad;
    explained_.back().why += " It waits " + Microseconds(edge.lag - own) +
                             (is_load ? " for its data" : "") + ", as measured.";
  }

  // The sentence of the rule, with what its {words} stand for.
  std::string WhyOf(const Edge& edge) const {
    std::string why;
    std::string_view rest = RowOf(edge.rule).why;
    for (std::size_t open; (open = rest.find('{')) != rest.npos;) {
      const std::size_t close = rest.find('}');
      why += rest.substr(0, open);
      why += Word(edge, rest.substr(open + 1, close - open - 1));
      rest.remove_prefix(close + 1);
    }
    return why.append(rest);
  }

  std::string Word(const Edge& edge, std::string_view word) const {
    if (word == "lag") return Microseconds(edge.lag);
    if (word == "constant") return Known(graph_, edge.constant);
    if (word == "depth") return std::to_string(graph_.queue_depth);
    if (word == "channel") return ChannelName();
    if (word == "load") return LoadBefore();
    if (word == "copy") return WhyCopy(edge);
    if (word == "own") return WhyOwn();
    if (word == "timer") return TimerName();
    if (word == "waker") return WhyThread(edge);
    return WhyAnchor();
  }

  std::string ChannelName() const {
    const GraphChannel& channel = graph_.channels[graph_.PlaceOnChannel(task_)->channel];
    return graph_.labels[channel.label.value];
  }

  std::string TimerName() const {
    const std::uint32_t row = graph_.deadlines[graph_.question[task_].target].timer;
    return "a timer that comes every " + Microseconds(graph_.timers[row].period);
  }

  std::string WhyThread(const Edge& edge) const {
    if (!graph_.IsHost(edge.from)) {
      return "A host function behind it ends this wait; that and waking up take " +
             Microseconds(edge.lag) + ".";
    }
    if (edge.to_finish) {
      return "The other thread ends this wait; waking up takes " + Microseconds(edge.lag) + ".";
    }
    return "Only so much is handed over ahead: the other thread comes first.";
  }

  std::string LoadBefore() const {
    const std::uint32_t back = graph_.BatchOf(task_)->back;
    return back == 1 ? "the load before" : std::to_string(back) + " loads before";
  }

  std::string WhyCopy(const Edge& edge) const {
    return graph_.question[task_].before_work
               ? "A synchronous copy from pageable memory waits for its stream, then stages."
               : "A copy of this kind holds its call until it is over (" +
                     Known(graph_, edge.constant) + ").";
  }

  std::string WhyOwn() const {
    if (!graph_.IsHost(task_)) return "Its own duration.";
    return "Its own cost, apart from waiting; measured in all: " +
           Microseconds(graph_.measured(task_)) + ".";
  }

  std::string WhyAnchor() const {
    return graph_.IsHost(task_) ? "The first call of its thread stands at its measured time."
                                : "No call was recorded for it.";
  }

  const TaskGraph& graph_;
  const Schedule& schedule_;
  const TaskId task_;
  std::vector<Edge> waits_;
  std::vector<ExplainedEdge> explained_;
};

}  // namespace

std::vector<ExplainedEdge> ExplainTask(const TaskGraph& graph, const Schedule& schedule,
                                       const Answers& answers, TaskId task) {
  return Explainer(graph, schedule, answers, task).Run();
}

}  // namespace xsp
