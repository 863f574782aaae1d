#include "graph/rules/copy_engine.h"

#include <algorithm>

#include "graph/draft.h"

namespace xsp {
namespace {

// How many past copies can still be in the way of one that is issued now. More than fit into a
// launch queue never are.
constexpr std::size_t kMemory = 2048;

}  // namespace

CopyEngine::Slot CopyEngine::Take(TaskId copy, SimTime ready, DurationNs duration, DurationNs gap) {
  // A copy that is ready early may fit between two that were told before it: what is issued first
  // need not be ready first, since it may wait for kernels of its own stream.
  Slot slot{ready, {}};
  std::size_t at = FirstAfter(ready);
  if (at > 0 && busy_[at - 1].end + gap > slot.begin) {
    slot = {std::max(slot.begin, busy_[at - 1].end + gap), busy_[at - 1].copy};
  }
  while (at < busy_.size() && busy_[at].begin < slot.begin + duration) {
    slot = {std::max(slot.begin, busy_[at].end + gap), busy_[at].copy};
    ++at;
  }
  Insert(at, {slot.begin, slot.begin + duration, copy});
  return slot;
}

TaskId CopyEngine::Note(TaskId copy, SimTime begin, SimTime end) {
  const std::size_t at = FirstAfter(begin);
  const TaskId before = at > 0 ? busy_[at - 1].copy : TaskId();
  Insert(at, {begin, end, copy});
  return before;
}

std::size_t CopyEngine::FirstAfter(SimTime begin) const {
  // Copies come nearly in order: search from the back.
  std::size_t at = busy_.size();
  while (at > 0 && busy_[at - 1].begin > begin) --at;
  return at;
}

void CopyEngine::Insert(std::size_t at, const Busy& busy) {
  busy_.insert(busy_.begin() + static_cast<std::ptrdiff_t>(at), busy);
  if (busy_.size() > kMemory) busy_.pop_front();
}

namespace {

using Spans = std::vector<std::pair<TimeNs, TimeNs>>;  // By begin.

bool AnyOverlap(Spans& a, Spans& b) {
  // One pair is proof enough: a device with one engine cannot do it even once.
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].first < b[j].second && b[j].first < a[i].second) return true;
    (a[i].second <= b[j].second ? i : j)++;
  }
  return false;
}

}  // namespace

// Each device has an engine per direction; one for both if they never worked at the same time.
// Copies of one direction share the bus: those of two streams run one after the other, whatever
// their streams allow. Without this rule a trace that copies on many streams was replayed 56 % too
// short.
void AddCopyEngines(Draft& draft) {
  TaskGraph& graph = draft.graph;
  std::vector<Spans> to_device(graph.devices.size());
  std::vector<Spans> to_host(graph.devices.size());
  for (OpIndex row : graph.op_rows()) {
    const TaskId task = graph.OpAt(row);
    const std::uint32_t device = graph.streams[graph.lane[task]].device;
    const std::pair span(graph.measured_begin[task], graph.measured_end[task]);
    if (graph.op_class[row] == OpClass::kHtoD) to_device[device].push_back(span);
    if (graph.op_class[row] == OpClass::kDtoH) to_host[device].push_back(span);
  }
  for (std::size_t i = 0; i < graph.devices.size(); ++i) {
    GraphDevice& device = graph.devices[i];
    device.engine_to_device = static_cast<std::uint16_t>(2 * i);
    device.engine_to_host =
        static_cast<std::uint16_t>(2 * i + (AnyOverlap(to_device[i], to_host[i]) ? 1 : 0));
  }
  for (OpIndex row : graph.op_rows()) {
    const std::uint32_t stream = graph.lane[graph.OpAt(row)];
    graph.engine[row] = graph.EngineFor(stream, graph.op_class[row]);
  }
  graph.engine_count = static_cast<std::uint32_t>(2 * graph.devices.size());
}

}  // namespace xsp
