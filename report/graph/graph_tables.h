#pragma once

#include <memory>

#include "graph/readings/assessment.h"
#include "report/graph/task_words.h"
#include "report/tables/table.h"

// The tables of `xsp graph`, each the source of its JSON. Gaps and edges may be a million: their
// rows are made when they are written, of `words`. People see `top` of them; 0: all.
namespace xsp {

Table RulesTable(const GraphAssessment& assessment);
Table ConstantsTable(const TaskGraph& graph, bool with_queue_depth);
Table StepErrorsTable(const ReplayError& replay);

// Idle gaps that the graph cannot explain, whole or in part; the worst first.
Table UnexplainedTable(const IdleReport& idle, std::shared_ptr<const TaskWords> words,
                       std::size_t top);
Table ViolationsTable(std::vector<Violation> violations, std::shared_ptr<const TaskWords> words,
                      std::size_t top);

// Kernels that take longer beside others, by how much, and from how many that is known. The table
// has a row for each kernel, the most often slowed first; people see `top` of them.
Table InterferenceTable(const TaskGraph& graph, std::size_t top);

}  // namespace xsp
