#include "model/names/kernel_rules_json.h"

#include <set>

#include "base/user_json.h"

namespace xsp {
namespace {

// What the member `key` of a row says, if it is there.
template <class FromName>
auto Choice(const UserJson& row, std::string_view key, FromName from_name)
    -> decltype(from_name("")) {
  const UserJson* const said = row.Find(key);
  if (said == nullptr) return std::nullopt;
  const auto value = from_name(said->Text());
  if (!value) said->Fail("is '" + said->Text() + "', which is none");
  return value;
}

std::string TextThatIsThere(const UserJson& row, std::string_view key, const std::string& what) {
  const UserJson& said = row.At(key, what);
  if (said.Text().empty()) said.Fail("is empty: " + what);
  return said.Text();
}

KernelRule ReadRule(const UserJson& row) {
  row.OnlyKeys({"id", "match", "in", "when", "class", "precision", "tensor_cores"});
  KernelRule rule;
  rule.built_in = false;
  rule.id = TextThatIsThere(row, "id", "a name of its own");
  rule.match = TextThatIsThere(row, "match", "an expression that names contain");
  const UserJson* const in = row.Find("in");
  rule.text = in != nullptr && in->Word({"name", "parameters"}) == "parameters"
                  ? KernelRule::Text::kParameters
                  : KernelRule::Text::kName;
  const UserJson* const when = row.Find("when");
  for (const UserJson& name : when != nullptr ? when->List() : std::vector<UserJson>()) {
    const auto kernel_class = KernelClassFromName(name.Text());
    if (!kernel_class) name.Fail("is '" + name.Text() + "', which is no class");
    rule.when.push_back(*kernel_class);
  }
  rule.kernel_class = Choice(row, "class", KernelClassFromName);
  rule.precision = Choice(row, "precision", PrecisionFromName);
  rule.tensor_cores = Choice(row, "tensor_cores", TensorCoresFromName);
  if (!rule.kernel_class && !rule.precision && !rule.tensor_cores) {
    row.Fail("says nothing: give \"class\", \"precision\" or \"tensor_cores\"");
  }
  if (rule.kernel_class && !rule.when.empty()) row.Fail("has both \"class\" and \"when\"");
  return rule;
}

}  // namespace

std::vector<KernelRule> ParseKernelRules(const UserJson& document) {
  document.OnlyKeys({"about", "rules"});
  std::vector<KernelRule> rules;
  std::set<std::string> ids;
  for (const UserJson& row : document.At("rules", "a list of rules").List()) {
    rules.push_back(ReadRule(row));
    if (!ids.insert(rules.back().id).second) row.At("id", "").Fail("is that of an earlier one");
  }
  return rules;
}

}  // namespace xsp
