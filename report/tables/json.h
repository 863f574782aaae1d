#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/tables/table.h"

namespace xsp {

// A JSON value whose fields stay in the order in which they were set: same result, same bytes.
using Json = nlohmann::ordered_json;

// A name from a trace, exactly as it is there; only bytes that are no UTF-8 are replaced.
Json JsonText(std::string_view text);
Json TextsJson(const std::vector<std::string>& texts);  // A list of such.

// The value, or null where it is unknown.
template <class T>
Json JsonOrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// A cell that only JSON has.
Cell JsonCell(Json value);

// JSON as text, with what does harm to a terminal (text.h) as \u....: the same for every reader.
std::string EscapedJson(std::string text);

// The document as text, ending in a line break; valid JSON whatever bytes its strings hold.
std::string DumpJson(const Json& document);

// An object or a list that is written member by member, laid out as DumpJson does.
class JsonMembers {
 public:
  // '{' or '['. `indent`: of the line in which it begins.
  JsonMembers(char open, std::size_t indent, std::string& text);

  // What is appended to the text after this is the next item of the list, the value of this key.
  void Next();
  void Next(std::string_view key);
  void End();

  std::size_t indent() const { return indent_; }  // Of the members.

 private:
  bool is_object_;
  bool is_empty_ = true;
  std::size_t indent_;
  std::string& text_;
};

// Appends a value that begins in a line of this indent.
void AppendJson(const Json& value, std::size_t indent, std::string& text);
void AppendJson(const Cell& cell, std::size_t indent, std::string& text);

}  // namespace xsp
