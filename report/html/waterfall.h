#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/readings/idle.h"
#include "graph/readings/path_analysis.h"
#include "hierarchy/hierarchy.h"
#include "report/html/packed.h"

namespace xsp {

// What a waterfall is drawn from. All but the hierarchy may be null: a trace without device work
// has none of it.
struct WaterfallInput {
  const Hierarchy& hierarchy;
  const TaskGraph* graph = nullptr;
  const PathAnalysis* path = nullptr;
  const IdleReport* idle = nullptr;  // With its gaps.
};

// When everything happened: threads with ranges and calls, streams with their work, which of it the
// critical path runs through, who waited for whom and why, idle time by cause, and counters. All
// steps where they fit into `budget` bytes, else those that are simulated, else one, else a part of
// that: "shown" says which. Texts are put into `texts`.
Json WaterfallColumns(const WaterfallInput& input, std::size_t budget, PackedTexts& texts);

}  // namespace xsp
