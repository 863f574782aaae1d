#pragma once

#include <cstdint>
#include <string>

#include "graph/task_graph.h"

// Reads of the host, and how sizes are written where what-ifs name copies.
namespace xsp {

// Of a copy with an event.
std::uint64_t CopyBytes(const TaskGraph& graph, TaskId copy);
// The host's side of a copy between host and device.
MemoryKind HostMemoryOf(const TaskGraph& graph, TaskId copy);

// The read whose call holds the host until it is done; none for other calls.
TaskId BlockingRead(const TaskGraph& graph, TaskId host);

std::string SizeWords(std::uint64_t bytes);  // "8 B", "12 KB", "512 MB".

}  // namespace xsp
