#include "graph/task_names.h"

#include "model/names/call_names.h"

namespace xsp {
namespace {

std::string_view NameOfCopy(OpClass op_class) {
  switch (op_class) {
    case OpClass::kHtoD:
      return "copy htod";
    case OpClass::kDtoH:
      return "copy dtoh";
    default:
      return "copy dtod";
  }
}

}  // namespace

std::string_view TaskNames::Of(TaskId task) const {
  const Trace& trace = *graph_.trace;
  const EventId event = graph_.event[task];
  if (graph_.IsNew(task)) return graph_.labels[graph_.label[task].value];
  switch (graph_.kind[task]) {
    case TaskKind::kBefore:
      return "what was issued before the recording";
    case TaskKind::kKernel:
      return kernels_.Of(event);
    case TaskKind::kMemcpy:
      return NameOfCopy(graph_.op_class[graph_.RowOf(task)]);
    case TaskKind::kMemset:
      return "memset";
    case TaskKind::kGraphSpan:
      return "CUDA graph";
    case TaskKind::kLoad:
      return trace.name(event);
    case TaskKind::kOsCall:
      return event.valid() ? trace.name(event) : "a wait";
    case TaskKind::kCall:
      break;
  }
  return CallName(trace.name(event));
}

std::string TaskNames::Label(LabelId label) const {
  return label.valid() ? " " + graph_.labels[label.value] : "";
}

std::string TaskNames::OfThread(std::uint32_t row) const {
  const GraphThread& thread = graph_.threads[row];
  if (thread.track.valid()) {
    return "thread " + std::to_string(graph_.trace->track(thread.track).thread) +
           Label(thread.label);
  }
  return thread.label.valid() ? "thread" + Label(thread.label) : "before the recording";
}

std::string TaskNames::OfStream(std::uint32_t row) const {
  const GraphStream& stream = graph_.streams[row];
  const std::string number =
      stream.track.valid() ? " " + std::to_string(graph_.trace->track(stream.track).stream) : "";
  return "stream" + number + Label(stream.label);
}

std::string TaskNames::OfLane(TaskId task) const {
  const std::uint32_t lane = graph_.lane[task];
  return graph_.IsHost(task) ? OfThread(lane) : OfStream(lane);
}

std::string TaskNames::WithPlace(TaskId task) const {
  const std::string name(Of(task));
  if (graph_.kind[task] == TaskKind::kBefore) return name;
  const char* what = graph_.kind[task] == TaskKind::kKernel ? "kernel " : "";
  return what + name + " on " + OfLane(task);
}

}  // namespace xsp
