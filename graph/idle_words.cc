#include <array>

#include "graph/idle.h"

namespace xsp {
namespace {

struct CauseWords {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array<CauseWords, kIdleCauseCount> kCauseWords = {{
    {"host_gap", "untraced host work"},
    {"data_loading", "data was being loaded"},
    {"launch_cost", "the host was in calls that launch work"},
    {"other_call", "the host was in other calls"},
    {"allocation", "allocation, release or module loading"},
    {"submit", "work was on its way to the device"},
    {"sync_tail", "a synchronizing call had not returned yet"},
    {"copy_tail", "a blocking copy had not returned yet"},
    {"stream_gap", "between queued operations of a stream"},
    {"other_stream", "work waited for another stream"},
    {"device_stall", "the device took up work late behind an allocation"},
    {"graphics", "a graphics API had the device"},
    {"copy_engine", "a copy waited for the copy engine"},
    {"peer", "another device had to finish first"},
    {"thread_handoff", "one thread woke up another"},
    {"before_recording", "what led to it was not recorded"},
    {"no_work_left", "nothing more to do"},
    {"[unexplained]", "the graph expected another time"},
}};

}  // namespace

std::string_view NameOf(IdleCause cause) {
  return kCauseWords[static_cast<std::size_t>(cause)].name;
}

std::string_view Meaning(IdleCause cause) {
  return kCauseWords[static_cast<std::size_t>(cause)].meaning;
}

}  // namespace xsp
