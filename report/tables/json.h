#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace xsp {

// A JSON value whose fields stay in the order in which they were set: same result, same bytes.
using Json = nlohmann::ordered_json;

// A name from a trace, exactly as it is there; only bytes that are no UTF-8 are replaced.
Json JsonText(std::string_view text);

// The value, or null where it is unknown.
template <class T>
Json JsonOrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// The document as text, ending in a line break; valid JSON whatever bytes its strings hold.
std::string DumpJson(const Json& document);

}  // namespace xsp
