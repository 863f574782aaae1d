#include "graph/trust/unseen_threads.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace xsp {
namespace {

// How names of threads begin that no step waits for: of CUDA, of Nsight Systems, of allocators, of
// watchdogs, and of the backward engines for devices that are not used.
constexpr auto kOnlookers = std::to_array<std::string_view>({
    "CUPTI worker",
    "[NSys",
    "cuda-EvtHandlr",
    "cuda0",
    "*1",
    "*2",
    "*3",
    "*4",
    "*5",
    "#1",
    "#2",
    "#3",
    "jemalloc_bg",
    "gmain",
    "gdbus",
    "dconf",
    "pt_autograd_",
    "pt_nccl_",
    "pt_tcpstore",
    "pt_thread_pool",
    "nccl",
    "NCCL",
    "OpenBLAS",
    "iou-",
    "ZMQbg",
});

}  // namespace

bool IsOnlooker(std::string_view name) {
  return name.empty() ||
         std::any_of(kOnlookers.begin(), kOnlookers.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

std::vector<std::string> UnseenThreads(const Trace& trace, const Steps& steps) {
  std::vector<std::uint8_t> is_seen(
      trace.processes().size());  // By its system calls or scheduling.
  for (EventKind kind : {EventKind::kOsrt, EventKind::kSched}) {
    for (EventId event : trace.OfKind(kind)) is_seen[trace.process_of(event).value] = 1;
  }
  std::vector<std::uint8_t> has_events(trace.tracks().size());
  for (TrackId track : trace.events().track) has_events[track.value] = 1;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < trace.tracks().size(); ++i) {
    const Track& track = trace.tracks()[i];
    if (track.kind != TrackKind::kThread || has_events[i] != 0 || !track.name.valid()) continue;
    const std::uint32_t process = track.process.value;
    if (is_seen[process] != 0 || steps.of_process[process].empty()) continue;
    const std::string_view name = trace.strings()[track.name];
    if (!IsOnlooker(name)) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace xsp
