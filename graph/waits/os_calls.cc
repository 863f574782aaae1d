#include "graph/waits/os_calls.h"

#include <algorithm>
#include <utility>

namespace xsp {
namespace {

// In order of the names.
constexpr std::pair<std::string_view, OsCall> kOsCalls[] = {
    {"accept", OsCall::kWait},
    {"accept4", OsCall::kWait},
    {"clock_nanosleep", OsCall::kSleep},
    {"epoll_pwait", OsCall::kWait},
    {"epoll_pwait2", OsCall::kWait},
    {"epoll_wait", OsCall::kWait},
    {"eventfd_write", OsCall::kSignal},
    {"futex", OsCall::kWait},
    {"ioctl", OsCall::kDevice},
    {"nanosleep", OsCall::kSleep},
    {"poll", OsCall::kWait},
    {"ppoll", OsCall::kWait},
    {"pselect", OsCall::kWait},
    {"pthread_barrier_wait", OsCall::kWait},
    {"pthread_cond_broadcast", OsCall::kSignal},
    {"pthread_cond_clockwait", OsCall::kWait},
    {"pthread_cond_signal", OsCall::kSignal},
    {"pthread_cond_timedwait", OsCall::kWait},
    {"pthread_cond_wait", OsCall::kWait},
    {"pthread_join", OsCall::kWait},
    {"pthread_mutex_lock", OsCall::kWait},
    {"pthread_mutex_unlock", OsCall::kSignal},
    {"pthread_rwlock_rdlock", OsCall::kWait},
    {"pthread_rwlock_unlock", OsCall::kSignal},
    {"pthread_rwlock_wrlock", OsCall::kWait},
    {"read", OsCall::kInput},
    {"recv", OsCall::kWait},
    {"recvfrom", OsCall::kWait},
    {"recvmsg", OsCall::kWait},
    {"select", OsCall::kWait},
    {"sem_clockwait", OsCall::kWait},
    {"sem_post", OsCall::kSignal},
    {"sem_timedwait", OsCall::kWait},
    {"sem_wait", OsCall::kWait},
    {"send", OsCall::kSignal},
    {"sendmsg", OsCall::kSignal},
    {"sendto", OsCall::kSignal},
    {"sleep", OsCall::kSleep},
    {"usleep", OsCall::kSleep},
    {"write", OsCall::kSignal},
    {"writev", OsCall::kSignal},
};

}  // namespace

OsCall OsCallOf(std::string_view name) {
  const auto* found =
      std::lower_bound(std::begin(kOsCalls), std::end(kOsCalls), name,
                       [](const auto& row, std::string_view wanted) { return row.first < wanted; });
  const bool is_there = found != std::end(kOsCalls) && found->first == name;
  return is_there ? found->second : OsCall::kOther;
}

bool MayRunOut(std::string_view name) {
  static constexpr std::string_view kWithTimeout[] = {"epoll_", "poll", "ppoll", "pselect",
                                                      "select"};
  return name.ends_with("timedwait") || name.ends_with("clockwait") ||
         std::any_of(std::begin(kWithTimeout), std::end(kWithTimeout),
                     [&](std::string_view start) { return name.starts_with(start); });
}

OsCall OsCalls::Of(EventId call) {
  const auto [it, is_new] = of_name_.try_emplace(trace_.name_of(call));
  if (is_new) it->second = OsCallOf(trace_.name(call));
  return it->second;
}

}  // namespace xsp
