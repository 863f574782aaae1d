#include "sim/edit/ranks.h"

#include <algorithm>
#include <string>

#include "graph/copy_tasks.h"

namespace xsp {
namespace {

// Rows of one table that have copies. Behind the rows of the table come those of rank 1, then those
// of rank 2, and so on; each rank's in the order of adding.
class RowCopies {
 public:
  explicit RowCopies(std::size_t size) : place_(size, kNone) {}

  void Add(std::uint32_t row) {
    if (Has(row)) return;
    place_[row] = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back(row);
  }
  bool Has(std::uint32_t row) const { return row < place_.size() && place_[row] != kNone; }
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(rows_.size()); }
  // The row of a rank's copy, or the row itself if it has none.
  std::uint32_t Of(std::uint32_t row, std::uint32_t rank) const {
    if (rank == 0 || !Has(row)) return row;
    return static_cast<std::uint32_t>(place_.size()) + (rank - 1) * count() + place_[row];
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::vector<std::uint32_t> place_;  // By row.
  std::vector<std::uint32_t> rows_;
};

class RankBuild {
 public:
  RankBuild(const TaskGraph& old, ProcessId process, std::uint32_t copies)
      : old_(old),
        process_(process),
        copies_(copies),
        contexts_(old.contexts.size()),
        streams_(old.streams.size()),
        devices_(old.devices.size()),
        records_(old.record_stream.size()),
        waits_(old.stream_waits.size()),
        producers_(old.producers.size()),
        batches_(old.batches.size()),
        channels_(old.channels.size()) {
    result_.copies = copies;
    result_.old_hosts = old.host_count();
    result_.old_tasks = old.task_count();
  }

  AddedRanks Run() {
    FindRows();
    FindTasks();
    CopyTasks(old_, source_, old_.host_count() + copies_ * result_.hosts, graph_);
    for (std::uint32_t rank = 1; rank <= copies_; ++rank) AddRows(rank);
    Threads();
    Calls();
    for (std::uint32_t rank = 1; rank <= copies_; ++rank) Redirect(rank);
    Handoffs();
    NodeOrders();
    Collectives();
    Channels();
    return std::move(result_);
  }

 private:
  bool IsCopied(TaskId task) const { return result_.index[task] != AddedRanks::kOther; }
  TaskId Place(TaskId old_task, std::uint32_t rank) const { return result_.Of(old_task, rank); }

  // Which rows of which tables belong to the process.
  void FindRows() {
    for (std::uint32_t i = 0; i < old_.contexts.size(); ++i) {
      if (old_.contexts[i].process == process_) contexts_.Add(i);
    }
    for (std::uint32_t i = 0; i < old_.streams.size(); ++i) {
      const GraphStream& stream = old_.streams[i];
      if (!contexts_.Has(stream.context)) continue;
      streams_.Add(i);
      devices_.Add(stream.device);
    }
    for (std::uint32_t i = 0; i < old_.record_stream.size(); ++i) {
      if (streams_.Has(old_.record_stream[i])) records_.Add(i);
    }
    for (std::uint32_t i = 0; i < old_.stream_waits.size(); ++i) {
      if (streams_.Has(old_.stream_waits[i].stream)) waits_.Add(i);
    }
    for (std::uint32_t i = 0; i < old_.producers.size(); ++i) {
      if (old_.threads[old_.producers[i].thread].process == process_) producers_.Add(i);
    }
    for (std::uint32_t i = 0; i < old_.batches.size(); ++i) {
      if (producers_.Has(old_.batches[i].producer)) batches_.Add(i);
    }
  }

  // The tasks of the process, and the order of all tasks in the new graph.
  void FindTasks() {
    std::vector<TaskId> hosts;
    std::vector<TaskId> ops;
    result_.index.assign(old_.task_count(), AddedRanks::kOther);
    for (const GraphThread& thread : old_.threads) {
      if (thread.process != process_) continue;
      for (TaskId task : thread.tasks()) {
        result_.index[task] = static_cast<std::uint32_t>(hosts.size());
        hosts.push_back(task);
        for (TaskId op : old_.OpsOf(task)) {
          result_.index[op] = static_cast<std::uint32_t>(ops.size());
          ops.push_back(op);
          const ChannelPlace* place = old_.PlaceOnChannel(op);
          if (place != nullptr) channels_.Add(place->channel);
        }
      }
    }
    result_.hosts = static_cast<std::uint32_t>(hosts.size());
    result_.ops = static_cast<std::uint32_t>(ops.size());
    const auto append = [&](const std::vector<TaskId>& tasks) {
      source_.insert(source_.end(), tasks.begin(), tasks.end());
    };
    source_.reserve(old_.task_count() + std::size_t{copies_} * (hosts.size() + ops.size()));
    for (TaskId task : old_.host_tasks()) source_.push_back(task);
    for (std::uint32_t rank = 1; rank <= copies_; ++rank) append(hosts);
    for (TaskId op : old_.ops()) source_.push_back(op);
    for (std::uint32_t rank = 1; rank <= copies_; ++rank) append(ops);
  }

