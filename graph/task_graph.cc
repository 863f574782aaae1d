#include "graph/task_graph.h"

namespace xsp {

std::string_view NameOf(OpClass op_class) {
  constexpr std::array<std::string_view, kOpClassCount> kNames = {"kernel", "htod",  "dtoh", "dtod",
                                                                  "memset", "graph", "node"};
  return kNames[static_cast<std::size_t>(op_class)];
}

}  // namespace xsp
