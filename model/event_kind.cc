#include "model/event_kind.h"

namespace xsp {
namespace {

constexpr std::array<std::string_view, kEventKindCount> kNames = {
    "kernel",        "memcpy",     "migration",    "memset",       "graph_span",   "api",
    "api_backtrace", "sync",       "event_record", "graph_object", "nvtx_pushpop", "nvtx_startend",
    "nvtx_mark",     "osrt",       "mpi",          "library",      "directive",    "memory",
    "memory_pool",   "page_fault", "overhead",     "sample",       "sched",        "gpu_metric"};

}  // namespace

std::string_view NameOf(EventKind kind) { return kNames[IndexOf(kind)]; }

std::optional<EventKind> EventKindFromName(std::string_view name) {
  for (EventKind kind : AllEventKinds()) {
    if (NameOf(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace xsp
