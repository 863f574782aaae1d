#include "report/tables/facts.h"

#include <algorithm>

#include "report/tables/table_writers.h"

namespace xsp {
namespace {

void AppendObject(const Facts& facts, std::size_t indent, std::string& text) {
  JsonMembers object('{', indent, text);
  AppendMembers(facts, object, text);
  object.End();
}

struct AppendValue {
  std::size_t indent;
  std::string& text;

  void operator()(const Json& value) const { AppendJson(value, indent, text); }
  void operator()(const Rows& rows) const { AppendJson(*rows, indent, text); }
  void operator()(const Facts& facts) const { AppendObject(facts, indent, text); }
  void operator()(const std::vector<Facts>& list) const {
    JsonMembers items('[', indent, text);
    for (const Facts& facts : list) {
      items.Next();
      AppendObject(facts, items.indent(), text);
    }
    items.End();
  }
};

}  // namespace

Rows RowsOf(Table table) { return std::make_shared<const Table>(std::move(table)); }

Facts::Facts() = default;
Facts::Facts(const Facts& other) = default;
Facts::Facts(Facts&& other) noexcept = default;
Facts& Facts::operator=(const Facts& other) = default;
Facts& Facts::operator=(Facts&& other) noexcept = default;
Facts::~Facts() = default;

Facts::Facts(std::initializer_list<Fact> facts) : facts_(facts) {}

Facts::Facts(std::vector<Fact> facts) : facts_(std::move(facts)) {}

Facts::Value& Facts::operator[](std::string_view key) {
  const auto it =
      std::find_if(facts_.begin(), facts_.end(), [&](const Fact& fact) { return fact.key == key; });
  if (it != facts_.end()) return it->value;
  return facts_.emplace_back(Fact{std::string(key), {}}).value;
}

void AppendMembers(const Facts& facts, JsonMembers& object, std::string& text) {
  for (const Fact& fact : facts.list()) {
    object.Next(fact.key);
    std::visit(AppendValue{object.indent(), text}, fact.value.variant());
  }
}

}  // namespace xsp
