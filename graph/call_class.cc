#include "graph/call_class.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/names/call_names.h"

namespace xsp {
namespace {

// Prefixes of bare names behind "cuda" or "cu"; the first that fits decides.
constexpr std::array<std::pair<std::string_view, CallClass>, 48> kPrefixes = {{
    {"LaunchHostFunc", CallClass::kOther},
    {"Launch", CallClass::kLaunch},
    {"GraphLaunch", CallClass::kLaunch},
    {"DeviceSynchronize", CallClass::kSyncContext},
    {"ThreadSynchronize", CallClass::kSyncContext},
    {"CtxSynchronize", CallClass::kSyncContext},
    {"StreamSynchronize", CallClass::kSyncStream},
    {"EventSynchronize", CallClass::kSyncEvent},
    {"EventRecord", CallClass::kRecord},
    {"StreamWaitEvent", CallClass::kStreamWait},
    {"StreamQuery", CallClass::kPoll},
    {"EventQuery", CallClass::kPoll},
    {"EventDestroy", CallClass::kPoll},
    {"StreamIsCapturing", CallClass::kPoll},
    {"StreamGetCaptureInfo", CallClass::kPoll},
    {"ThreadExchangeStreamCaptureMode", CallClass::kPoll},
    {"MemcpyToSymbol", CallClass::kCopy},
    {"MemcpyFromSymbol", CallClass::kCopy},
    {"Memcpy", CallClass::kCopy},
    {"MallocAsync", CallClass::kPool},
    {"FreeAsync", CallClass::kPool},
    {"MallocFromPool", CallClass::kPool},
    {"MemAllocAsync", CallClass::kPool},
    {"MemAllocFromPool", CallClass::kPool},
    {"MemFreeAsync", CallClass::kPool},
    {"FreeMipmappedArray", CallClass::kFree},
    {"FreeArray", CallClass::kFree},
    {"FreeHost", CallClass::kAllocate},
    {"Free", CallClass::kFree},
    {"MemFreeHost", CallClass::kAllocate},
    {"MemFree", CallClass::kFree},
    {"MemUnmap", CallClass::kAllocate},
    {"MemRelease", CallClass::kAllocate},
    {"MemMap", CallClass::kAllocate},
    {"MemSetAccess", CallClass::kAllocate},
    {"MemCreate", CallClass::kAllocate},
    {"ModuleLoad", CallClass::kFree},
    {"ModuleUnload", CallClass::kFree},
    {"LibraryLoad", CallClass::kFree},
    {"LibraryUnload", CallClass::kFree},
    {"Malloc", CallClass::kAllocate},
    {"MemAlloc", CallClass::kAllocate},
    {"MemHost", CallClass::kAllocate},
    {"Host", CallClass::kAllocate},
    {"StreamDestroy", CallClass::kAllocate},
    {"GraphInstantiate", CallClass::kAllocate},
    {"GraphicsMap", CallClass::kGraphics},
    {"GraphicsUnmap", CallClass::kGraphics},
}};

}  // namespace

CallClass ClassOfCall(std::string_view name) {
  name = BareCallName(name);
  for (const auto& [prefix, call_class] : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    const bool is_async = name.find("Async") != name.npos;
    return call_class == CallClass::kCopy && is_async ? CallClass::kCopyAsync : call_class;
  }
  return CallClass::kOther;
}

CallClass CallClasses::Of(const TaskGraph& graph, TaskId host) const {
  if (graph.IsNew(host)) return ClassOfCall(graph.labels[graph.label[host].value]);
  const EventId event = graph.event[host];
  return event.valid() ? Of(graph.trace->name_of(event)) : CallClass::kOther;
}

CallClasses::CallClasses(const Trace& trace)
    : number_(trace.strings().size()), classes_{CallClass::kOther} {
  for (EventId call : trace.OfKind(EventKind::kApi)) {
    const StringId name = trace.name_of(call);
    if (!name.valid() || number_[name.value] != 0) continue;
    number_[name.value] = static_cast<std::uint32_t>(classes_.size());
    classes_.push_back(ClassOfCall(trace.strings()[name]));
  }
}

}  // namespace xsp
