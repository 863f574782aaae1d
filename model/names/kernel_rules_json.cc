#include "model/names/kernel_rules_json.h"

#include <nlohmann/json.hpp>
#include <set>

#include "model/error.h"

namespace xsp {

namespace {

using Json = nlohmann::json;

// Reads one row; every complaint names it.
class RowReader {
 public:
  RowReader(const Json& row, std::string where) : row_(row), where_(std::move(where)) {}

  KernelRule Read() {
    if (!row_.is_object()) Fail("is not an object");
    KernelRule rule;
    rule.built_in = false;
    rule.id = Text("id");
    if (rule.id.empty()) Fail("has no \"id\"");
    where_ += " (" + rule.id + ")";
    CheckKeys();
    rule.match = Text("match");
    if (rule.match.empty()) Fail("has no \"match\"");
    rule.text = ReadWhere();
    rule.when = ReadWhen();
    rule.kernel_class = Choice("class", KernelClassFromName);
    rule.precision = Choice("precision", PrecisionFromName);
    rule.tensor_cores = Choice("tensor_cores", TensorCoresFromName);
    if (!rule.kernel_class && !rule.precision && !rule.tensor_cores) {
      Fail("says nothing: give \"class\", \"precision\" or \"tensor_cores\"");
    }
    if (rule.kernel_class && !rule.when.empty()) Fail("has both \"class\" and \"when\"");
    return rule;
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const { throw Error(where_ + " " + what); }

  void CheckKeys() const {
    static const std::set<std::string_view> known = {"id",    "match",     "in",          "when",
                                                     "class", "precision", "tensor_cores"};
    for (const auto& [key, value] : row_.items()) {
      if (!known.contains(key)) Fail("has an unknown field \"" + key + "\"");
    }
  }

  std::string Text(const char* key) const {
    const auto found = row_.find(key);
    if (found == row_.end()) return {};
    if (!found->is_string()) Fail(std::string("has a \"") + key + "\" that is not a string");
    return found->get<std::string>();
  }

  KernelRule::Text ReadWhere() const {
    const std::string in = Text("in");
    if (in.empty() || in == "name") return KernelRule::Text::kName;
    if (in == "parameters") return KernelRule::Text::kParameters;
    Fail("has an \"in\" that is neither \"name\" nor \"parameters\"");
  }

  std::vector<KernelClass> ReadWhen() const {
    std::vector<KernelClass> classes;
    const auto found = row_.find("when");
    if (found == row_.end()) return classes;
    if (!found->is_array()) Fail("has a \"when\" that is not a list");
    for (const Json& name : *found) {
      const auto value = name.is_string() ? KernelClassFromName(name.get<std::string>())
                                          : std::optional<KernelClass>();
      if (!value) Fail("has an unknown class in \"when\"");
      classes.push_back(*value);
    }
    return classes;
  }

  template <class FromName>
  auto Choice(const char* key, FromName from_name) const -> decltype(from_name("")) {
    if (!row_.contains(key)) return std::nullopt;
    const std::string name = Text(key);
    const auto value = from_name(name);
    if (!value) Fail(std::string("has an unknown \"") + key + "\": " + name);
    return value;
  }

  const Json& row_;
  std::string where_;
};

}  // namespace

std::vector<KernelRule> ParseKernelRules(std::string_view json, std::string_view source) {
  const std::string name(source);
  const Json document = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) {
    throw Error(name + " is not JSON", "kernel rules are JSON: {\"rules\": [{\"id\": ...}]}");
  }
  if (!document.is_object() || !document.contains("rules") || !document["rules"].is_array()) {
    throw Error(name + " has no list \"rules\"");
  }
  std::vector<KernelRule> rules;
  std::set<std::string> ids;
  for (const Json& row : document["rules"]) {
    const std::string where = name + ": rule " + std::to_string(rules.size() + 1);
    rules.push_back(RowReader(row, where).Read());
    if (!ids.insert(rules.back().id).second) {
      throw Error(where + " (" + rules.back().id + ") has the id of an earlier one");
    }
  }
  return rules;
}

}  // namespace xsp
