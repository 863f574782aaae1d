// Stream capture: launches become nodes of a graph.
#include <algorithm>
#include <utility>

#include "sample_traces/host.h"

namespace xsp::samples {

bool HostModel::AddNode(ThreadState& thread, const Op& op) {
  GraphNode node;
  node.kernel = op.kind == OpKind::kMemset ? -1 : op.object;
  node.bytes = op.kind == OpKind::kMemset ? op.amount : 0;
  auto& streams = thread.capture_streams;
  auto place = std::find(streams.begin(), streams.end(), op.target);
  if (place == streams.end()) place = streams.insert(place, op.target);
  node.lane = static_cast<int32_t>(place - streams.begin());
  node.captured_id = ProcessOf(thread).next_node++;
  thread.nodes.push_back(node);
  const int64_t own = Cost(thread, op, config_.launch_ns * 6 / 10);
  node_log_.Add({thread.time + own / 2, thread.index, node.captured_id, -1});
  return CloseCall(thread, thread.time + own);
}

bool HostModel::CaptureCall(ThreadState& thread, const Op& op) {
  switch (op.kind) {
    case OpKind::kBeginCapture:
      OpenCall(thread, op, "cudaStreamBeginCapture_v10000");
      thread.capturing = true;
      thread.nodes.clear();
      thread.capture_streams.clear();
      return CloseCall(thread, thread.time + Cost(thread, op, 2 * config_.event_call_ns));
    case OpKind::kEndCapture: {
      OpenCall(thread, op, "cudaStreamEndCapture_v10000");
      thread.capturing = false;
      Graph& graph = device_.graphs()[op.object];
      graph.nodes = std::exchange(thread.nodes, {});
      graph.lanes = static_cast<int32_t>(thread.capture_streams.size());
      graph.id = next_graph_++;
      graph_log_.Add({thread.time + 500, thread.index, graph.id, -1});
      return CloseCall(thread, thread.time + Cost(thread, op, 3 * config_.event_call_ns));
    }
    default: {
      OpenCall(thread, op, "cudaGraphInstantiate_v10000");
      Graph& graph = device_.graphs()[op.object];
      graph.exec_id = next_graph_++;
      const int64_t end = thread.time + Cost(thread, op, config_.instantiate_ns);
      graph_log_.Add({thread.time + 900, thread.index, graph.id, graph.exec_id});
      for (GraphNode& node : graph.nodes) {
        node.id = ProcessOf(thread).next_node++;
        node_log_.Add({thread.time + 1'000, thread.index, node.id, node.captured_id});
      }
      return CloseCall(thread, end);
    }
  }
}

}  // namespace xsp::samples
