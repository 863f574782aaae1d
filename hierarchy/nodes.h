#pragma once

#include <cstdint>
#include <vector>

#include "hierarchy/level.h"
#include "hierarchy/names/name_table.h"
#include "model/ids.h"
#include "model/time.h"

namespace xsp {

using NodeId = Id<struct NodeTag>;

// The nodes of a hierarchy, as columns: each occurrence of a range, each step, and what was found
// to stand between them. A node's parent may have a higher number.
struct Nodes {
  std::vector<NodeId> parent;  // Points nowhere for the root only.
  std::vector<NameId> name;
  std::vector<Level> level;
  std::vector<Source> source;
  std::vector<Phase> phase;    // Which phase the name or structure tells; children have it too.
  std::vector<EventId> event;  // The range, call or region; none where the node was inferred.
  // When the host was in it. Empty ({0, 0}) where no host range stands behind the node.
  std::vector<TimeNs> host_begin, host_end;
  // The forward operation that a backward one belongs to, the captured range that a replayed one
  // stands for; none otherwise.
  std::vector<NodeId> origin;

  std::size_t size() const { return parent.size(); }

  NodeId Add(NodeId node_parent, Level node_level, Source node_source, NameId node_name) {
    parent.push_back(node_parent);
    name.push_back(node_name);
    level.push_back(node_level);
    source.push_back(node_source);
    phase.push_back(Phase::kNone);
    event.emplace_back();
    host_begin.push_back(0);
    host_end.push_back(0);
    origin.emplace_back();
    return NodeId(size() - 1);
  }

  void Reserve(std::size_t count) {
    parent.reserve(count);
    name.reserve(count);
    level.reserve(count);
    source.reserve(count);
    phase.reserve(count);
    event.reserve(count);
    host_begin.reserve(count);
    host_end.reserve(count);
    origin.reserve(count);
  }
};

}  // namespace xsp