  ProcessId ProcessOf(std::uint32_t rank) const {
    std::size_t beyond = old_.trace->processes().size();
    for (const GraphThread& thread : old_.threads) {
      beyond = std::max(beyond, std::size_t{thread.process.value} + 1);
    }
    return ProcessId(beyond + rank - 1);
  }

  // Copies the process's rows for one rank, behind those of the ranks before it.
  void AddRows(std::uint32_t rank) {
    const LabelId label(graph_.labels.size());
    graph_.labels.push_back("copy " + std::to_string(rank));
    AddDevices(rank);
    for (std::uint32_t row : contexts_.rows()) {
      GraphContext context = old_.contexts[row];
      context.process = ProcessOf(rank);
      for (std::uint32_t& stream : context.streams) stream = streams_.Of(stream, rank);
      context.null_stream = streams_.Of(context.null_stream, rank);
      graph_.contexts.push_back(std::move(context));
    }
    for (std::uint32_t row : streams_.rows()) {
      GraphStream stream = old_.streams[row];
      stream.context = contexts_.Of(stream.context, rank);
      stream.device = devices_.Of(stream.device, rank);
      stream.label = label;
      graph_.streams.push_back(stream);
    }
    for (std::uint32_t row : records_.rows()) {
      graph_.record_stream.push_back(streams_.Of(old_.record_stream[row], rank));
    }
    for (std::uint32_t row : waits_.rows()) {
      const StreamWait& wait = old_.stream_waits[row];
      graph_.stream_waits.push_back(
          {streams_.Of(wait.stream, rank), records_.Of(wait.record, rank), wait.makes_record});
    }
    for (std::uint32_t row : producers_.rows()) graph_.producers.push_back(old_.producers[row]);
    for (std::uint32_t row : batches_.rows()) {
      graph_.batches.push_back(old_.batches[row]);
      graph_.batches.back().producer = producers_.Of(old_.batches[row].producer, rank);
    }
    for (std::uint32_t row : channels_.rows()) graph_.channels.push_back(old_.channels[row]);
  }

  void AddDevices(std::uint32_t rank) {
    for (std::uint32_t row : devices_.rows()) {
      GraphDevice device = old_.devices[row];
      const bool has_two = device.engine_to_host != device.engine_to_device;
      device.process = ProcessOf(rank);
      device.engine_to_device = static_cast<std::uint16_t>(graph_.engine_count);
      device.engine_to_host = static_cast<std::uint16_t>(graph_.engine_count + (has_two ? 1 : 0));
      graph_.engine_count += 2;
      graph_.devices.push_back(device);
    }
  }

  void Threads() {
    graph_.threads = old_.threads;
    TaskId first(old_.host_count());
    for (std::uint32_t rank = 1; rank <= copies_; ++rank) {
      for (const GraphThread& thread : old_.threads) {
        if (thread.process != process_) continue;
        GraphThread copy = thread;
        copy.process = ProcessOf(rank);
        copy.first = first;
        copy.last = TaskId(first.value + thread.tasks().size());
        copy.label = LabelId(old_.labels.size() + rank - 1);
        first = copy.last;
        graph_.threads.push_back(copy);
      }
    }
    for (std::uint32_t i = 0; i < graph_.threads.size(); ++i) {
      const GraphThread& thread = graph_.threads[i];
      std::fill(graph_.lane.begin() + thread.first.value, graph_.lane.begin() + thread.last.value,
                i);
    }
  }

  void Calls() {
    std::uint32_t next = graph_.host_count();
    for (TaskId host : graph_.host_tasks()) {
      graph_.first_op.emplace_back(next);
      const std::uint32_t ops = old_.OpsOf(source_[host]).size();
      graph_.call.insert(graph_.call.end(), ops, host);
      next += ops;
    }
    graph_.first_op.emplace_back(next);
  }

