// What runs on a device and how fast: copies, kernels that share multiprocessors, graphs,
// collectives.
#include <algorithm>
#include <utility>

#include "sample_traces/device.h"
#include "sample_traces/noise.h"

namespace xsp::samples {
namespace {

constexpr int64_t kFullSpeed = 1'000;

}  // namespace

void DeviceModel::Handle(const Pending& happening) {
  switch (happening.what) {
    case Happening::kStream:
      if (happening.ticket > 0) {
        StartNode(happening.index, static_cast<size_t>(happening.ticket) - 1);
      } else {
        Start(happening.index);
      }
      break;
    case Happening::kKernelEnd: {
      const Running& running = running_[happening.index];
      if (running.active && running.ticket == happening.ticket) EndRunning(happening.index);
      break;
    }
    case Happening::kCopyEnd:
      EndTransfer(happening.index);
      break;
    case Happening::kEngine:
      StartCopy(happening.index);
      break;
    case Happening::kThread:
      break;
  }
}

void DeviceModel::Start(int32_t stream) {
  const Command& command = streams_[stream].queue.front();
  switch (command.kind) {
    case CommandKind::kKernel:
    case CommandKind::kCollective:
      StartKernel(stream);
      break;
    case CommandKind::kMemset:
      StartMemset(stream);
      break;
    case CommandKind::kGraph:
      StartGraph(stream);
      break;
    case CommandKind::kCopy: {
      Engine* engine = EngineOf(stream, command.copy);
      if (engine != nullptr && engine->busy) {
        engine->streams.push_back(stream);
      } else {
        if (engine != nullptr) engine->busy = true;
        StartCopy(stream);
      }
      break;
    }
  }
}

DeviceModel::Engine* DeviceModel::EngineOf(int32_t stream, const CopySpec& copy) {
  const auto first = 2 * static_cast<size_t>(DeviceOf(stream));
  switch (copy.kind) {
    case CopyKind::kHostToDevice:
      return &engines_[first];
    case CopyKind::kDeviceToHost:
    case CopyKind::kPeer:
      return &engines_[first + 1];
    default:
      return nullptr;
  }
}

DeviceRecord DeviceModel::NewRecord(int32_t stream) const {
  DeviceRecord record;
  record.start = Skewed(stream, loop_.now());
  record.stream = stream;
  record.correlation = streams_[stream].queue.front().correlation;
  return record;
}

void DeviceModel::StartCopy(int32_t stream) {
  StreamState& state = streams_[stream];
  const Command& command = state.queue.front();
  state.record = copy_log_.Open({NewRecord(stream), command.copy});
  const int64_t end = loop_.now() + command.duration;
  loop_.At(end, Happening::kCopyEnd, stream);
  if (command.waiter >= 0) {
    loop_.At(std::max(loop_.now(), end + command.waiter_tail), Happening::kThread, command.waiter);
  }
}

void DeviceModel::StartMemset(int32_t stream) {
  StreamState& state = streams_[stream];
  const Command& command = state.queue.front();
  state.record = memset_log_.Open({NewRecord(stream), command.copy.bytes});
  loop_.At(loop_.now() + command.duration, Happening::kCopyEnd, stream);
}

void DeviceModel::EndTransfer(int32_t stream) {
  StreamState& state = streams_[stream];
  const Command& command = state.queue.front();
  if (command.kind == CommandKind::kMemset) {
    memset_log_.At(state.record).end = Skewed(stream, loop_.now());
    memset_log_.Close(state.record);
  } else {
    copy_log_.At(state.record).end = Skewed(stream, loop_.now());
    copy_log_.Close(state.record);
    Engine* engine = EngineOf(stream, command.copy);
    if (engine != nullptr && engine->streams.empty()) engine->busy = false;
    if (engine != nullptr && !engine->streams.empty()) {
      const int32_t next = engine->streams.front();
      engine->streams.pop_front();
      loop_.At(loop_.now() + Gap(next, config_.engine_gap_ns), Happening::kEngine, next);
    }
  }
  EndCommand(stream);
}

void DeviceModel::StartKernel(int32_t stream) {
  const Command& command = streams_[stream].queue.front();
  ContextState& context = contexts_[program_.streams[stream].context];
  Running running;
  running.stream = stream;
  running.record = kernel_log_.Open({NewRecord(stream), command.object, context.next_grid++});
  running.demand = program_.kernels[command.object].sm_permille;
  const bool collective = command.kind == CommandKind::kCollective;
  running.left = command.duration * kFullSpeed;
  running.rate = collective ? 0 : kFullSpeed;
  const int32_t slot = Occupy(running, DeviceOf(stream));
  if (collective) JoinMeeting(stream, slot);
}

int32_t DeviceModel::Occupy(Running running, int32_t device) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<int32_t>(running_.size()));
    running_.emplace_back();
  }
  const int32_t slot = free_slots_.back();
  free_slots_.pop_back();
  const int64_t ticket = running_[slot].ticket + 1;
  running_[slot] = running;
  running_[slot].ticket = ticket;
  running_[slot].updated = loop_.now();
  running_[slot].active = true;
  active_[device].push_back(slot);
  if (running.rate > 0) {
    loop_.At(loop_.now() + running.left / running.rate, Happening::kKernelEnd, slot, ticket);
  }
  Rebalance(device);
  return slot;
}

