#include "graph/rule.h"

namespace xsp {

std::optional<Rule> RuleFromName(std::string_view name) {
  for (const RuleRow& row : kRuleTable) {
    if (row.name == name) return row.rule;
  }
  return std::nullopt;
}

}  // namespace xsp
