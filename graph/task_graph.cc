#include "graph/task_graph.h"

#include <algorithm>

namespace xsp {

std::string_view NameOf(OpClass op_class) {
  constexpr std::array<std::string_view, kOpClassCount> kNames = {"kernel", "htod",  "dtoh", "dtod",
                                                                  "memset", "graph", "node"};
  return kNames[static_cast<std::size_t>(op_class)];
}

bool HasUnknownProducer(const TaskGraph& graph) {
  return !graph.Ignores(Rule::kLoader) &&
         std::any_of(graph.producers.begin(), graph.producers.end(),
                     [](const GraphProducer& producer) { return !producer.is_known; });
}

}  // namespace xsp