// Kernels that together ask for more than the device has share it evenly: all slow down alike.
void DeviceModel::Rebalance(int32_t device) {
  int64_t demand = 0;
  for (int32_t slot : active_[device]) demand += running_[slot].demand;
  const int64_t rate =
      demand <= kFullSpeed ? kFullSpeed : std::max<int64_t>(1, kFullSpeed * kFullSpeed / demand);
  for (int32_t slot : active_[device]) {
    Running& running = running_[slot];
    if (running.rate == 0 || running.rate == rate) continue;
    running.left -= (loop_.now() - running.updated) * running.rate;
    running.updated = loop_.now();
    running.rate = rate;
    const int64_t left = std::max<int64_t>(0, running.left);
    loop_.At(loop_.now() + (left + rate - 1) / rate, Happening::kKernelEnd, slot, ++running.ticket);
  }
}

// All ranks end together, once the last has come and the transfer is done.
void DeviceModel::JoinMeeting(int32_t stream, int32_t slot) {
  const Command& command = streams_[stream].queue.front();
  const auto& ranks = program_.communicators[command.communicator].contexts;
  CommState& state = communicators_[command.communicator];
  const auto rank = static_cast<size_t>(
      std::find(ranks.begin(), ranks.end(), program_.streams[stream].context) - ranks.begin());
  const auto place = static_cast<size_t>(state.next_of_rank[rank]++ - state.first);
  if (place >= state.meetings.size()) state.meetings.resize(place + 1);
  Meeting& meeting = state.meetings[place];
  meeting.slots.push_back(slot);
  meeting.transfer = std::max(meeting.transfer, command.duration);
  if (meeting.slots.size() < ranks.size()) return;
  for (int32_t member : meeting.slots) {
    const uint64_t bits = streams_[running_[member].stream].queue.front().noise;
    loop_.At(loop_.now() + meeting.transfer + static_cast<int64_t>(bits % 9'000),
             Happening::kKernelEnd, member, running_[member].ticket);
  }
  while (!state.meetings.empty() && state.meetings.front().slots.size() == ranks.size()) {
    state.meetings.pop_front();
    ++state.first;
  }
}

void DeviceModel::EndRunning(int32_t slot) {
  Running& running = running_[slot];
  const int32_t stream = running.stream;
  const int32_t device = DeviceOf(stream);
  running.active = false;
  ++running.ticket;
  std::erase(active_[device], slot);
  free_slots_.push_back(slot);
  Rebalance(device);
  const bool is_memset_node = running.lane >= 0 && running.demand == 0;
  if (is_memset_node && running.record >= 0) {
    memset_log_.At(running.record).end = Skewed(stream, loop_.now());
    memset_log_.Close(running.record);
  } else if (running.record >= 0) {
    ++kernels_;
    kernel_log_.At(running.record).end = Skewed(stream, loop_.now());
    kernel_log_.Close(running.record);
  }
  if (running.lane >= 0) {
    EndNode(stream, running.node);
  } else {
    EndCommand(stream);
  }
}

void DeviceModel::StartGraph(int32_t stream) {
  StreamState& state = streams_[stream];
  const Graph& graph = graphs_[state.queue.front().object];
  state.record = -1;
  if (!config_.trace_graph_nodes) {
    GraphSpanRecord span{NewRecord(stream), graph.exec_id};
    span.graph = graph.id;
    state.record = span_log_.Open(span);
  }
  state.lanes_left = graph.lanes;
  for (int32_t lane = 0; lane < graph.lanes; ++lane) {
    const auto first = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                    [&](const GraphNode& node) { return node.lane == lane; });
    StartNode(stream, static_cast<size_t>(first - graph.nodes.begin()));
  }
  if (graph.nodes.empty()) EndCommand(stream);
}

void DeviceModel::StartNode(int32_t stream, size_t index) {
  const Command& command = streams_[stream].queue.front();
  const Graph& graph = graphs_[command.object];
  const GraphNode& node = graph.nodes[index];
  const uint64_t bits = Mix(command.noise + index);
  DeviceRecord record = NewRecord(stream);
  record.graph_node = node.id;
  record.graph = graph.exec_id;
  Running running;
  running.stream = stream;
  running.lane = node.lane;
  running.node = index;
  running.rate = kFullSpeed;
  if (node.kernel >= 0) {
    const KernelSpec& kernel = program_.kernels[node.kernel];
    running.demand = kernel.sm_permille;
    running.left = Jitter(kernel.duration_ns, config_.duration_jitter, bits) * kFullSpeed;
    if (config_.trace_graph_nodes) {
      ContextState& context = contexts_[program_.streams[stream].context];
      running.record = kernel_log_.Open({record, node.kernel, context.next_grid++});
    }
  } else {
    running.left = (config_.copy_base_ns + node.bytes * 1'000 / config_.device_rate) * kFullSpeed;
    if (config_.trace_graph_nodes) running.record = memset_log_.Open({record, node.bytes});
  }
  Occupy(running, DeviceOf(stream));
}

void DeviceModel::EndNode(int32_t stream, size_t ended) {
  StreamState& state = streams_[stream];
  const Graph& graph = graphs_[state.queue.front().object];
  for (size_t next = ended + 1; next < graph.nodes.size(); ++next) {
    if (graph.nodes[next].lane != graph.nodes[ended].lane) continue;
    const uint64_t bits = Mix(state.queue.front().noise + next);
    const int64_t gap =
        SkewedJitter(config_.graph_gap_ns, config_.gap_jitter, config_.outliers, bits >> 9);
    loop_.At(loop_.now() + gap, Happening::kStream, stream, static_cast<int64_t>(next) + 1);
    return;
  }
  if (--state.lanes_left > 0) return;
  if (state.record >= 0) {
    span_log_.At(state.record).end = Skewed(stream, loop_.now());
    span_log_.Close(state.record);
  }
  EndCommand(stream);
}

}  // namespace xsp::samples
