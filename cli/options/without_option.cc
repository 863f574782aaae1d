#include "cli/options/without_option.h"

#include <algorithm>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "graph/rule.h"

namespace xsp {
namespace {

std::vector<std::string> RuleNames() {
  std::vector<std::string> names;
  for (const RuleRow& row : kRuleTable) {
    if (Has(row.rule, kCanIgnore)) names.emplace_back(row.name);
  }
  return names;
}

Rule RuleOf(const std::string& name) {
  const std::vector<std::string> names = RuleNames();
  if (std::find(names.begin(), names.end(), name) != names.end()) return *RuleFromName(name);
  const std::string meant = DidYouMean(name, names);
  throw Error("--without: there is no rule '" + name + "' that could be left out",
              (meant.empty() ? "" : meant + "; ") + "rules: " + Joined(names, ", "));
}

}  // namespace

void WithoutOption::AddTo(OptionSet& options) {
  options.Add("--without", rules_, "Leave out what a rule says in simulations; may be repeated")
      .Repeatable()
      .Value("RULE")
      .Words(RuleNames());
}

std::uint32_t WithoutOption::IgnoredRules() const {
  std::uint32_t ignored = 0;
  for (const std::string& name : rules_) ignored |= 1u << IndexOf(RuleOf(name));
  return ignored;
}

void WithoutOption::SayIn(Report& report) const {
  for (const std::string& name : rules_) report.window.text += ", without " + name;
  report.fields["without"] = rules_;
}

}  // namespace xsp
