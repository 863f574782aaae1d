#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/tables/json.h"
#include "report/tables/table.h"

// What a command has to say to scripts: keys in order, each with a value, facts of its own, a list
// of facts, or the rows of a table. Rows become text when they are written, one by one: the JSON of
// a million of them is never held as objects.
namespace xsp {

using Rows = std::shared_ptr<const Table>;
Rows RowsOf(Table table);

struct Fact;

class Facts {
 public:
  // Facts may hold facts: what is made and copied is known where both are.
  Facts();
  Facts(const Facts& other);
  Facts(Facts&& other) noexcept;
  Facts& operator=(const Facts& other);
  Facts& operator=(Facts&& other) noexcept;
  ~Facts();
  Facts(std::initializer_list<Fact> facts);
  explicit Facts(std::vector<Fact> facts);

  // The value of a key, which is added as the last one where it is new.
  class Value;
  Value& operator[](std::string_view key);

  const std::vector<Fact>& list() const { return facts_; }

 private:
  std::vector<Fact> facts_;
};

class Facts::Value {
 public:
  Value() = default;
  template <std::convertible_to<Json> T>
  Value(T&& value) : value_(Json(std::forward<T>(value))) {}
  Value(Rows rows) : value_(std::move(rows)) {}
  Value(Facts facts) : value_(std::move(facts)) {}
  Value(std::initializer_list<Fact> facts) : value_(Facts(facts)) {}
  Value(std::vector<Facts> list) : value_(std::move(list)) {}

  using Variant = std::variant<Json, Rows, Facts, std::vector<Facts>>;
  const Variant& variant() const { return value_; }

 private:
  Variant value_;
};

struct Fact {
  std::string key;
  Facts::Value value;
};

// Writes facts as the next members of an object.
void AppendMembers(const Facts& facts, JsonMembers& object, std::string& text);

}  // namespace xsp
