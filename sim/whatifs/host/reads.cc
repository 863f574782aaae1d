#include "sim/whatifs/host/reads.h"

namespace xsp {

std::uint64_t CopyBytes(const TaskGraph& graph, TaskId copy) {
  return graph.trace->copies().bytes[graph.trace->Row(graph.event[copy])];
}

MemoryKind HostMemoryOf(const TaskGraph& graph, TaskId copy) {
  const Copies& all = graph.trace->copies();
  const std::size_t row = graph.trace->Row(graph.event[copy]);
  const bool is_read = graph.op_class[graph.RowOf(copy)] == OpClass::kDtoH;
  return is_read ? all.target_kind[row] : all.source_kind[row];
}

TaskId BlockingRead(const TaskGraph& graph, TaskId host) {
  const TaskRange ops = graph.OpsOf(host);
  if (ops.empty() || !IsWait(graph.question[host].ask)) return {};
  const TaskId op = ops.front();
  const bool is_read =
      graph.kind[op] == TaskKind::kMemcpy && graph.op_class[graph.RowOf(op)] == OpClass::kDtoH;
  return is_read && graph.event[op].valid() ? op : TaskId();
}

std::string SizeWords(std::uint64_t bytes) {
  constexpr std::uint64_t kKilobyte = 1000, kMegabyte = 1000 * kKilobyte;
  if (bytes < kKilobyte) return std::to_string(bytes) + " B";
  if (bytes < kMegabyte) return std::to_string(bytes / kKilobyte) + " KB";
  return std::to_string(bytes / kMegabyte) + " MB";
}

}  // namespace xsp
