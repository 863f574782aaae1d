#include "model/event_kind.h"

#include "base/enum_names.h"

namespace xsp {
namespace {

constexpr EnumNames<EventKind::kGpuMetric> kNames(
    {"kernel",        "memcpy",     "migration",    "memset",       "graph_span",   "api",
     "api_backtrace", "sync",       "event_record", "graph_object", "nvtx_pushpop", "nvtx_startend",
     "nvtx_mark",     "osrt",       "mpi",          "library",      "directive",    "memory",
     "memory_pool",   "page_fault", "overhead",     "sample",       "sched",        "gpu_metric"});

}  // namespace

std::string_view NameOf(EventKind kind) { return kNames[kind]; }

std::optional<EventKind> EventKindFromName(std::string_view name) { return kNames.Find(name); }

}  // namespace xsp
