#include <algorithm>
#include <array>
#include <string>

#include "graph/draft.h"

// From the end of a call's own work to the begin of what it issued, on a device with nothing else
// to do first. From the end and not from the begin: a launch that loads a module takes milliseconds
// and its kernel starts when it is over. On an idle stream the distance to the call's end scatters
// by less than 1 µs in most traces, that to its begin by up to 3 ms.
namespace xsp {
namespace {

// What most traces show: 0.1 to 3.6 µs.
constexpr DurationNs kDefaultDelay = 1'200;

}  // namespace

void LearnSubmit(Draft& draft, const Answers& answers) {
  TaskGraph& graph = draft.graph;
  std::array<Latencies, kOpClassCount> samples;
  for (OpIndex row : graph.op_rows()) {
    if (graph.submit[row] != Submit::kAfterOwnCost) continue;
    const TaskId op = graph.OpAt(row);
    const TaskId call = graph.call[row];
    if (op != graph.first_op[call]) continue;  // Later nodes of a graph follow the first.
    if (graph.question[call].ask == Ask::kOwnWork) continue;  // The call's end is not its own.
    // Only where nothing else can have held the operation back is the delay that of the submission:
    // its stream and its copy engine were done before the call began, no event or other stream
    // stood before it, and the call itself did not wait for a place in the queue.
    const TimeNs begin = graph.measured_begin[call];
    auto is_free = [&](TaskId before) { return !before.valid() || draft.EndOf(before) <= begin; };
    if (!is_free(answers.stream[row]) || !is_free(answers.engine[row]) ||
        answers.other[row].valid() || IsHeldUp(draft, answers, row)) {
      continue;
    }
    if (!is_free(answers.queue[call])) continue;
    samples[static_cast<std::size_t>(graph.op_class[row])].push_back(graph.measured_begin[op] -
                                                                     graph.measured_end[call]);
  }
  auto& kernels = samples[static_cast<std::size_t>(OpClass::kKernel)];
  const ConstantId of_kernels = graph.constants.Learn("submit.kernel", kernels, kDefaultDelay);
  // Copies and memsets go another way to the device, but a class that was seen twice says less
  // about that way than the kernels do.
  for (std::size_t i = 0; i < kOpClassCount; ++i) {
    graph.submit_delay[i] = of_kernels;
    if (i == static_cast<std::size_t>(OpClass::kKernel) || samples[i].size() < kMinSamples)
      continue;
    graph.submit_delay[i] = graph.constants.Learn(
        "submit." + std::string(NameOf(static_cast<OpClass>(i))), samples[i], kDefaultDelay);
  }
}

}  // namespace xsp
