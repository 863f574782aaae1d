#include "hierarchy/tree.h"

#include "hierarchy/tree_builder.h"

namespace xsp {

Tree::Tree(const Hierarchy& hierarchy, const TreeOptions& options) : hierarchy_(&hierarchy) {
  TreeBuilder(hierarchy, options, *this).Build();
}

std::string Tree::Path(std::uint32_t node) const {
  std::vector<std::uint32_t> chain;
  for (; node != 0; node = nodes_[node].parent) chain.push_back(node);
  std::string path;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    if (!path.empty()) path += '/';
    path += Name(nodes_[*it]);
  }
  return path;
}

bool Tree::IsBelow(std::uint32_t node, std::uint32_t ancestor) const {
  while (node != TreeNode::kNone && node != ancestor) node = nodes_[node].parent;
  return node == ancestor;
}

}  // namespace xsp
