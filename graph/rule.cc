#include "graph/rule.h"

namespace xsp {
namespace {

constexpr std::array<std::string_view, kRuleCount> kNames = {
    "anchor",       "own_time",       "program_order",  "submit",     "stream_order",
    "launch_queue", "host_sync",      "blocking_copy",  "allocation", "copy_engine",
    "event_wait",   "default_stream", "thread_handoff", "loader",     "device_stall",
    "interference", "collective",     "channel",        "prefetch"};

}  // namespace

std::string_view NameOf(Rule rule) { return kNames[IndexOf(rule)]; }

std::optional<Rule> RuleFromName(std::string_view name) {
  for (Rule rule : AllRules()) {
    if (NameOf(rule) == name) return rule;
  }
  return std::nullopt;
}

}  // namespace xsp
