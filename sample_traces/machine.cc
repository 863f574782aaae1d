#include "sample_traces/machine.h"

#include <algorithm>
#include <stdexcept>

#include "sample_traces/device.h"
#include "sample_traces/event_loop.h"
#include "sample_traces/host.h"

namespace xsp::samples {

RunSummary Run(const Program& program, const MachineConfig& config, Recorder& recorder) {
  EventLoop loop;
  DeviceModel device(program, config, loop, recorder);
  HostModel host(program, config, loop, device, recorder);
  while (!loop.empty()) {
    const Pending next = loop.Next();
    if (next.what == Happening::kThread) {
      host.Resume(next.index);
    } else {
      device.Handle(next);
    }
  }
  host.Finish();
  device.Finish();
  if (!host.AllDone()) {
    throw std::runtime_error("the program hangs: threads wait for what nobody does");
  }
  return {std::max(host.last_end(), device.last_end()), device.kernels()};
}

}  // namespace xsp::samples
