#pragma once

#include "graph/simulation/scheduler.h"
#include "report/html/waterfall_items.h"

namespace xsp {

// Who waited for whom, and why: the edges of `xsp graph --explain` into every task that is shown,
// with their sentences. Sentences differ in their numbers mostly: each is a pattern with "{}" for
// them, and the numbers beside it.
Json EdgeColumns(const WaterfallItems& items, const TaskGraph& graph, const Schedule& replay,
                 const Answers& answers, bool only_deciding, PackedTexts& texts);

// A sentence with "{}" in place of its numbers, and these.
struct SentencePattern {
  std::string pattern;
  std::vector<std::string> numbers;
};
SentencePattern PatternOf(std::string_view sentence);

}  // namespace xsp
