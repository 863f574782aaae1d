#include "graph/readings/explain.h"

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
      : graph_(graph), schedule_(schedule), answers_(answers), task_(task) {}

  std::vector<ExplainedEdge> Run() {
    if (graph_.IsHost(task_)) {
      HostBegin();
      HostFinish();
    } else {
      OpBegin();
      OpFinish();
    }
    MarkBinding();
    return std::move(edges_);
  }

 private:
  SimTime Finish(TaskId task) const { return schedule_.finish[task]; }

  void Add(bool at_finish, Rule rule, TaskId source, SimTime since, DurationNs lag,
           std::string why) {
    edges_.push_back({at_finish, rule, source, since, lag, since + lag, false, std::move(why)});
  }

  void HostBegin() {
    const TaskId task = task_;
    for (const Handoff& handoff : graph_.handoffs) {
      if (handoff.task != task || graph_.Ignores(Rule::kThreadHandoff)) continue;
      const TaskId from = handoff.from;
      Add(false, Rule::kThreadHandoff, from, Finish(from), handoff.lag,
          "This thread was silent while the other worked, and began " + Microseconds(handoff.lag) +
              " after it fell silent. Inferred, not recorded.");
    }
    if (const TaskId before = graph_.PreviousOf(task); before.valid()) {
      Add(false, Rule::kProgramOrder, before, Finish(before), graph_.gap[task],
          "The call before on this thread, then " + Microseconds(graph_.gap[task]) +
              " of untraced host work.");
    } else if (edges_.empty()) {
      Add(false, Rule::kNone, {}, SimTime::At(graph_.measured_begin[task]), 0,
          "The first call of its thread stands at its measured time.");
    }
  }

  void HostFinish() {
    const TaskId task = task_;
    const Question& question = graph_.question[task];
    Add(true, Rule::kOwnTime, task_, schedule_.begin[task], graph_.own[task],
        "Its own cost, apart from waiting; measured in all: " +
            Microseconds(graph_.measured(task)) + ".");
    if (const DurationNs alone = WaitAlone(graph_, answers_, task); alone > 0) {
      edges_.back().lag += alone;
      edges_.back().until = edges_.back().until + alone;
      edges_.back().why += " It waits " + Microseconds(alone) + " for its data, as measured.";
    }
    if (const TaskId awaited = answers_.awaited[task]; awaited.valid() && IsWait(question.ask)) {
      const DurationNs work = question.before_work ? graph_.own[task] : 0;
      Add(true, question.rule, awaited, Finish(awaited), graph_.lag(question) + work,
          WhyWait(question));
    }
    if (const TaskId blocker = answers_.queue[task]; blocker.valid()) {
      Add(true, Rule::kLaunchQueue, blocker, Finish(blocker), graph_.lag(graph_.queue_latency),
          "The queue holds " + std::to_string(graph_.queue_depth) +
              " commands: this one had to finish to make room (" +
              Known(graph_, graph_.queue_latency) + ").");
    }
  }

  std::string WhyWait(const Question& question) const {
    const std::string tail = " (" + Known(graph_, question.latency) + ")";
    switch (question.rule) {
      case Rule::kHostSync:
        return "The call returns when all it synchronizes with is done" + tail + ".";
      case Rule::kBlockingCopy:
        return question.before_work
                   ? "A synchronous copy from pageable memory waits for its stream, then stages."
                   : "A copy of this kind holds its call until it is over" + tail + ".";
      case Rule::kLoader:
        return WhyBatch(graph_.batches[question.target]);
      default:
        return "In this trace such calls wait for the device, then do their work.";
    }
  }

  std::string WhyBatch(const GraphBatch& batch) const {
    const std::string since =
        batch.back == 1 ? "the load before" : std::to_string(batch.back) + " loads before";
    return "Somebody else makes the data ready: " + Microseconds(batch.interval) + " after " +
           since + ", as measured.";
  }

  void OpBegin() {
    const OpIndex row = graph_.RowOf(task_);
    const TaskId call(graph_.call[row]);
    const ConstantId delay = graph_.SubmitDelay(task_);
    if (graph_.submit[row] == Submit::kAfterOwnCost) {
      const Question& question = graph_.question[call];
      const bool waits_later = IsWait(question.ask) && !question.before_work;
      const SimTime ready = waits_later ? schedule_.begin[call] + graph_.own[call] : Finish(call);
      Add(false, Rule::kSubmit, call, ready, graph_.lag(delay),
          "Issued by this call; the way to the device takes " + Known(graph_, delay) + ".");
    } else {
      Add(false, Rule::kNone, {}, SimTime::At(graph_.measured_begin[task_]), 0,
          "No call was recorded for it.");
    }
    if (const TaskId before = answers_.stream[row]; before.valid()) {
      const ConstantId gap = graph_.GapBetween(before, task_);
      Add(false, Rule::kStreamOrder, before, Finish(before), graph_.lag(gap),
          "The operation before on its stream; the gap takes " + Known(graph_, gap) + ".");
    }
    if (const TaskId engine = answers_.engine[row]; engine.valid()) {
      Add(false, Rule::kCopyEngine, engine, Finish(engine), graph_.lag(graph_.engine_gap),
          "The copy engine does one copy at a time.");
    }
    if (const TaskId stall = answers_.stall[row]; stall.valid()) {
      Add(false, Rule::kDeviceStall, stall, Finish(stall), graph_.lag(graph_.mapping_stall),
          "In this trace the device takes up work late behind such a call (" +
              Known(graph_, graph_.mapping_stall) + ").");
    }
    if (const ChannelPlace* place = graph_.PlaceOnChannel(task_)) OnChannel(*place);
    if (const TaskId other = answers_.other[row]; other.valid()) {
      const Rule rule = RuleBetweenStreams(graph_, task_, other);
      Add(false, rule, other, Finish(other), graph_.lag(LatencyBetweenStreams(graph_, rule)),
          rule == Rule::kDefaultStream
              ? "The default stream and blocking streams wait for each other."
              : "It waits for work of another stream.");
    }
  }

  void OnChannel(const ChannelPlace& place) {
    const OpIndex row = graph_.RowOf(task_);
    const std::string& name = graph_.labels[graph_.channels[place.channel].label.value];
    if (const TaskId before = answers_.channel[row]; before.valid()) {
      Add(false, Rule::kChannel, before, Finish(before), 0,
          "The channel '" + name + "' does one operation at a time.");
    }
    if (place.after.valid() && !graph_.Ignores(Rule::kPrefetch)) {
      Add(false, Rule::kPrefetch, place.after, schedule_.begin[place.after], 0,
          "No more may be fetched ahead before this one is in use.");
    }
  }

  void OpFinish() {
    const Binding by = schedule_.finish_by[task_];
    // Others may slow it down or leave it alone where they did not before.
    const bool is_rank = by.rule == Rule::kCollective;
    const DurationNs own =
        is_rank ? graph_.own[task_] : schedule_.finish[task_] - schedule_.begin[task_];
    Add(true, Rule::kOwnTime, task_, schedule_.begin[task_], own, "Its own duration.");
    if (by.rule == Rule::kCollective) {
      Add(true, Rule::kCollective, by.source, schedule_.begin[by.source], graph_.own[task_],
          "The last rank to come; then the data moves.");
    }
  }

  void MarkBinding() {
    for (ExplainedEdge& edge : edges_) {
      const Binding by = edge.at_finish ? schedule_.finish_by[task_] : schedule_.begin_by[task_];
      edge.binds = edge.rule == by.rule && edge.source == by.source;
    }
  }

  const TaskGraph& graph_;
  const Schedule& schedule_;
  const Answers& answers_;
  const TaskId task_;
  std::vector<ExplainedEdge> edges_;
};

}  // namespace

std::vector<ExplainedEdge> ExplainTask(const TaskGraph& graph, const Schedule& schedule,
                                       const Answers& answers, TaskId task) {
  return Explainer(graph, schedule, answers, task).Run();
}

}  // namespace xsp
