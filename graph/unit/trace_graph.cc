#include "graph/unit/trace_graph.h"

#include <utility>

#include "graph/builder.h"

namespace xsp {

TraceGraph::TraceGraph(Trace trace, const Selection& selection, const TraceGraphOptions& options)
    : part_(ChooseGraphPart(std::move(trace), selection, options.rules)),
      graph_(BuildGraph(*part_.trace, *part_.hierarchy)) {
  graph_.ignored_rules |= options.ignored_rules;
  unit_ = options.as_span ? SpanUnit(graph_) : UnitOf(graph_, part_);
  if (options.as_span) unit_.steps = CountSteps(part_.steps());
}

}  // namespace xsp
