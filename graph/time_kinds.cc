#include "graph/time_kinds.h"

#include <array>

namespace xsp {
namespace {

struct CauseWords {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array<CauseWords, kIdleCauseCount> kCauseWords = {{
    {"host_gap", "the host was between two calls"},
    {"off_cpu", "the host's thread was not running"},
    {"data_loading", "data was being loaded"},
    {"loader_wait", "waited for the data loader"},
    {"launch_cost", "the host was in a launch call"},
    {"other_call", "the host was in another CUDA call"},
    {"allocation", "the host allocated or released memory"},
    {"one_time", "one-time: first launches, loading"},
    {"submit", "work was on its way to the GPU"},
    {"sync_tail", "a sync had not returned"},
    {"copy_tail", "a blocking copy had not returned"},
    {"stream_gap", "between queued operations"},
    {"other_stream", "waited for another stream"},
    {"device_stall", "the GPU took up work late behind an allocation"},
    {"graphics", "a graphics API had the GPU"},
    {"copy_engine", "a copy waited for the copy engine"},
    {"peer", "another GPU had to finish first"},
    {"thread_handoff", "one thread woke up another"},
    {"thread_wait", "the host waited for another thread"},
    {"timer", "the host waited for a timer"},
    {"os_wait", "the host slept or waited in a system call"},
    {"before_recording", "what led to it was not recorded"},
    {"no_work_left", "nothing more to do"},
    {"[unexplained]", "nothing recorded tells why"},
}};

}  // namespace

std::string_view NameOf(PathKind kind) {
  constexpr std::array<std::string_view, kPathKindCount> kNames = {
      "kernel",      "collective", "copy",      "memset",     "graph",      "stream_gap",
      "submit",      "launch",     "call",      "allocation", "one_time",   "data_loading",
      "host_gap",    "off_cpu",    "sync_tail", "copy_tail",  "queue_tail", "thread_handoff",
      "thread_wait", "timer",      "os_wait",   "start"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view NameOf(IdleCause cause) {
  return kCauseWords[static_cast<std::size_t>(cause)].name;
}

std::string_view Meaning(IdleCause cause) {
  return kCauseWords[static_cast<std::size_t>(cause)].meaning;
}

}  // namespace xsp
