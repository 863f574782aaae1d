#include "hierarchy/names/framework_use.h"

#include <algorithm>
#include <map>

namespace xsp {

FrameworkUses FrameworksIn(const Trace& trace, const NameTable& names) {
  FrameworkUses uses;
  std::vector<std::uint64_t> of_pattern(names.frameworks().patterns().size());
  for (EventKind kind : {EventKind::kNvtxPushPop, EventKind::kNvtxStartEnd}) {
    for (EventId e : trace.OfKind(kind)) {
      ++uses.ranges;
      if (const FrameworkText* const known = names.Known(trace.name_of(e))) {
        ++of_pattern[known->pattern];
      }
    }
  }
  std::map<std::string_view, std::vector<std::uint32_t>> by_framework;
  for (std::uint32_t i = 0; i < of_pattern.size(); ++i) {
    if (of_pattern[i] > 0) by_framework[names.frameworks().patterns()[i].framework].push_back(i);
  }
  for (auto& [framework, patterns] : by_framework) {
    std::stable_sort(patterns.begin(), patterns.end(), [&](std::uint32_t a, std::uint32_t b) {
      return of_pattern[a] > of_pattern[b];
    });
    FrameworkUse& use = uses.frameworks.emplace_back();
    use.framework = framework;
    for (std::uint32_t i : patterns) {
      use.ranges += of_pattern[i];
      use.patterns.push_back(names.frameworks().patterns()[i].id);
    }
  }
  std::stable_sort(uses.frameworks.begin(), uses.frameworks.end(),
                   [](const auto& a, const auto& b) { return a.ranges > b.ranges; });
  return uses;
}

}  // namespace xsp
