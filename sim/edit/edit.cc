#include "sim/edit/edit.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "graph/bake.h"
#include "sim/edit/edit_build.h"

namespace xsp {
namespace {

// From the end of the work to the return of the call, where the trace does not show it.
constexpr DurationNs kDefaultTail = 4'000;

}  // namespace

TaskGraph EditedGraph::Whole() const { return Bake(graph(), overlay_); }

bool GraphEdit::IsHost(TaskId task) const {
  return IsOld(task) ? graph_.IsHost(task) : New(task).is_host;
}

GraphEdit::Fate GraphEdit::FateOf(TaskId task) const {
  return task.value < fates_.size() ? fates_[task.value] : kStays;
}

void GraphEdit::SetFate(TaskId task, Fate fate) {
  is_structural_ = true;
  if (fates_.size() <= task.value) fates_.resize(old_count() + new_tasks_.size(), kStays);
  fates_[task.value] = fate;
}

bool GraphEdit::IsRemoved(TaskId task) const {
  if (FateOf(task) == kRemoved) return true;
  return !IsHost(task) && FateOf(CallOf(task)) == kRemoved;
}

TaskId GraphEdit::CallOf(TaskId op) const {
  const auto it = call_of_.find(op);
  return it != call_of_.end() ? it->second : graph_.CallOf(op);
}

// --- Costs.

DurationNs GraphEdit::Own(TaskId task) const {
  if (!IsOld(task)) return New(task).is_host ? New(task).call.own : New(task).op.duration;
  return overlay_.own.empty() ? graph_.own[task] : overlay_.own[task];
}

DurationNs GraphEdit::Gap(TaskId host) const {
  if (!IsOld(host)) return New(host).call.gap;
  return overlay_.gap.empty() ? graph_.gap[host] : overlay_.gap[host];
}

void GraphEdit::SetOwn(TaskId task, DurationNs own) {
  if (!IsOld(task)) {
    NewTask& added = new_tasks_[task.value - old_count()];
    (added.is_host ? added.call.own : added.op.duration) = own;
    return;
  }
  if (overlay_.own.empty()) overlay_.own = graph_.own;
  overlay_.own[task] = own;
}

void GraphEdit::SetGap(TaskId host, DurationNs gap) {
  if (!IsOld(host)) {
    new_tasks_[host.value - old_count()].call.gap = gap;
    return;
  }
  if (overlay_.gap.empty()) overlay_.gap = graph_.gap;
  overlay_.gap[host] = gap;
}

DurationNs GraphEdit::Interval(TaskId load) const {
  if (!IsOld(load) || graph_.BatchOf(load) == nullptr) return 0;
  const std::uint32_t row = graph_.question[load].target;
  return overlay_.interval.empty() ? graph_.batches[row].interval : overlay_.interval[row];
}

void GraphEdit::SetInterval(TaskId load, DurationNs interval) {
  if (IsOld(load)) overlay_.SetInterval(graph_, load, interval);
}

// --- Latencies.

void GraphEdit::Retime(ConstantId latency, DurationNs value) {
  latencies_[latency] = value;
  is_structural_ = true;
}

void GraphEdit::RetimeStreams(OpClass from, OpClass to, DurationNs gap) {
  const std::string name =
      "stream_gap." + std::string(NameOf(from)) + "." + std::string(NameOf(to)) + ".edited";
  stream_gaps_.push_back({from, to, constants_.Add({name, gap, 0, 0, 0, true})});
  is_structural_ = true;
}

// --- Removing.

void GraphEdit::RemoveCall(TaskId call) { SetFate(call, kRemoved); }

void GraphEdit::RemoveWork(TaskId op) { SetFate(op, kRemoved); }

// --- Putting in.

TaskId GraphEdit::AddTask(NewTask task) {
  is_structural_ = true;
  new_tasks_.push_back(std::move(task));
  return TaskId(old_count() + new_tasks_.size() - 1);
}

TaskId GraphEdit::InsertAfter(TaskId host, NewCall call) {
  assert(IsHost(host));
  const TaskId task = AddTask({true, std::move(call), {}});
  around_[host].after.push_back(task);
  return task;
}

TaskId GraphEdit::InsertBefore(TaskId host, NewCall call) {
  assert(IsHost(host));
  const TaskId task = AddTask({true, std::move(call), {}});
  around_[host].before.push_back(task);
  return task;
}

TaskId GraphEdit::Append(std::uint32_t thread, NewCall call) {
  const TaskId task = AddTask({true, std::move(call), {}});
  if (appended_.size() <= thread) appended_.resize(thread + 1);
  appended_[thread].push_back(task);
  return task;
}

TaskId GraphEdit::Issue(TaskId call, NewOp op) {
  assert(IsHost(call));
  const TaskId task = AddTask({false, {}, std::move(op)});
  call_of_[task] = call;
  issued_.push_back(task);
  return task;
}

// --- Changing.

void GraphEdit::MoveToStream(TaskId op, std::uint32_t stream) {
  is_structural_ = true;
  if (IsOld(op)) {
    stream_of_[op] = stream;
  } else {
    new_tasks_[op.value - old_count()].op.stream = stream;
  }
}

void GraphEdit::MoveToCall(TaskId op, TaskId call) {
  assert(IsHost(call) && !IsHost(op));
  SetFate(op, kMoved);
  call_of_[op] = call;
  issued_.push_back(op);
}

void GraphEdit::MakeGraphLaunch(TaskId call) {
  is_structural_ = true;
  graph_launches_.push_back(call);
}

void GraphEdit::SetQuestion(TaskId call, Question question) {
  is_structural_ = true;
  if (IsOld(call)) {
    questions_[call] = question;
  } else {
    new_tasks_[call.value - old_count()].call.question = question;
  }
}

Question GraphEdit::QuestionOf(TaskId host) const {
  if (!IsOld(host)) return New(host).call.question;
  const auto it = questions_.find(host);
  return it != questions_.end() ? it->second : graph_.question[host];
}

// --- Places.

const GraphStream& GraphEdit::StreamAt(std::uint32_t stream) const {
  const std::size_t old = graph_.streams.size();
  return stream < old ? graph_.streams[stream] : streams_[stream - old].stream;
}

std::uint32_t GraphEdit::AddStream(std::uint32_t like, std::string label, bool is_blocking) {
  is_structural_ = true;
  GraphStream stream = StreamAt(like);
  stream.track = {};
  stream.is_null = false;
  stream.is_blocking = is_blocking;
  streams_.push_back({stream, std::move(label)});
  return static_cast<std::uint32_t>(graph_.streams.size() + streams_.size() - 1);
}

std::uint32_t GraphEdit::AddThread(ProcessId process, std::string label, TimeNs start) {
  is_structural_ = true;
  threads_.push_back({process, std::move(label), start});
  return static_cast<std::uint32_t>(graph_.threads.size() + threads_.size() - 1);
}

void GraphEdit::AddHandoff(TaskId task, TaskId from, DurationNs lag) {
  assert(IsHost(task) && IsHost(from));
  is_structural_ = true;
  handoffs_.push_back({task, from, lag});
}

void GraphEdit::AddCollective(std::vector<TaskId> ops) {
  is_structural_ = true;
  collectives_.push_back(std::move(ops));
}

// --- Channels.

std::uint32_t GraphEdit::AddChannel(std::string label) {
  is_structural_ = true;
  channels_.push_back(std::move(label));
  return static_cast<std::uint32_t>(graph_.channels.size() + channels_.size() - 1);
}

void GraphEdit::JoinChannel(TaskId op, std::uint32_t channel, std::int32_t priority) {
  assert(!IsHost(op));
  is_structural_ = true;
  on_channel_.emplace_back(op, ChannelPlace{channel, priority, {}});
}

void GraphEdit::Prefetch(std::uint32_t channel, const std::vector<Fetch>& fetches,
                         std::uint32_t distance) {
  assert(distance > 0);  // A user cannot begin before what it uses.
  is_structural_ = true;
  for (std::size_t i = 0; i < fetches.size(); ++i) {
    const TaskId after = i < distance ? TaskId() : fetches[i - distance].user;
    on_channel_.emplace_back(fetches[i].op, ChannelPlace{channel, 0, after});
  }
}

// --- Questions.

// What calls that ask this take to return; a default, where there are none.
ConstantId GraphEdit::TailOf(Ask ask) {
  ConstantId& tail = tails_[static_cast<std::size_t>(ask)];
  if (tail != 0) return tail;
  const Rule rule = ask == Ask::kOwnWork ? Rule::kBlockingCopy : Rule::kHostSync;
  std::vector<std::uint64_t> uses(constants_.all().size());
  for (const Question& question : graph_.question) {
    if (question.rule != rule || question.before_work || question.latency == 0) continue;
    // One that asks the same counts more than any number of others.
    uses[question.latency] += question.ask == ask ? graph_.host_count() : 1;
  }
  const auto most = std::max_element(uses.begin(), uses.end());
  if (*most > 0) return tail = static_cast<ConstantId>(most - uses.begin());
  return tail = constants_.Add({"sync_tail.inserted", kDefaultTail, 0, 0, 0, true});
}

Question GraphEdit::WaitForStream(std::uint32_t stream) {
  return {Ask::kStream, Rule::kHostSync, false, TailOf(Ask::kStream), stream};
}

Question GraphEdit::WaitForContext(std::uint32_t context) {
  return {Ask::kContext, Rule::kHostSync, false, TailOf(Ask::kContext), context};
}

std::uint32_t GraphEdit::AddRecord(std::uint32_t stream) {
  is_structural_ = true;
  record_streams_.push_back(stream);
  return static_cast<std::uint32_t>(graph_.record_stream.size() + record_streams_.size() - 1);
}

Question GraphEdit::MakeRecord(std::uint32_t record) {
  return {Ask::kMakeRecord, Rule::kNone, false, 0, record};
}

Question GraphEdit::StreamWaitFor(std::uint32_t stream, std::uint32_t record) {
  is_structural_ = true;
  stream_waits_.push_back({stream, record});
  const auto row = graph_.stream_waits.size() + stream_waits_.size() - 1;
  return {Ask::kStreamWait, Rule::kEventWait, false, 0, static_cast<std::uint32_t>(row)};
}

EditedGraph GraphEdit::Build() const {
  EditedGraph result;
  result.old_ = &graph_;
  if (!is_structural_) {
    result.overlay_ = overlay_;
    return result;
  }
  EditBuild build(*this);
  result.is_new_ = true;
  result.new_ = std::make_shared<const TaskGraph>(build.Run());
  result.place_ = build.TakePlaces();
  return result;
}

}  // namespace xsp
