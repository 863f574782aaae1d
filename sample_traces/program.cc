#include "sample_traces/program.h"

#include <algorithm>
#include <utility>

namespace xsp::samples {

int32_t Program::AddString(std::string_view text) {
  const auto [it, is_new] =
      string_index_.emplace(std::string(text), static_cast<int32_t>(strings.size()));
  if (is_new) strings.emplace_back(text);
  return it->second;
}

int32_t Program::AddKernel(KernelSpec kernel) {
  kernel.function = AddString(kernel.demangled);
  const auto same = std::find(kernels.begin(), kernels.end(), kernel);
  if (same != kernels.end()) return static_cast<int32_t>(same - kernels.begin());
  kernels.push_back(std::move(kernel));
  return static_cast<int32_t>(kernels.size()) - 1;
}

int32_t Program::AddProcess(std::string name) {
  const auto index = static_cast<int32_t>(processes.size());
  processes.push_back({std::move(name), 4210 + index, {}});
  return index;
}

int32_t Program::AddThread(int32_t process, std::string name) {
  const auto index = static_cast<int32_t>(threads.size());
  const bool is_main = std::none_of(threads.begin(), threads.end(),
                                    [&](const Thread& other) { return other.process == process; });
  // The main thread has the number of its process, the others come after all processes.
  const int32_t tid = is_main ? processes[process].pid : 4300 + index;
  threads.push_back({process, tid, std::move(name), 0, {}});
  return index;
}

int32_t Program::AddContext(int32_t process, int32_t device) {
  const auto index = static_cast<int32_t>(contexts.size());
  contexts.push_back({process, device, index + 1, static_cast<int32_t>(streams.size())});
  streams.push_back({index, 7, 0, true, true});
  return index;
}

int32_t Program::AddStream(int32_t context, bool blocking, int32_t priority) {
  int32_t id = 7;
  for (const Stream& stream : streams) {
    if (stream.context == context) id = std::max(id, stream.id);
  }
  streams.push_back({context, id == 7 ? 13 : id + 1, priority, false, blocking});
  return static_cast<int32_t>(streams.size()) - 1;
}

int32_t Program::AddEvent(int32_t context) {
  const auto id = static_cast<int32_t>(events.size()) + 1;
  events.push_back({context, id});
  return id - 1;
}

int32_t Program::AddSemaphore(int64_t count) {
  semaphores.push_back(count);
  return static_cast<int32_t>(semaphores.size()) - 1;
}

int32_t Program::AddMpiGroup(int32_t ranks) {
  mpi_groups.push_back(ranks);
  return static_cast<int32_t>(mpi_groups.size()) - 1;
}

int32_t Program::AddDomain(int32_t process, std::string name) {
  processes[process].domains.push_back(std::move(name));
  return static_cast<int32_t>(processes[process].domains.size());
}

int32_t Program::DeviceCount() const {
  int32_t count = 0;
  for (const Context& context : contexts) count = std::max(count, context.device + 1);
  return count;
}

int64_t Program::CountKernels() const {
  int64_t total = 0;
  std::vector<int64_t> nodes(static_cast<size_t>(graphs), 0);
  for (const Thread& thread : threads) {
    std::vector<int64_t> repetitions = {1};
    int64_t captured = -1;  // -1: not capturing
    for (const Op& op : thread.ops) {
      const int64_t times = repetitions.back() / op.every;
      switch (op.kind) {
        case OpKind::kLoop:
          repetitions.push_back(times * op.amount);
          break;
        case OpKind::kEndLoop:
          repetitions.pop_back();
          break;
        case OpKind::kBeginCapture:
          captured = 0;
          break;
        case OpKind::kEndCapture:
          nodes[op.object] = std::exchange(captured, -1);
          break;
        case OpKind::kGraphLaunch:
          total += times * nodes[op.object];
          break;
        case OpKind::kLaunch:
        case OpKind::kCollective:
          captured >= 0 ? ++captured : total += times;
          break;
        default:
          break;
      }
    }
  }
  return total;
}

void Program::Remove(uint32_t groups) {
  for (Thread& thread : threads) {
    std::erase_if(thread.ops, [&](const Op& op) { return (op.groups & groups) != 0; });
  }
}

}  // namespace xsp::samples