  // Turns what the tasks of a copy ask for, and where they run, to the copy's own rows.
  void Redirect(std::uint32_t rank) {
    const TaskId first_host(result_.old_hosts + (rank - 1) * result_.hosts);
    for (TaskId host : TaskRange{first_host, TaskId(first_host.value + result_.hosts)}) {
      Question& question = graph_.question[host];
      switch (question.ask) {
        case Ask::kStream:
          question.target = streams_.Of(question.target, rank);
          break;
        case Ask::kContext:
          question.target = contexts_.Of(question.target, rank);
          break;
        case Ask::kRecord:
        case Ask::kMakeRecord:
          question.target = records_.Of(question.target, rank);
          break;
        case Ask::kStreamWait:
          question.target = waits_.Of(question.target, rank);
          break;
        case Ask::kBatch:
          question.target = batches_.Of(question.target, rank);
          break;
        case Ask::kNothing:
        case Ask::kOwnWork:
          break;
      }
    }
    const TaskId first_op(graph_.host_count() + old_.op_count() + (rank - 1) * result_.ops);
    for (TaskId op : TaskRange{first_op, TaskId(first_op.value + result_.ops)}) {
      const OpIndex row = graph_.RowOf(op);
      graph_.lane[op] = streams_.Of(graph_.lane[op], rank);
      graph_.engine[row] = graph_.EngineFor(graph_.lane[op], graph_.op_class[row]);
    }
  }

  // Calls f(rank) for every place of a task: the original's, and where it has copies, theirs.
  template <class F>
  void ForPlaces(TaskId old_task, F f) {
    f(0u);
    if (!IsCopied(old_task)) return;
    for (std::uint32_t rank = 1; rank <= copies_; ++rank) f(rank);
  }

  // What a task of a copy hangs on: its own copy of it, or what has no copies.
  TaskId PlaceOrOriginal(TaskId old_task, std::uint32_t rank) const {
    return Place(old_task, IsCopied(old_task) ? rank : 0);
  }

  void Handoffs() {
    for (const Handoff& handoff : old_.handoffs) {
      ForPlaces(handoff.task, [&](std::uint32_t rank) {
        graph_.handoffs.push_back(
            {Place(handoff.task, rank), PlaceOrOriginal(handoff.from, rank), handoff.lag});
      });
    }
    std::sort(graph_.handoffs.begin(), graph_.handoffs.end(),
              [](const Handoff& a, const Handoff& b) {
                return std::pair(a.task, a.from) < std::pair(b.task, b.from);
              });
  }

  void NodeOrders() {
    for (const NodeOrder& order : old_.node_orders) {
      ForPlaces(order.op, [&](std::uint32_t rank) {
        graph_.node_orders.push_back({Place(order.op, rank), Place(order.from, rank)});
      });
    }
    std::sort(graph_.node_orders.begin(), graph_.node_orders.end(),
              [](const NodeOrder& a, const NodeOrder& b) { return a.op < b.op; });
  }

  void Collectives() {
    if (old_.collectives.empty()) return;
    graph_.collective.assign(graph_.op_count(), TaskGraph::kNoCollective);
    for (const std::vector<TaskId>& members : old_.collectives) {
      std::vector<TaskId> all;
      for (TaskId member : members) {
        ForPlaces(member, [&](std::uint32_t rank) { all.push_back(Place(member, rank)); });
      }
      for (TaskId member : all) {
        graph_.collective[graph_.RowOf(member)] =
            static_cast<std::uint32_t>(graph_.collectives.size());
      }
      graph_.collectives.push_back(std::move(all));
    }
  }

  void Channels() {
    if (old_.channel.empty()) return;
    graph_.channel.assign(graph_.op_count(), TaskGraph::kNoChannel);
    for (TaskId op : old_.ops()) {
      const std::uint32_t row = old_.channel[old_.RowOf(op)];
      if (row == TaskGraph::kNoChannel) continue;
      ForPlaces(op, [&](std::uint32_t rank) {
        ChannelPlace place = old_.channel_places[row];
        place.channel = channels_.Of(place.channel, rank);
        if (place.after.valid()) place.after = PlaceOrOriginal(place.after, rank);
        graph_.channel[graph_.RowOf(Place(op, rank))] =
            static_cast<std::uint32_t>(graph_.channel_places.size());
        graph_.channel_places.push_back(place);
      });
    }
  }

  const TaskGraph& old_;
  const ProcessId process_;
  const std::uint32_t copies_;
  AddedRanks result_;
  TaskGraph& graph_ = result_.graph;
  PerTask<TaskId> source_;  // Per new task: the old one.
  RowCopies contexts_, streams_, devices_, records_, waits_, producers_, batches_, channels_;
};

}  // namespace

TaskId AddedRanks::Of(TaskId old_task, std::uint32_t rank) const {
  const bool is_host = old_task.value < old_hosts;
  if (rank == 0) return is_host ? old_task : TaskId(old_task.value + copies * hosts);
  const std::uint32_t place = index[old_task];
  if (place == kOther) return {};
  const std::uint32_t ranks_before = rank - 1;
  if (is_host) return TaskId(old_hosts + ranks_before * hosts + place);
  return TaskId(old_tasks + copies * hosts + ranks_before * ops + place);
}

AddedRanks AddRanks(const TaskGraph& graph, ProcessId process, std::uint32_t copies) {
  return RankBuild(graph, process, copies).Run();
}

}  // namespace xsp
