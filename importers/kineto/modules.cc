#include "importers/kineto/modules.h"

#include <algorithm>
#include <string>
#include <vector>

namespace xsp {
namespace {

// No model is nested so deeply; a file that claims it would make paths that grow with its square.
constexpr std::size_t kLongestPath = 4096;

struct OpenModule {
  TimeNs end = 0;
  StringId path;
};

}  // namespace

Trace FillModules(Trace trace) {
  const Operators& found = trace.operators();
  const bool has_modules =
      std::find(found.role.begin(), found.role.end(), OperatorRole::kModule) != found.role.end();
  if (!has_modules) return trace;
  TraceTables t = std::move(trace).Release();
  Operators& operators = t.operators;
  // In order of time; of those that begin together, the one around the other first.
  std::vector<std::uint32_t> order(operators.event.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  auto end_of = [&](std::uint32_t row) { return t.events.end[operators.event[row].value]; };
  auto begin_of = [&](std::uint32_t row) { return t.events.begin[operators.event[row].value]; };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(begin_of(a), -end_of(a)) < std::pair(begin_of(b), -end_of(b));
  });
  std::vector<std::vector<OpenModule>> open(t.tracks.size());
  for (std::uint32_t row : order) {
    auto& modules = open[t.events.track[operators.event[row].value].value];
    while (!modules.empty() && modules.back().end <= begin_of(row)) modules.pop_back();
    const auto holder = std::find_if(modules.rbegin(), modules.rend(),
                                     [&](const OpenModule& m) { return m.end >= end_of(row); });
    const StringId around = holder == modules.rend() ? StringId() : holder->path;
    if (operators.role[row] != OperatorRole::kModule) {
      if (!operators.module[row].valid()) operators.module[row] = around;
      continue;
    }
    std::string path(t.strings.Get(around));
    if (!path.empty()) path += '/';
    path += t.strings[operators.name[row]];
    operators.module[row] = path.size() > kLongestPath ? around : t.strings.Intern(path);
    modules.push_back({end_of(row), operators.module[row]});
  }
  return Trace(std::move(t));
}

}  // namespace xsp
