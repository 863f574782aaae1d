#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph/builder.h"
#include "graph/unit/unit.h"
#include "hierarchy/hierarchy.h"
#include "sim/forecast.h"
#include "tests/support/timeline.h"

namespace xsp::test {

// A trace written as text (tests/support/timeline.h) with all that forecasts
// need of it. Speaks of its counted steps, else of its GPU span.
class TextWorkbench {
 public:
  explicit TextWorkbench(std::string_view timeline, WorkbenchOptions options = {})
      : TextWorkbench(MakeTrace(timeline), options) {}
  explicit TextWorkbench(Trace trace, WorkbenchOptions options = {})
      : trace_(std::move(trace)),
        hierarchy_(trace_),
        graph_(BuildGraph(trace_, hierarchy_)),
        unit_(ChooseUnit(graph_, hierarchy_.steps())),
        bench_(graph_, hierarchy_, unit_, options) {}

  const Workbench& bench() const { return bench_; }
  const Hierarchy& hierarchy() const { return hierarchy_; }

  // "--amp=fp16 --no-sync", as on the command line.
  Forecast Run(std::string_view options) const {
    std::vector<ChosenWhatIf> chosen;
    while (!options.empty()) {
      const std::size_t space = options.find(' ');
      const std::string_view word = options.substr(0, space);
      options = space == options.npos ? std::string_view() : options.substr(space + 1);
      const std::size_t equals = word.find('=');
      const WhatIf* whatif =
          FindWhatIf(word.substr(2, equals == word.npos ? word.npos : equals - 2));
      if (whatif == nullptr) throw std::invalid_argument("no what-if " + std::string(word));
      const std::string_view value = equals == word.npos ? "" : word.substr(equals + 1);
      chosen.push_back({whatif, WhatIfValues(whatif->name, whatif->options, value)});
    }
    return bench_.Run(chosen);
  }
  Forecast Run(const WhatIf& whatif) const {
    const ChosenWhatIf chosen{&whatif, WhatIfValues(whatif.name, whatif.options, "")};
    return bench_.Run({&chosen, 1});
  }

 private:
  const Trace trace_;
  const Hierarchy hierarchy_;
  const TaskGraph graph_;
  const Unit unit_;
  const Workbench bench_;
};

}  // namespace xsp::test
