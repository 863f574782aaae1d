#include "tests/unit/hierarchy/tree_text.h"

#include <vector>

namespace xsp::test {

std::string TextOf(const PathTotals& tree) {
  std::string text;
  std::vector<std::pair<PathId, std::size_t>> open = {{PathId(0u), 0}};
  while (!open.empty()) {
    const auto [at, depth] = open.back();
    open.pop_back();
    const PathNode& node = tree[at];
    text += std::string(2 * depth, ' ');
    text += NameOf(node.level);
    text += ' ';
    text += tree.Name(at);
    text += ' ' + std::to_string(node.total.device_sum);
    if (node.source != Source::kNone) text += " [" + std::string(NameOf(node.source)) + "]";
    text += '\n';
    if (node.next_sibling.valid()) open.emplace_back(node.next_sibling, depth);
    if (node.first_child.valid()) open.emplace_back(node.first_child, depth + 1);
  }
  return text;
}

std::string TreeOf(std::string_view timeline) {
  const Trace trace = MakeTrace(timeline);
  const Hierarchy hierarchy(trace);
  return TextOf(PathTotals(hierarchy, {.steps = {}, .with_calls = false}));
}

std::string Plain(std::string_view text) {
  if (text.starts_with('\n')) text.remove_prefix(1);
  const std::size_t indent = text.find_first_not_of(' ');
  std::string plain;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    line = line.substr(std::min(indent, line.size()));
    if (line.find_first_not_of(' ') != line.npos) plain.append(line).append("\n");
  }
  return plain;
}

}  // namespace xsp::test
